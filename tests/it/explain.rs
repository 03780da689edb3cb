//! Explanations match the report: `report`, `report --explain` and `why` never disagree.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::sandbox::Sandbox;

/// Returns a report in JSON with all entries considered.
fn explained(sandbox: &Sandbox, now: &str, budget: &str) -> Value {
    sandbox.run(&["--now", now, "--json", "report", "--budget", budget, "--explain"]).json()
}

#[test]
fn verdicts_are_the_selection() {
    let sandbox = Sandbox::new("harbor");
    for (now, budget) in [
        ("2026-06-30T18:00:00Z", "1700"),
        ("2026-06-30T18:00:00Z", "300"),
        ("2026-06-30T18:00:00Z", "0"),
        ("2026-04-20T00:00:00Z", "1700"),
        ("2026-08-15T00:00:00Z", "900"),
        ("2031-01-01T00:00:00Z", "1700"),
    ] {
        let report = explained(&sandbox, now, budget);
        let text = report["text"].as_str().unwrap();
        let mut ranks: BTreeMap<&str, usize> = BTreeMap::new();
        let mut shown = 0;
        for entry in report["entries"].as_array().unwrap() {
            let line = entry["text"].as_str().unwrap();
            let stands = text.lines().any(|known| known.starts_with("- ") && known.ends_with(line));
            assert_eq!(entry["shown"], stands, "{now} {budget}: {line}");
            let reason = entry["reason"].as_str().unwrap();
            assert!(reason.starts_with(if stands { "in: " } else { "out: " }), "{reason}");
            if let Some(rank) = reason.strip_prefix("in: rank ") {
                let next = ranks.entry(entry["category"].as_str().unwrap()).or_default();
                *next += 1;
                assert_eq!(rank, format!("{next} of its section"), "{line}");
            }
            shown += usize::from(stands);
            let product = ["weight", "decay", "evidenceFactor"].map(|name| entry[name].as_f64());
            let product: f64 = product.into_iter().map(Option::unwrap).product();
            assert!((product - entry["stability"].as_f64().unwrap()).abs() < 1e-5, "{line}");
        }
        assert_eq!(
            text.lines().filter(|l| l.starts_with("- ") && !l.starts_with("- ...")).count(),
            shown
        );
        // `why` gives the same verdict and the same factors.
        for entry in report["entries"].as_array().unwrap().iter().step_by(11) {
            let id = entry["id"].as_str().unwrap();
            let why = sandbox.run(&["--now", now, "--json", "why", "--budget", budget, id]).json();
            for name in ["shown", "reason", "weight", "ageDays", "tauDays", "decay", "stability"] {
                assert_eq!(why[name], entry[name], "{now} {budget} {id} {name}");
            }
        }
    }
}

/// Every act named by `why` brings its entry into the report, and the predicted times are exact.
#[test]
fn acts_and_dates_hold() {
    let sandbox = Sandbox::new("harbor");
    let report = explained(&sandbox, "2026-06-30T18:00:00Z", "1700");
    let out = report["entries"].as_array().unwrap().iter().filter(|entry| entry["shown"] == false);
    let ids: Vec<&str> = out.map(|entry| entry["id"].as_str().unwrap()).collect();
    assert!(ids.len() > 50);
    for id in ids.iter().step_by(13) {
        let copy = Sandbox::new("harbor");
        let act = copy.run(&["--json", "why", id]).json()["cheapest"].as_str().unwrap().to_owned();
        copy.shell(&act).ok();
        assert_eq!(copy.run(&["--json", "why", id]).json()["shown"], true, "{id}: {act}");
    }
    let mut checked = 0;
    for id in ids.iter().step_by(5) {
        let why = sandbox.run(&["--json", "why", id]).json();
        for turn in why["ahead"].as_array().unwrap() {
            let Some(state) = turn["what"].as_str().unwrap().strip_prefix("becomes ") else {
                continue;
            };
            let at = turn["at"].as_str().unwrap();
            let then = |now: &str| {
                let score =
                    sandbox.run(&["--now", now, "--json", "why", id]).json()["stability"].as_f64();
                score.unwrap()
            };
            let least = match state {
                "provisional" => 1.5,
                "candidate" => 0.7,
                _ => 0.4,
            };
            assert!(then(at) <= least, "{id} {at} {state}");
            assert!(then("2026-06-30T18:00:00Z") >= least, "{id} {state}");
            checked += 1;
        }
    }
    assert!(checked > 10, "{checked}");
}
