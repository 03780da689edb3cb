//! Tests on settings of many forms: removing our hooks restores the bytes.

use pimem_core::exchange::json::Dialect;
use proptest::prelude::*;
use serde_json::Value;

use super::{
    Agent, Content, InstallReach,
    settings::{self, SettingsLayout, Without},
};

const AGENTS: [Agent; 5] =
    [Agent::Claude, Agent::Codex, Agent::Gemini, Agent::Antigravity, Agent::Cursor];

fn layout(agent: Agent) -> SettingsLayout {
    let mut files = agent.files(InstallReach::User);
    match files.pop() {
        Some((_, Content::Settings(layout))) => layout,
        other => panic!("{other:?}"),
    }
}

/// Adds our hooks, checks the result, and removes them again.
fn round(text: &str, layout: &SettingsLayout) -> String {
    let name = layout.agent.name();
    let after = settings::with(Some(text.as_bytes()), layout);
    let after = after.unwrap_or_else(|refusal| panic!("{name} {refusal:?}\n{text}")).unwrap();
    let found = settings::found(&after, layout).unwrap();
    assert_eq!(found.len(), layout.hooks.len(), "{name}\n{}", String::from_utf8_lossy(&after));
    for hook in &layout.hooks {
        let here = found.iter().filter(|f| f.event == hook.event && f.word == hook.word).count();
        assert_eq!(here, 1, "{name} {}", hook.event);
    }
    assert_eq!(settings::with(Some(&after), layout), Ok(None), "twice is once");
    let back = settings::without(&after, layout).unwrap();
    assert_eq!(back, Without::Bytes(text.as_bytes().to_vec()), "{name}\n{text:?}");
    String::from_utf8(after).unwrap()
}

#[test]
fn a_file_that_is_not_there() {
    for agent in AGENTS {
        let layout = layout(agent);
        let after = settings::with(None, &layout).unwrap().unwrap();
        assert!(after.ends_with(b"}\n"));
        assert_eq!(settings::without(&after, &layout), Ok(Without::Nothing), "{}", agent.name());
        assert_eq!(settings::with(Some(&after), &layout), Ok(None));
        serde_json::from_slice::<Value>(&after).unwrap();
        assert_eq!(settings::without(b"", &layout), Ok(Without::Same));
    }
}

#[test]
fn indentation_and_line_ends_are_those_of_the_file() {
    let claude = layout(Agent::Claude);
    let after = round("{\r\n\t\"model\": \"x\"\r\n}\r\n", &claude);
    assert!(after.starts_with(
        "{\r\n\t\"model\": \"x\",\r\n\t\"hooks\": {\r\n\t\t\"SessionStart\": [\r\n\t\t\t{"
    ));
    assert!(after.ends_with("]\r\n\t}\r\n}\r\n") && !after.replace("\r\n", "").contains('\n'));
    let after = round("{\"a\":1}", &claude);
    assert!(
        after.starts_with("{\"a\":1, \"hooks\": { \"SessionStart\": [ {\"hooks\"")
            && !after.contains('\n')
    );
    let after = round("{\n    \"a\": 1\n}", &claude);
    assert!(
        after.contains("\n    \"hooks\": {\n        \"SessionStart\": [\n            {\"hooks\"")
    );
}

#[test]
fn comments_stay_where_they_were() {
    let text = "{\n  \"a\": 1 // one\n  /* two */\n}\n";
    let after = round(text, &layout(Agent::Gemini));
    assert!(after.starts_with("{\n  \"a\": 1, // one\n  \"hooks\": {\n"), "{after}");
    assert!(after.ends_with("\n  }\n  /* two */\n}\n"), "{after}");
}

#[test]
fn what_was_there_stays_when_ours_go() {
    let claude = layout(Agent::Claude);
    let bytes = settings::with(Some(b"{\n  \"a\": 1\n}\n"), &claude).unwrap().unwrap();
    let text = String::from_utf8(bytes).unwrap();
    // The user adds a hook beside one of ours, and an event after ours.
    let own = "{\"type\": \"command\", \"command\": \"mine\"}";
    let text = text.replacen("\"timeout\": 10}]}", &format!("\"timeout\": 10}}, {own}]}}"), 1);
    let text =
        text.replacen("\n    \"Stop\": [", "\n    \"Notification\": [], // c\n    \"Stop\": [", 1);
    let Ok(Without::Bytes(back)) = settings::without(text.as_bytes(), &claude) else { panic!() };
    let back = String::from_utf8(back).unwrap();
    let want = format!(
        "{{\n  \"a\": 1,\n  \"hooks\": {{\n    \"SessionStart\": [\n      {{\"hooks\": [ {own}]}}\n    ],\n    \
         \"Notification\": [] // c\n  }}\n}}\n"
    );
    assert_eq!(back, want);
}

#[test]
fn ours_are_known_however_they_are_called() {
    let text = r#"{"hooks":{
        "Stop":[{"hooks":[{"type":"command","command":"pimem hook claude stop","timeout":3}]}],
        "PreCompact":[{"hooks":[{"command":"\"/opt/my tools/pimem\" hook claude pre-compact"}]}],
        "SessionStart":[{"hooks":[{"command":"/usr/bin/pimem","args":["hook","claude","session-start"]}]}],
        "SessionEnd":[{"hooks":[{"command":"pimem hook gemini session-end"},{"command":"notpimem hook claude x"},
            {"command":"pimem"},{"command":7},{"args":[]},3]}]}}"#;
    let claude = layout(Agent::Claude);
    let found = settings::found(text.as_bytes(), &claude).unwrap();
    let words: Vec<&str> = found.iter().map(|found| found.word.as_str()).collect();
    assert_eq!(words, ["stop", "pre-compact", "session-start"]);
    assert_eq!(found[0].timeout, Some(3.0));
    let after = settings::with(Some(text.as_bytes()), &claude).unwrap().unwrap();
    assert_eq!(settings::found(&after, &claude).unwrap().len(), 9, "only what is missing is added");
}

#[test]
fn handlers_of_earlier_versions_are_renewed() {
    let claude = layout(Agent::Claude);
    let new = settings::with(None, &claude).unwrap().unwrap();
    let new = String::from_utf8(new).unwrap();
    let stop = "\"stop\"], \"timeout\": 10";
    for member in [", \"async\": true", ",\n    \"async\": true\n", ", \"async\" : true /* sic */"]
    {
        let old = new.replacen(stop, &format!("{stop}{member}"), 1);
        assert_ne!(old, new);
        let after = settings::with(Some(old.as_bytes()), &claude).unwrap().unwrap();
        let after = String::from_utf8(after).unwrap();
        assert!(!after.contains("async"), "{after}");
        assert_eq!(settings::with(Some(after.as_bytes()), &claude).unwrap(), None, "{after}");
        assert_eq!(settings::without(after.as_bytes(), &claude).unwrap(), Without::Nothing);
    }
    // Hooks of others are theirs.
    let other = r#"{"hooks":{"Stop":[{"hooks":[{"command":"lint","async": true}]}]}}"#;
    let after = settings::with(Some(other.as_bytes()), &claude).unwrap().unwrap();
    assert!(String::from_utf8_lossy(&after).contains("\"async\": true"));
}

#[test]
fn what_cannot_be_edited_is_refused() {
    let cases = [
        (Agent::Claude, "[]", (1, 1), "the settings are not an object"),
        (Agent::Claude, "{\"hooks\": []}", (1, 11), "\"hooks\" is not an object"),
        (Agent::Claude, "{\"hooks\":\n {\"Stop\": {}}}", (2, 11), "\"Stop\" is not an array"),
        (Agent::Codex, "{ // c\n}", (1, 3), "a comment, which this agent does not read"),
        (Agent::Codex, "{\"hooks\": {},}", (1, 14), "a comma before this bracket"),
        (Agent::Antigravity, "{\"pimem\": null}", (1, 11), "\"pimem\" is not an object"),
        (Agent::Cursor, "{\"version\": 1", (1, 14), "the file ends in the middle"),
    ];
    for (agent, text, at, what) in cases {
        let refusal = settings::with(Some(text.as_bytes()), &layout(agent)).unwrap_err();
        assert_eq!(
            ((refusal.at.line, refusal.at.column), refusal.what.as_str()),
            (at, what),
            "{text}"
        );
    }
}

/// A pseudo-random generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }
}

/// A generator of random settings.
struct Maker {
    dice: Dice,
    layout: SettingsLayout,
    newline: &'static str,
    unit: &'static str,
    loose: bool,
}

impl Maker {
    fn comments(&self) -> bool {
        self.layout.form.dialect == Dialect::Commented
    }

    /// Returns white space, perhaps with a comment.
    fn gap(&mut self, depth: usize) -> String {
        let newline = format!("{}{}", self.newline, self.unit.repeat(depth));
        match self.dice.below(if self.loose { 8 } else { 1 }) {
            1 => String::new(),
            2 => " ".to_owned(),
            3 if self.comments() => format!(" // it's, a \"comment\" }}{newline}"),
            4 if self.comments() => " /* { */ ".to_owned(),
            5 => format!("{newline}{newline} "),
            _ => newline,
        }
    }

    fn holder(&mut self, depth: usize, brackets: [char; 2], parts: &[String]) -> String {
        let [open, close] = brackets;
        if parts.is_empty() {
            let inside = if self.dice.below(2) == 0 { String::new() } else { self.gap(depth) };
            return format!("{open}{inside}{close}");
        }
        let trailing = self.comments() && self.dice.below(4) == 0;
        let last = parts.len() - 1;
        let mut text = open.to_string();
        for (n, part) in parts.iter().enumerate() {
            text.push_str(&self.gap(depth + 1));
            text.push_str(part);
            if self.loose && self.dice.below(6) == 0 {
                text.push(' ');
            }
            if n < last || trailing {
                text.push(',');
            }
        }
        text.push_str(&self.gap(depth));
        text.push(close);
        text
    }

    fn value(&mut self, depth: usize) -> String {
        match self.dice.below(if depth > 3 { 4 } else { 6 }) {
            0 => "\"a \\\"b\\\" // {\\u00e9\"".to_owned(),
            1 => "-1.5e3".to_owned(),
            2 => self.dice.pick(&["true", "null", "\"\u{fc}\u{1f600}\""]).to_owned(),
            3 | 4 => {
                let parts: Vec<_> =
                    (0..self.dice.below(3)).map(|_| self.value(depth + 1)).collect();
                self.holder(depth, ['[', ']'], &parts)
            }
            _ => {
                let parts: Vec<_> =
                    (0..self.dice.below(3)).map(|_| self.member(depth + 1)).collect();
                self.holder(depth, ['{', '}'], &parts)
            }
        }
    }

    fn member(&mut self, depth: usize) -> String {
        let key = self.dice.pick(&["a", "b", "version", "enabled", "x.y"]);
        format!("\"{key}\":{}{}", self.dice.pick(&["", " "]), self.value(depth))
    }

    /// Returns the array of an event with hooks of the user.
    fn event(&mut self, depth: usize) -> String {
        let name = if self.dice.below(4) == 0 {
            "Other"
        } else {
            let at = usize::try_from(self.dice.below(self.layout.hooks.len() as u64)).unwrap();
            self.layout.hooks[at].event
        };
        let foreign =
            "{\"matcher\": \"\", \"hooks\": [{\"type\": \"command\", \"command\": \"x // y\"}]}";
        let parts: Vec<_> = (0..self.dice.below(3)).map(|_| foreign.to_owned()).collect();
        let array = self.holder(depth, ['[', ']'], &parts);
        format!("\"{name}\": {array}")
    }

    fn settings(&mut self) -> String {
        let mut parts = Vec::new();
        for _ in 0..self.dice.below(4) {
            let part = if self.dice.below(3) > 0 {
                self.member(1)
            } else {
                let mut events: Vec<_> = (0..self.dice.below(4)).map(|_| self.event(2)).collect();
                if self.dice.below(4) == 0 {
                    let at = usize::try_from(self.dice.below(events.len() as u64 + 1)).unwrap();
                    let other = self.dice.pick(&["true", "false"]);
                    events.insert(at, format!("\"enabled\": {other}"));
                }
                let group = self.layout.form.group;
                format!("\"{group}\": {}", self.holder(1, ['{', '}'], &events))
            };
            parts.push(part);
        }
        let start = self.dice.pick(&["", "", "", "\u{feff}", "\n"]).to_owned();
        let end = self.dice.pick(&["", "\n", "\r\n\r\n"]);
        format!("{start}{}{end}", self.holder(0, ['{', '}'], &parts))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_put_in_comes_out(seed: u64, agent in 0_usize..5, loose: bool) {
        let mut dice = Dice(seed);
        let newline = dice.pick(&["\n", "\n", "\r\n", "", " "]);
        let unit = if newline.contains('\n') { dice.pick(&["  ", "    ", "\t", " ", ""]) } else { "" };
        let layout = layout(AGENTS[agent]);
        let mut maker = Maker { dice, layout, newline, unit, loose };
        // A line comment needs a line break at its end.
        maker.loose &= newline.contains('\n');
        let text = maker.settings();
        let after = round(&text, &maker.layout);
        if maker.layout.form.dialect == Dialect::Strict {
            let (before, mut after) = (parsed(&text), parsed(&after));
            remove(&mut after, &maker.layout);
            let mut emptied = before.clone();
            remove(&mut emptied, &maker.layout);
            prop_assert_eq!(emptied, after);
        }
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap()
}

/// Removes our hooks and the containers that become empty, as an oracle.
fn remove(root: &mut Value, layout: &SettingsLayout) {
    let Some(group) = root.get_mut(layout.form.group).and_then(Value::as_object_mut) else {
        return;
    };
    for event in group.values_mut() {
        if let Some(elements) = event.as_array_mut() {
            elements.retain(|element| !element.to_string().contains("pimem hook"));
        }
    }
    group.retain(|_, event| event != &serde_json::json!([]));
    group.remove("enabled");
    if group.is_empty() {
        root.as_object_mut().unwrap().remove(layout.form.group);
    }
}
