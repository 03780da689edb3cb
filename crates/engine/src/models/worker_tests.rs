//! Tests with faulty children: none of them harms the caller or keeps it waiting.

use super::*;
use pimem_core::embed::catalog::{self, Pooling};

/// Creates a worker whose child runs a line of shell.
fn worker(script: &str, deadline: Option<u64>) -> Worker {
    let program = Program { path: "/bin/sh".into(), args: vec!["-c".into(), script.into()] };
    let mut model = catalog::model("test", 2, Pooling::Mean);
    model.query_prefix.push_str("query: ");
    Worker::new(model, program, deadline.map(Duration::from_millis))
}

fn embed(worker: &mut Worker, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
    worker.embed(TextRole::Query, texts, &mut |_| ()).map_err(|error| error.0)
}

#[test]
fn vectors_come_in_order_and_at_length_one() {
    let mut worker = worker("while read -r line; do echo '[3, 4]'; done", None);
    let mut seen = Vec::new();
    let got = worker.embed(TextRole::Query, &["a", " ", "b"], &mut |done| seen.push(done));
    assert_eq!(got, Ok(vec![vec![0.6, 0.8], vec![0.0, 0.0], vec![0.6, 0.8]]));
    assert_eq!(seen, [1, 2]);
    assert_eq!(embed(&mut worker, &["again"]), Ok(vec![vec![0.6, 0.8]]), "the child lives on");
}

#[test]
fn the_prefix_of_the_role() {
    let script = "read -r line; case $line in '\"query: é \\n\"') echo '[1, 0]';; *) echo x; esac";
    assert_eq!(embed(&mut worker(script, None), &["é \n"]), Ok(vec![vec![1.0, 0.0]]));
    let mut other = worker("read -r line; test \"$line\" = '\"x\"' && echo '[1, 0]'", None);
    assert!(other.embed(TextRole::Passage, &["x"], &mut |_| ()).is_ok());
}

#[test]
fn what_a_child_does_wrong() {
    for (script, want) in [
        ("kill -BUS $$", "the model's process ended early (signal: 7 (SIGBUS)"),
        ("kill -ABRT $$", "the model's process ended early (signal: 6 (SIGABRT)"),
        ("exit 101", "the model's process ended early (exit status: 101)"),
        ("read -r line; printf '[1,'", "the model's process ended early"),
        ("exec cat /dev/zero", "the model's process "),
        ("exec >&- sleep 9", "the model's process stopped answering"),
        ("echo hello; exec sleep 9", "the model's process gave an answer that is no vector"),
        ("echo '[1, null]'; exec sleep 9", "the model's process gave an answer that is no vector"),
        ("echo '[1, 1e999]'; exec sleep 9", "the model's process gave an answer that is no vector"),
        ("echo '{}'; exec sleep 9", "the model's process gave an answer that is no vector"),
        ("echo '[1, 2, 3]'; exec sleep 9", "the model gave 3 numbers, not 2"),
        ("echo '{\"error\": \"out of luck\"}'; exec sleep 9", "out of luck"),
    ] {
        let mut worker = worker(script, None);
        let first = embed(&mut worker, &["text"]).unwrap_err();
        assert!(first.starts_with(want), "{script}: {first}");
        assert_eq!(embed(&mut worker, &["text"]), Err(first), "it does not recover");
    }
}

#[test]
fn a_hang_ends_at_the_deadline() {
    for script in ["exec sleep 60", "echo '[1, 0]'; exec sleep 60"] {
        let got = embed(&mut worker(script, Some(50)), &["a", "b"]);
        assert_eq!(got, Err("the model did not answer within 50 ms".to_owned()), "{script}");
    }
}

#[test]
fn a_deadline_is_for_all_calls_together() {
    let slow = "while read -r line; do sleep 0.2; echo '[1, 0]'; done";
    let mut worker = worker(slow, Some(700));
    let answers = (0..10).map(|_| embed(&mut worker, &["a"])).collect::<Vec<_>>();
    assert!(answers[0].is_ok(), "{answers:?}");
    assert_eq!(answers[9], Err("the model did not answer within 700 ms".to_owned()));
}

#[test]
fn a_child_that_does_not_read_stops_nobody() {
    let long = "x".repeat(1 << 20);
    let texts = vec![long.as_str(); 8];
    let got = embed(&mut worker("exec sleep 60", Some(50)), &texts);
    assert_eq!(got, Err("the model did not answer within 50 ms".to_owned()));
    // A child that writes without reading fills the other pipe.
    let mut eager = worker("yes '[1, 0]'", None);
    assert_eq!(embed(&mut eager, &texts).map(|vectors| vectors.len()), Ok(8));
}

#[test]
fn no_such_program() {
    let program = Program { path: "/no/such/program".into(), args: Vec::new() };
    let mut worker = Worker::new(catalog::model("test", 2, Pooling::Mean), program, None);
    let error = embed(&mut worker, &["text"]).unwrap_err();
    assert!(error.starts_with("the model's process cannot be started: "), "{error}");
    assert_eq!(embed(&mut worker, &[]), Ok(Vec::new()), "nothing asked, nothing started");
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_does_not_outlive_its_worker() {
    let mut worker = worker("while read -r line; do echo '[1, 0]'; done", None);
    embed(&mut worker, &["a"]).unwrap();
    let child = worker.running.as_ref().and_then(|running| running.child.as_ref()).unwrap().id();
    let process = PathBuf::from(format!("/proc/{child}"));
    assert!(process.exists());
    drop(worker);
    assert!(!process.exists(), "killed and reaped");
}
