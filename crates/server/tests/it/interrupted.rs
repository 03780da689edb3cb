//! Ends of the server, of PostgreSQL and of its disk in the middle of pushes: what was acknowledged
//! is there.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::MetadataExt as _,
    path::PathBuf,
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use crate::common::{
    objects::{facts, told},
    pg::{Cluster, Database},
    server::{Server, Team},
};

/// What several clients pushed, and what they were told.
#[derive(Default)]
struct Load {
    acknowledged: Mutex<BTreeSet<String>>,
    /// Statuses of the others; 0 for a connection that broke.
    other: Mutex<BTreeSet<u16>>,
    pushes: AtomicUsize,
    ends: AtomicBool,
}

impl Load {
    /// Pushes with several clients until `interrupt` has returned.
    fn during(server: &Server, key: &str, interrupt: impl FnOnce(&Self)) -> Self {
        let load = Self::default();
        thread::scope(|scope| {
            for client in 0..4 {
                let load = &load;
                scope.spawn(move || load.push_until_the_end(server, key, client));
            }
            load.wait_for(20);
            interrupt(&load);
            load.ends.store(true, Ordering::Relaxed);
        });
        load
    }

    fn push_until_the_end(&self, server: &Server, key: &str, client: usize) {
        for number in 0.. {
            let text = format!("Fact {number} of client {client}");
            let body = serde_json::to_string(&facts(&[&text])).unwrap();
            match server.try_post(key, "/v1/sync/push", &body) {
                Some(answer) if answer.status == 200 => {
                    self.acknowledged.lock().unwrap().insert(format!("- [fact] {text}"));
                    self.pushes.fetch_add(1, Ordering::Relaxed);
                }
                Some(answer) => {
                    assert!(
                        ["unavailable", "timeout"].contains(&answer.kind().as_str()),
                        "{answer:?}"
                    );
                    self.other.lock().unwrap().insert(answer.status);
                }
                None => drop(self.other.lock().unwrap().insert(0)),
            }
            if self.ends.load(Ordering::Relaxed) {
                break;
            }
        }
    }

    /// Waits until so many more pushes were acknowledged.
    fn wait_for(&self, more: usize) {
        let want = self.pushes.load(Ordering::Relaxed) + more;
        while self.pushes.load(Ordering::Relaxed) < want {
            thread::yield_now();
        }
    }

    /// Checks that everything acknowledged is there, and nothing twice.
    fn check(&self, database: &Database, team: &Team) {
        let server = Server::start(database);
        let count =
            "select (select count(*) from pimem.entries) + (select count(*) from pimem.events)";
        let count = database.one(count).parse().unwrap();
        let lines: Vec<String> = server
            .pull(&team.reader, count, 5000)
            .iter()
            .filter(|object| object.line.is_some())
            .map(told)
            .collect();
        let kept: BTreeSet<String> = lines.iter().cloned().collect();
        assert_eq!(kept.len(), lines.len(), "nothing is there twice");
        let acknowledged = self.acknowledged.lock().unwrap();
        let lost: Vec<_> = acknowledged.difference(&kept).collect();
        assert!(lost.is_empty() && acknowledged.len() >= 20, "lost {lost:?}");
        // Each line with its event, as a push is kept whole or not at all.
        assert_eq!(count, 2 * kept.len());
    }
}

fn rates() -> [&'static str; 4] {
    ["--rate", "100000", "--burst", "100000"]
}

#[test]
fn a_server_that_is_told_to_end_or_killed() {
    let Some(cluster) = Cluster::shared() else { return };
    for signal in ["-TERM", "-KILL"] {
        let database = cluster.database();
        let team = Team::new(&database, "acme");
        let server = Server::start_with(&database, &rates());
        let load = Load::during(&server, &team.writer, |_| server.signal(signal));
        let (is_well, _) = server.wait();
        assert_eq!(is_well, signal == "-TERM");
        assert!(load.other.lock().unwrap().iter().all(|status| *status == 0), "{:?}", load.other);
        load.check(&database, &team);
    }
}

/// Costs 503s and nothing else, and the server goes on by itself.
#[test]
fn a_postgresql_that_restarts() {
    let Some(cluster) = Cluster::start("") else { return };
    let database = cluster.database();
    let team = Team::new(&database, "acme");
    let server = Server::start_with(&database, &rates());
    let load = Load::during(&server, &team.writer, |load| {
        for mode in ["fast", "immediate"] {
            cluster.restart(mode);
            load.wait_for(20);
        }
    });
    assert!(load.other.lock().unwrap().iter().all(|status| *status == 503), "{:?}", load.other);
    assert_eq!(server.get(&team.reader, "/v1/me").status, 200);
    load.check(&database, &team);
}

/// A disk that fills costs 503s, reads go on, and so do pushes once there is room.
#[test]
fn a_disk_that_is_full() {
    let Some(cluster) = Cluster::start("") else { return };
    let small = PathBuf::from(format!("/tmp/pimem-pg-{}-small", std::process::id()));
    fs::create_dir(&small).unwrap();
    let mount = |options: &str| {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&small);
        mount.output().is_ok_and(|done| done.status.success())
    };
    if !mount("size=48m,mode=777") {
        fs::remove_dir(&small).unwrap();
        println!("not tested where no file system can be mounted");
        return;
    }
    let unmount = Unmount(&small);
    let owner = fs::metadata(cluster.dir()).unwrap();
    std::os::unix::fs::chown(&small, Some(owner.uid()), Some(owner.gid())).unwrap();
    cluster.database().execute(&format!("create tablespace small location '{}'", small.display()));
    let database = cluster.database_in("small");
    let team = Team::new(&database, "acme");
    let server = Server::start_with(&database, &rates());
    let load = Load::during(&server, &team.writer, |load| {
        // The rest of the disk is somebody else's.
        fs::write(small.join("other"), vec![0; 64 << 20]).unwrap_err();
        while !load.other.lock().unwrap().contains(&503) {
            thread::yield_now();
        }
        assert_eq!(server.get(&team.reader, "/v1/sync/pull?project=site").status, 200);
        fs::remove_file(small.join("other")).unwrap();
        load.wait_for(20);
    });
    assert!(load.other.lock().unwrap().iter().all(|status| *status == 503), "{:?}", load.other);
    load.check(&database, &team);
    drop((server, cluster, unmount));
}

struct Unmount<'a>(&'a std::path::Path);

impl Drop for Unmount<'_> {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(self.0).status().ok();
        fs::remove_dir(self.0).ok();
    }
}
