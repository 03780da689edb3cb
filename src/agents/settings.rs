//! Adds and removes our hooks in an agent's settings file. Bytes in, bytes out, without
//! reformatting. Pure.
//!
//! Removal restores the original bytes, so our parts must be recognisable: hooks by their command,
//! with the white space before them, and brackets by their form. Brackets that we add have white
//! space before the closing one; in empty brackets of the user we write directly before the closing
//! one. In non-empty brackets, new parts go after the last one, white space first.

use std::{borrow::Cow, ops::Range};

use pimem_core::exchange::json::{
    self, Dialect, JsonKind, JsonPart, Position, Value, cut, position, scan,
};

use super::{Agent, AgentEvent};

/// How the settings file of an agent holds hooks.
#[derive(Debug)]
pub(crate) struct SettingsForm {
    pub(crate) dialect: Dialect,
    /// Member of the root object that holds the events.
    pub(crate) group: &'static str,
    /// Last member of the group if we create the group: name and value.
    pub(crate) inner: Option<(&'static str, &'static str)>,
    /// Member after the group if we create the group: name and value.
    pub(crate) beside: Option<(&'static str, &'static str)>,
    /// Member of our handlers that earlier versions wrote: name and value.
    pub(crate) obsolete: Option<(&'static str, &'static str)>,
    /// Setting that disables all hooks: path of names, and value.
    pub(crate) off: Option<(&'static [&'static str], &'static str)>,
    /// Returns the element of an event's array, as one line of JSON.
    pub(crate) element: fn(&AgentEvent) -> String,
}

impl SettingsForm {
    pub(crate) const USUAL: Self = Self {
        dialect: Dialect::Strict,
        group: "hooks",
        inner: None,
        beside: None,
        obsolete: None,
        off: None,
        element: |_| String::new(),
    };
}

pub(crate) fn handler(agent: Agent, event: &AgentEvent) -> String {
    let (command, seconds) = (agent.command(event.word), event.seconds);
    format!("{{\"type\": \"command\", \"command\": \"{command}\", \"timeout\": {seconds}}}")
}

/// Like [`handler`], with a name that the agent shows. `timeout` is in the unit of the agent.
pub(crate) fn named_handler(agent: Agent, event: &AgentEvent, timeout: u32) -> String {
    let command = agent.command(event.word);
    format!(
        "{{\"type\": \"command\", \"name\": \"pimem\", \"command\": \"{command}\", \"timeout\": {timeout}}}"
    )
}

/// Returns a handler in a group with the tools after which it is called.
pub(crate) fn grouped(event: &AgentEvent, handler: &str) -> String {
    match event.matcher {
        Some(matcher) => format!("{{\"matcher\": \"{matcher}\", \"hooks\": [{handler}]}}"),
        None => format!("{{\"hooks\": [{handler}]}}"),
    }
}

/// What a settings file should contain, and where.
#[derive(Debug, Clone)]
pub(crate) struct SettingsLayout {
    pub(crate) agent: Agent,
    pub(crate) form: &'static SettingsForm,
    /// Hooks to install.
    pub(crate) hooks: Vec<Hook>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hook {
    /// Name of the event in the agent's settings.
    pub(crate) event: &'static str,
    /// Our name of the event, the last word of the command.
    pub(crate) word: &'static str,
    /// Element of the event's array, as one line of JSON.
    pub(crate) element: String,
}

/// A hook of ours found in a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundHook {
    /// Name of the event in the agent's settings.
    pub(crate) event: String,
    /// Program, or the shell command line if `args` is `None`.
    pub(crate) command: String,
    /// Arguments of the program.
    pub(crate) args: Option<Vec<String>>,
    /// Our name of the event, from the command.
    pub(crate) word: String,
    /// Time limit in the agent's unit.
    pub(crate) timeout: Option<f64>,
}

/// The reason why a file is not edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettingsRefusal {
    pub(crate) at: Position,
    pub(crate) what: String,
}

/// A file after our hooks were removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Without {
    /// Unchanged: the file has none of our hooks.
    Same,
    Bytes(Vec<u8>),
    /// The file should be deleted: it contained nothing else and did not exist before.
    Nothing,
}

pub(crate) fn found(
    bytes: &[u8],
    layout: &SettingsLayout,
) -> Result<Vec<FoundHook>, SettingsRefusal> {
    let Some(root) = root(bytes, layout)? else { return Ok(Vec::new()) };
    Ok(handlers(&root, layout)
        .filter_map(|(event, handler)| ours(bytes, handler, layout, event))
        .collect())
}

/// Calls `visit` with the name of the event, the position and the value of each element.
pub(crate) fn each_element(
    bytes: &[u8],
    layout: &SettingsLayout,
    mut visit: impl FnMut(&str, usize, &Value),
) -> Result<(), SettingsRefusal> {
    if let Some(root) = root(bytes, layout)? {
        elements(&root, layout).for_each(|(event, at, element)| visit(event, at, element));
    }
    Ok(())
}

/// Returns true if a handler of ours is of an earlier version.
pub(crate) fn is_outdated(bytes: &[u8], layout: &SettingsLayout) -> bool {
    renewed(bytes, layout).is_ok_and(|renewed| matches!(renewed, Cow::Owned(_)))
}

/// Returns the elements of all events, each with the name of its event and its position.
fn elements<'a>(
    root: &'a Value,
    layout: &SettingsLayout,
) -> impl Iterator<Item = (&'a str, usize, &'a Value)> {
    let events = groups(root, layout).flat_map(|group| group.value.parts());
    events.flat_map(|event| {
        let name = event.key.as_deref().unwrap_or_default();
        let elements = event.value.parts().iter().enumerate();
        elements.map(move |(at, element)| (name, at, &element.value))
    })
}

/// Returns all handlers of hooks, each with the name of its event.
fn handlers<'a>(
    root: &'a Value,
    layout: &SettingsLayout,
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    elements(root, layout).flat_map(|(name, _, element)| {
        let inner = element.member("hooks").map_or(&[][..], Value::parts);
        [element].into_iter().chain(inner.iter().map(|part| &part.value)).map(move |h| (name, h))
    })
}

/// Returns the file with our handlers as today's version writes them.
fn renewed<'a>(bytes: &'a [u8], layout: &SettingsLayout) -> Result<Cow<'a, [u8]>, SettingsRefusal> {
    let (Some(obsolete), Some(root)) = (layout.form.obsolete, root(bytes, layout)?) else {
        return Ok(Cow::Borrowed(bytes));
    };
    let mut cuts = Vec::new();
    for (event, handler) in handlers(&root, layout) {
        if ours(bytes, handler, layout, event).is_some() {
            let is_obsolete = |part: &JsonPart| is_member(bytes, part, obsolete);
            let gone: Vec<bool> = handler.parts().iter().map(is_obsolete).collect();
            cut(bytes, handler.parts(), &gone, &mut cuts);
        }
    }
    let changed = !cuts.is_empty();
    Ok(if changed { json::without(bytes, cuts).into() } else { Cow::Borrowed(bytes) })
}

/// Returns true if the file disables all hooks.
pub(crate) fn is_off(bytes: &[u8], layout: &SettingsLayout) -> bool {
    let (Some((names, value)), Ok(Some(root))) = (layout.form.off, root(bytes, layout)) else {
        return false;
    };
    let found = names.iter().try_fold(&root, |value, name| value.member(name));
    found.and_then(|found| bytes.get(found.span.clone())) == Some(value.as_bytes())
}

/// Returns the file with our hooks; `None` if it already has all of them. `before` is `None` if
/// there is no file yet.
pub(crate) fn with(
    before: Option<&[u8]>,
    layout: &SettingsLayout,
) -> Result<Option<Vec<u8>>, SettingsRefusal> {
    let renewed = renewed(before.unwrap_or_default(), layout)?;
    let is_renewed = matches!(renewed, Cow::Owned(_));
    let bytes: &[u8] = &renewed;
    let there = found(bytes, layout)?;
    let is_missing = |hook: &&Hook| {
        !there.iter().any(|found| found.event == hook.event && found.word == hook.word)
    };
    let missing: Vec<&Hook> = layout.hooks.iter().filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(is_renewed.then(|| renewed.into_owned()));
    }
    let Some(root) = root(bytes, layout)? else {
        let fresh = Fresh::Block("{".to_owned(), fresh_group(layout, None, &missing), '}');
        let text = fresh.render(&Style::new(), "");
        let end = if before.is_none() { "\n" } else { "" };
        return Ok(Some([bytes, text.as_bytes(), end.as_bytes()].concat()));
    };
    let style = Style::of(bytes, &root);
    let mut splices = Vec::new();
    match groups(&root, layout).last() {
        None => {
            let group = fresh_group(layout, Some(&root), &missing);
            append(bytes, &root, &style, &group, &mut splices);
        }
        Some(group) => {
            let mut new = Vec::new();
            for hook in missing {
                match group.value.member(hook.event) {
                    None => new.push(fresh_event(hook)),
                    Some(event) if matches!(event.kind, JsonKind::Array(_)) => {
                        let element = Fresh::Line(hook.element.clone());
                        append(bytes, event, &style, &[element], &mut splices);
                    }
                    Some(event) => {
                        let what = format!("{:?} is not an array", hook.event);
                        return Err(SettingsRefusal {
                            at: position(bytes, event.span.start),
                            what,
                        });
                    }
                }
            }
            append(bytes, &group.value, &style, &new, &mut splices);
        }
    }
    let after = spliced(bytes, splices);
    // Refuse an edit that could not be undone exactly.
    let back = if there.is_empty() { without(&after, layout)? } else { Without::Same };
    let unsafe_edit = match back {
        Without::Bytes(back) => back != bytes,
        Without::Nothing => before.is_some(),
        Without::Same => there.is_empty(),
    };
    if unsafe_edit || found(&after, layout)?.len() < layout.hooks.len() {
        let what = "this form cannot be edited safely".to_owned();
        return Err(SettingsRefusal { at: Position { line: 1, column: 1 }, what });
    }
    Ok(Some(after))
}

/// Returns the file without our hooks.
pub(crate) fn without(bytes: &[u8], layout: &SettingsLayout) -> Result<Without, SettingsRefusal> {
    let Some(root) = root(bytes, layout)? else { return Ok(Without::Same) };
    let mut cuts = Vec::new();
    let members = root.parts();
    let mut gone = vec![false; members.len()];
    for (member, is_gone) in members.iter().zip(&mut gone) {
        if member.key.as_deref() == Some(layout.form.group) {
            *is_gone = cut_group(bytes, &member.value, layout, &mut cuts);
        }
    }
    // The member after the group was added with it.
    if let [.., true, behind] = gone.as_mut_slice() {
        *behind |= is_last(bytes, members, layout.form.beside);
    }
    if !members.is_empty() && gone.iter().all(|gone| *gone) && is_ours(bytes, &root) {
        let start = bytes.get(..root.span.start).unwrap_or_default();
        let end = bytes.get(root.span.end..).unwrap_or_default();
        // A file that was blank gets what we write, without a line break at its end. If the agent
        // has written that anew, nothing tells whether there was a file.
        let was_blank = || with(Some(b""), layout).is_ok_and(|new| new.as_deref() == Some(bytes));
        if start.is_empty() && (end == b"\n" || (end.is_empty() && !was_blank())) {
            return Ok(Without::Nothing);
        }
        return Ok(Without::Bytes([start, end].concat()));
    }
    cut(bytes, members, &gone, &mut cuts);
    if cuts.is_empty() {
        return Ok(Without::Same);
    }
    let after = json::without(bytes, cuts);
    match found(&after, layout) {
        Ok(left) if left.is_empty() => Ok(Without::Bytes(after)),
        _ => Err(SettingsRefusal {
            at: Position { line: 1, column: 1 },
            what: "this form cannot be edited safely".to_owned(),
        }),
    }
}

/// Returns the root object; `None` if the file is blank.
fn root(bytes: &[u8], layout: &SettingsLayout) -> Result<Option<Value>, SettingsRefusal> {
    let refuse =
        |at, what: &str| SettingsRefusal { at: position(bytes, at), what: what.to_owned() };
    let root = scan(bytes, layout.form.dialect).map_err(|fault| refuse(fault.at, fault.what))?;
    let Some(root) = root else { return Ok(None) };
    if !matches!(root.kind, JsonKind::Object(_)) {
        return Err(refuse(root.span.start, "the settings are not an object"));
    }
    let odd = groups(&root, layout).find(|group| !matches!(group.value.kind, JsonKind::Object(_)));
    if let Some(odd) = odd {
        let what = format!("{:?} is not an object", layout.form.group);
        return Err(refuse(odd.value.span.start, &what));
    }
    Ok(Some(root))
}

/// Returns all members with the group's name. Agents read the last, but our hooks may be in any.
fn groups<'a>(root: &'a Value, layout: &SettingsLayout) -> impl Iterator<Item = &'a JsonPart> {
    let name = layout.form.group;
    root.parts().iter().filter(move |part| part.key.as_deref() == Some(name))
}

/// Returns the hook if the object runs pimem for this agent.
pub(super) fn ours(
    bytes: &[u8],
    value: &Value,
    layout: &SettingsLayout,
    event: &str,
) -> Option<FoundHook> {
    let command = value.member("command")?.text()?;
    let listed: Option<Vec<String>> = value.member("args").map(|args| {
        args.parts().iter().filter_map(|part| part.value.text()).map(str::to_owned).collect()
    });
    let (program, words): (&str, Vec<&str>) = if let Some(args) = &listed {
        (command, args.iter().map(String::as_str).collect())
    } else {
        let (program, rest) = split(command)?;
        (program, rest.split_whitespace().collect())
    };
    let name = program.rsplit(['/', '\\']).next()?;
    let [hook, agent, word] = *words else { return None };
    if !matches!(name, "pimem" | "pimem.exe") || hook != "hook" || agent != layout.agent.name() {
        return None;
    }
    let timeout = value.member("timeout").and_then(|timeout| bytes.get(timeout.span.clone()));
    Some(FoundHook {
        event: event.to_owned(),
        command: command.to_owned(),
        word: word.to_owned(),
        timeout: timeout.and_then(|text| serde_json::from_slice(text).ok()),
        args: listed,
    })
}

/// Splits a shell command line into the program, which may be quoted, and the rest.
pub(crate) fn split(line: &str) -> Option<(&str, &str)> {
    match line.trim_start().strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split_once(['"', '\'']),
        None => line.trim_start().split_once(' '),
    }
}

/// Cuts our hooks out of the events of a group. Returns true if nothing of the group is left to
/// keep.
fn cut_group(
    bytes: &[u8],
    group: &Value,
    layout: &SettingsLayout,
    cuts: &mut Vec<Range<usize>>,
) -> bool {
    let is_hook = |value: &Value| ours(bytes, value, layout, "").is_some();
    let events = group.parts();
    let mut gone = vec![false; events.len()];
    for (event, event_gone) in events.iter().zip(&mut gone) {
        let elements = event.value.parts();
        let mut out = Vec::with_capacity(elements.len());
        for element in elements {
            let inner = element.value.member("hooks").map_or(&[][..], Value::parts);
            let of_inner: Vec<bool> = inner.iter().map(|part| is_hook(&part.value)).collect();
            let all = !of_inner.is_empty() && of_inner.iter().all(|ours| *ours);
            if !all {
                cut(bytes, inner, &of_inner, cuts);
            }
            out.push(all || is_hook(&element.value));
        }
        let all = !out.is_empty() && out.iter().all(|ours| *ours);
        *event_gone = all && is_ours(bytes, &event.value);
        if !*event_gone {
            cut(bytes, elements, &out, cuts);
        }
    }
    if let [rest @ .., inner] = gone.as_mut_slice()
        && !rest.is_empty()
        && rest.iter().all(|gone| *gone)
    {
        *inner |= is_last(bytes, events, layout.form.inner);
    }
    let all = !gone.is_empty() && gone.iter().all(|gone| *gone);
    if all && is_ours(bytes, group) {
        return true;
    }
    cut(bytes, events, &gone, cuts);
    false
}

/// Returns true if the last member has this name and value.
fn is_last(bytes: &[u8], members: &[JsonPart], wanted: Option<(&str, &str)>) -> bool {
    members.last().zip(wanted).is_some_and(|(last, wanted)| is_member(bytes, last, wanted))
}

/// Returns true if a member has this name and value.
fn is_member(bytes: &[u8], part: &JsonPart, (name, value): (&str, &str)) -> bool {
    let text = bytes.get(part.value.span.clone()).unwrap_or_default();
    part.key.as_deref() == Some(name) && text == value.as_bytes()
}

fn fresh_event(hook: &Hook) -> Fresh {
    let element = Fresh::Line(hook.element.clone());
    Fresh::Block(format!("\"{}\": [", hook.event), vec![element], ']')
}

/// Returns the group, and the member after it if that is missing.
fn fresh_group(layout: &SettingsLayout, root: Option<&Value>, hooks: &[&Hook]) -> Vec<Fresh> {
    let line = |(name, value): (&str, &str)| Fresh::Line(format!("\"{name}\": {value}"));
    let events = hooks.iter().map(|hook| fresh_event(hook));
    let parts = events.chain(layout.form.inner.map(line)).collect();
    let group = Fresh::Block(format!("\"{}\": {{", layout.form.group), parts, '}');
    let is_missing = |(name, _): &(&str, &str)| root.is_none_or(|root| root.member(name).is_none());
    [group].into_iter().chain(layout.form.beside.filter(is_missing).map(line)).collect()
}

/// Text to insert at a byte offset.
type Splice = (usize, String);

/// Returns the bytes with the splices inserted.
fn spliced(bytes: &[u8], mut splices: Vec<Splice>) -> Vec<u8> {
    splices.sort_by_key(|(at, _)| *at);
    let mut after = Vec::with_capacity(bytes.len() + 2048);
    let mut done = 0;
    for (at, text) in splices {
        after.extend_from_slice(bytes.get(done..at).unwrap_or_default());
        after.extend_from_slice(text.as_bytes());
        done = at;
    }
    after.extend_from_slice(bytes.get(done..).unwrap_or_default());
    after
}

/// Returns true if the brackets were added with our hooks.
fn is_ours(bytes: &[u8], holder: &Value) -> bool {
    let end = holder.parts().last().map_or(holder.span.end, JsonPart::end);
    let rest = bytes.get(end..holder.span.end.saturating_sub(1)).unwrap_or_default();
    !rest.is_empty() && rest.trim_ascii().is_empty()
}

/// The formatting of a file: line breaks, indentation, and whether all is on one line.
struct Style {
    newline: &'static str,
    unit: String,
    flat: bool,
}

impl Style {
    fn new() -> Self {
        Self { newline: "\n", unit: "  ".to_owned(), flat: false }
    }

    fn of(bytes: &[u8], root: &Value) -> Self {
        let end = memchr::memchr(b'\n', bytes).and_then(|end| bytes.get(end.checked_sub(1)?));
        let newline = if end == Some(&b'\r') { "\r\n" } else { "\n" };
        let Some(first) = root.parts().first() else {
            return Self { newline, unit: "  ".to_owned(), flat: false };
        };
        let flat = !has_newline(bytes, first);
        let indent = if flat { String::new() } else { indent(bytes, first.start) };
        let unit = if indent.is_empty() { "  ".to_owned() } else { indent };
        Self { newline, unit, flat }
    }

    fn separator(&self, indent: &str) -> String {
        if self.flat { " ".to_owned() } else { format!("{}{indent}", self.newline) }
    }
}

/// Returns true if the part begins on a new line.
fn has_newline(bytes: &[u8], part: &JsonPart) -> bool {
    bytes.get(part.lead..part.start).unwrap_or_default().contains(&b'\n')
}

/// Returns the leading white space of the line that contains the byte `at`.
fn indent(bytes: &[u8], at: usize) -> String {
    let before = bytes.get(..at).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let line = before.get(start..).unwrap_or_default();
    line.iter().take_while(|byte| b" \t".contains(byte)).map(|byte| char::from(*byte)).collect()
}

/// JSON to insert.
enum Fresh {
    /// Text inserted verbatim.
    Line(String),
    /// Text up to the opening bracket, parts, and the closing bracket.
    Block(String, Vec<Fresh>, char),
}

impl Fresh {
    /// Renders the text. The caller has indented the first line.
    fn render(&self, style: &Style, indent: &str) -> String {
        match self {
            Self::Line(line) => line.clone(),
            Self::Block(open, parts, close) => {
                let inner = format!("{indent}{}", style.unit);
                let separator = style.separator(&inner);
                let parts: Vec<String> =
                    parts.iter().map(|part| part.render(style, &inner)).collect();
                let body = parts.join(&format!(",{separator}"));
                format!("{open}{separator}{body}{}{close}", style.separator(indent))
            }
        }
    }
}

/// Appends parts after those in the brackets.
fn append(bytes: &[u8], holder: &Value, style: &Style, fresh: &[Fresh], splices: &mut Vec<Splice>) {
    if fresh.is_empty() {
        return;
    }
    let Some(last) = holder.parts().last() else {
        let inner = format!("{}{}", indent(bytes, holder.span.start), style.unit);
        let parts: Vec<String> = fresh.iter().map(|part| part.render(style, &inner)).collect();
        let text = parts.join(&format!(",{}", style.separator(&inner)));
        splices.push((holder.span.end - 1, text));
        return;
    };
    let (anchor, in_comment) = after_comments(bytes, last.end());
    let flat = !has_newline(bytes, last) && !in_comment;
    let inner = indent(bytes, last.start);
    let style = Style { newline: style.newline, unit: style.unit.clone(), flat };
    let separator = style.separator(&inner);
    let parts: Vec<String> = fresh.iter().map(|part| part.render(&style, &inner)).collect();
    if last.comma.is_some() {
        // Keep the trailing comma of a file that uses one.
        let separated = parts.iter().flat_map(|part| [separator.as_str(), part, ","]);
        splices.push((anchor, separated.collect()));
    } else {
        splices.push((last.value.span.end, ",".to_owned()));
        splices.push((anchor, format!("{separator}{}", parts.join(&format!(",{separator}")))));
    }
}

/// Returns the end of the comments that follow on the same line, and whether the last one extends
/// to the end of the line.
fn after_comments(bytes: &[u8], at: usize) -> (usize, bool) {
    let mut end = at;
    loop {
        let rest = bytes.get(end..).unwrap_or_default();
        let blank = rest.iter().take_while(|byte| b" \t".contains(byte)).count();
        let rest = rest.get(blank..).unwrap_or_default();
        if rest.starts_with(b"//") {
            let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            return (end + blank + length, true);
        }
        let Some(close) = memchr::memmem::find(rest, b"*/").filter(|_| rest.starts_with(b"/*"))
        else {
            return (end, false);
        };
        end += blank + close + 2;
    }
}
