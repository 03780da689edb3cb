//! Tests of the merge: its laws, and its result for each kind of change.

use proptest::prelude::*;

use super::*;

fn text(base: &str, ours: &str, theirs: &str) -> String {
    let merged = merge(MergeKind::Markdown, base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    String::from_utf8(merged).unwrap()
}

/// Asserts the result for both orders of the sides.
#[track_caller]
fn both(base: &str, ours: &str, theirs: &str, want: &str) {
    assert_eq!(text(base, ours, theirs), want);
    assert_eq!(text(base, theirs, ours), want, "the other way round");
}

#[test]
fn entries() {
    let base = "# L\n\n- [lesson] a\n- [lesson] b\n- [lesson] c *(pinned)*\n";
    let with = |from: &str, to: &str| base.replace(from, to);
    let (a, b) = ("- [lesson] a\n", "- [lesson] b\n");
    // Removed next to an addition.
    let added = format!("{base}- [lesson] z\n");
    both(
        base,
        &with("- [lesson] c *(pinned)*\n", ""),
        &added,
        "# L\n\n- [lesson] a\n- [lesson] b\n- [lesson] z\n",
    );
    // Pinned on one side, unpinned on the other.
    both(
        base,
        &with(a, "- [lesson] a *(pinned)*\n"),
        &with(b, ""),
        "# L\n\n- [lesson] a *(pinned)*\n- [lesson] c *(pinned)*\n",
    );
    both(
        base,
        &with(" *(pinned)*", ""),
        &added,
        "# L\n\n- [lesson] a\n- [lesson] b\n- [lesson] c\n- [lesson] z\n",
    );
    both(
        base,
        &with(a, "- [lesson] a *(pinned)*\n"),
        &with(a, "- [lesson] a *(enforced)*\n"),
        &with(a, "- [lesson] a *(enforced)* *(pinned)*\n"),
    );
    both("", "- [lesson] a *(pinned)*\n", "- [lesson] a\n", "- [lesson] a *(pinned)*\n");
    // Edited and removed, edited twice, pinned and removed.
    both(base, &with(b, "- [lesson] b2\n"), &with(b, ""), &with(b, "- [lesson] b2\n"));
    both(
        base,
        &with(b, "- [lesson] b2\n"),
        &with(b, "- [lesson] b3\n"),
        &with(b, "- [lesson] b2\n- [lesson] b3\n"),
    );
    both(
        base,
        &with(b, "- [lesson] b *(pinned)*\n"),
        &with(b, ""),
        &with(b, "- [lesson] b *(pinned)*\n"),
    );
    // Added by both sides in the same place, added elsewhere, and moved.
    both(
        base,
        &added,
        &added.replace("z\n", "z\n- [done] y\n"),
        &added.replace("z\n", "z\n- [done] y\n"),
    );
    both(
        base,
        &added,
        &with(a, "- [lesson] z\n- [lesson] a\n"),
        &with(a, "- [lesson] z\n- [lesson] a\n"),
    );
    let moved = format!("{}{a}", with(a, ""));
    both(
        base,
        &moved,
        &with(" *(pinned)*", ""),
        "# L\n\n- [lesson] b\n- [lesson] c\n- [lesson] a\n",
    );
    both(
        base,
        &moved,
        &with(a, "- [lesson] a *(pinned)*\n"),
        &with(a, "- [lesson] a *(pinned)*\n"),
    );
    both(base, &with(b, ""), &with(b, ""), &with(b, ""));
}

#[test]
fn notes_and_lists() {
    let base = "# M\n\nOne.\nTwo.\n\n## S\n\n- x\n";
    both(
        base,
        &base.replace("One", "1"),
        &base.replace("Two", "2"),
        "# M\n\n1.\n2.\n\n## S\n\n- x\n",
    );
    both(
        base,
        &base.replace("One", "1"),
        &base.replace("One", "I"),
        "# M\n\n1.\nI.\nTwo.\n\n## S\n\n- x\n",
    );
    both(base, &format!("{base}- y\n"), &format!("{base}- z\n"), &format!("{base}- y\n- z\n"));
    both(
        base,
        &format!("{base}\nWords\n"),
        &format!("{base}\nMore\n"),
        &format!("{base}\nMore\nWords\n"),
    );
    let marked = base.replace("One.", "<<<<<<< a\nOne.\n=======\n1.\n>>>>>>> b");
    both(base, &marked, &format!("{base}- y\n"), &format!("{marked}- y\n"));

    let pad = "- [ ] a\n- [ ] b\n  - [x] c\n- [ ] b\n";
    let done = pad.replacen("- [ ] b", "- [x] b", 1);
    both(pad, &done, &format!("{pad}- [ ] d\n"), &format!("{done}- [ ] d\n"));
    both(pad, &done, &pad.replace("[x]", "[ ]"), &done.replace("- [x] c", "- [ ] c"));
    both(pad, &done, &pad.replacen("- [ ] b\n", "", 1), &done);
    both("", "- [x] a\n", "- [ ] a\n", "- [x] a\n");
}

#[test]
fn logs_of_a_day() {
    let base = "# 2026-06-30\n\n- 09:00 one\n";
    let block = |time: &str| {
        format!(
            "<!-- HANDOFF 2026-06-30 {time}:00 [s] -->\n- [ ] x\n- 09:00 one\n<!-- /HANDOFF -->\n"
        )
    };
    let left = format!("{base}- 10:00 left\n  more of it\n{}- 12:00 late\n", block("11:30"));
    let right = format!("{base}- 10:30 right\n{}", block("11:00"));
    let want = format!(
        "{base}- 10:00 left\n  more of it\n- 10:30 right\n{}{}- 12:00 late\n",
        block("11:00"),
        block("11:30")
    );
    both(base, &left, &right, &want);
    both("", &left, &right, &want);
}

#[test]
fn the_style_is_ours() {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let (base, ours, theirs) = ("a\nb\n", "a\nb\n- [done] x\n", "0\na\nb\n- [done] y\n");
    let merged = text(base, ours, theirs);
    assert_eq!(text(base, &crlf(ours), theirs), crlf(&merged));
    assert_eq!(text(&crlf(base), ours, &crlf(theirs)), merged);
    assert_eq!(
        text("", &format!("\u{feff}{ours}"), theirs),
        format!("\u{feff}0\n{}", &merged[2..])
    );
    assert_eq!(text(base, ours.trim_end(), theirs), merged.trim_end());
    assert_eq!(text(base, ours, theirs.trim_end()), merged);
    // Our lines keep their line ends.
    assert_eq!(text("a\r\nb\nc\nd\n", "a\r\nb\nc\n", "a\r\nb\nc\nd\ne\n"), "a\r\nb\nc\ne\n");
}

#[test]
fn the_log_is_a_set() {
    let line = |n: u8| {
        format!(
            "{{\"id\":\"01J0000000000000000000000{n}\",\"ts\":\"2026-06-30T18:00:00.000Z\",\"entry\":\"00000000000000ff\",\"op\":\"pin\"}}\n"
        )
    };
    let base = format!("{}{{torn\n{}", line(5), line(1));
    let ours = format!("{base}{}{}", line(4), line(2));
    let theirs = format!("{base}{}{{also torn\n{}", line(3), line(2));
    let merge = |a: &str, b: &str| {
        String::from_utf8(merge(MergeKind::Log, base.as_bytes(), a.as_bytes(), b.as_bytes()))
            .unwrap()
    };
    let want = format!("{base}{{also torn\n{}{}{}", line(2), line(3), line(4));
    assert_eq!((merge(&ours, &theirs), merge(&theirs, &ours)), (want.clone(), want.clone()));
    // Purged lines do not come back.
    let purged = ours.replace(&line(1), "");
    assert_eq!(merge(&theirs, &purged), want.replace(&line(1), ""));
    assert_eq!(merge(ours.trim_end(), &theirs), want.trim_end());
}

#[test]
fn the_kind_of_a_file() {
    let kind = |path, version: &str| MergeKind::of(path, [b"", version.as_bytes(), b""]);
    assert_eq!(kind(Some(".pi/memory/evidence.jsonl"), ""), MergeKind::Log);
    assert_eq!(kind(Some("topics/lessons.md"), "{"), MergeKind::Markdown);
    assert_eq!(kind(None, "\n{\"id\": 1}\n"), MergeKind::Log);
    assert_eq!(kind(None, "# Lessons\n"), MergeKind::Markdown);
}

/// Generates lines of all kinds, few enough to collide.
fn any_file() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        "- \\[(lesson|done)\\] [a-f]( \\*\\((pinned|enforced)\\)\\*)?",
        "- \\[[ x]\\] [a-c]",
        "- 1[0-2]:00 [a-c]",
        "(#|##|  )? ?[a-c]?",
        "<!-- (HANDOFF 2026-06-30 1[0-2]:00:00|/HANDOFF) -->",
        "(```|~~~|<!--|-->)",
    ];
    prop::collection::vec(line, 0..9)
}

/// Returns a version of `base` with lines removed, changed and inserted.
fn changed(base: &[String], acts: &[(usize, u8, String)]) -> Vec<String> {
    let mut lines = base.to_vec();
    for (at, act, line) in acts {
        let at = at % (lines.len() + 1);
        match act {
            0 if at < lines.len() => drop(lines.remove(at)),
            1 if at < lines.len() => lines[at].clone_from(line),
            2 => lines.push(line.clone()),
            _ => lines.insert(at, line.clone()),
        }
    }
    lines
}

fn three() -> impl Strategy<Value = [Vec<String>; 3]> {
    let acts = || {
        let line = any_file().prop_map(|lines| lines.concat());
        prop::collection::vec((0_usize..9, 0_u8..4, line), 0..5)
    };
    (any_file(), acts(), acts()).prop_map(|(base, ours, theirs)| {
        let sides = [changed(&base, &ours), changed(&base, &theirs)];
        let [ours, theirs] = sides;
        [base, ours, theirs]
    })
}

/// Returns a line without its markers.
fn bare(line: &str) -> String {
    let line = line.replace(" *(pinned)*", "").replace(" *(enforced)*", "");
    let line = line.replace("- [x] ", "- [ ] ");
    // An entry is the same at any indentation.
    if line.trim_start().starts_with("- [") {
        line.trim().to_owned()
    } else {
        line.trim_end().to_owned()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn laws(versions in three(), newline in prop::sample::select(vec!["\n", "\r\n"])) {
        let bytes = versions.each_ref().map(|lines| -> Vec<u8> {
            lines.iter().flat_map(|line| [line.as_str(), newline]).collect::<String>().into_bytes()
        });
        let [base, ours, theirs] = bytes.each_ref().map(Vec::as_slice);
        for kind in [MergeKind::Markdown, MergeKind::Log] {
            let merge = |base: &[u8], ours: &[u8], theirs: &[u8]| merge(kind, base, ours, theirs);
            let merged = merge(base, ours, theirs);
            prop_assert_eq!(&merged, &merge(base, theirs, ours), "in either order");
            prop_assert_eq!(merge(base, ours, base), ours);
            prop_assert_eq!(merge(base, base, theirs), theirs);
            prop_assert_eq!(merge(base, ours, ours), ours);

            let merged = String::from_utf8(merged).unwrap();
            let set = |lines: &[String]| lines.iter().map(|line| bare(line)).collect::<HashSet<_>>();
            let [old, mine, other] = versions.each_ref().map(|lines| set(lines));
            let got: HashSet<String> = merged.lines().map(bare).collect();
            for line in mine.union(&other).filter(|line| !old.contains(*line)) {
                prop_assert!(line.is_empty() || got.contains(line), "{line:?} is lost: {merged:?}");
            }
            for line in &got {
                prop_assert!(mine.contains(line) || other.contains(line), "{line:?} is made up");
            }
        }
    }
}
