//! Parses the table of additional categories.

use serde_json::{Map, Value};

use super::{file::short, invalid::Unusable, layers::Origin, schema::CATEGORY_FIELDS};
use pimem_core::{
    exchange::json_position::{self, Lines},
    model::category::{CategorySpec, FILL},
};

/// Returns the valid categories of a table; `text` is the file that contains it, if any. An invalid
/// field gets its default, and a category with an invalid name is skipped.
pub(super) fn read(
    table: &Map<String, Value>,
    origin: &Origin,
    text: Option<&str>,
    unusable: &mut Vec<Unusable>,
) -> Vec<CategorySpec> {
    let lines = text.map(Lines::new);
    let mut specs = Vec::new();
    for (name, value) in table {
        let mut complain = |field: Option<&str>, message: String, hint: String| {
            let path = ["categories", name].into_iter().chain(field).collect::<Vec<_>>().join(".");
            let line = lines.as_ref().map(|lines| lines.of(&path));
            let origin = origin.clone();
            unusable.push(Unusable { origin, line, whole: false, message, hint });
        };
        specs.extend(category(name, value, &mut complain));
    }
    specs
}

/// Callback for problems: the field, if it is about one, the message, and the hint.
type Complain<'a> = dyn FnMut(Option<&str>, String, String) + 'a;

/// Hint on valid names.
const NAMES: &str = "names are 1 to 64 of a-z, 0-9 and -";

fn category(name: &str, value: &Value, complain: &mut Complain<'_>) -> Option<CategorySpec> {
    let fields_known = || {
        let names: Vec<&str> = CATEGORY_FIELDS.iter().map(|(name, _)| *name).collect();
        format!("the fields are {}", names.join(", "))
    };
    if !is_name(name) {
        let message = format!("categories.{}: not a usable name", short(name));
        complain(None, message, NAMES.to_owned());
        return None;
    }
    let Value::Object(fields) = value else {
        complain(None, format!("categories.{name} is not an object"), fields_known());
        return None;
    };
    let known = |field: &&String| CATEGORY_FIELDS.iter().any(|(name, _)| name == field);
    for field in fields.keys().filter(|field| !known(field)) {
        let near = json_position::closest(field, CATEGORY_FIELDS.iter().map(|(name, _)| *name));
        let hint = near.map_or_else(fields_known, |name| format!("did you mean {name}?"));
        complain(Some(field), format!("unknown key categories.{name}.{}", short(field)), hint);
    }
    let mut wrong = |field: &str, value: &Value, hint: &str| {
        let message = format!("categories.{name}.{field} is {}", short(&value.to_string()));
        complain(Some(field), message, hint.to_owned());
    };
    let mut get = |field: &str, fits: fn(&Value) -> bool, hint: &str| {
        let value = fields.get(field)?;
        if fits(value) {
            return Some(value);
        }
        wrong(field, value, hint);
        None
    };
    let above_0 = |value: &Value| value.as_f64().is_some_and(|n| n.is_finite() && n > 0.0);
    let topic = get("topic", |value| value.as_str().is_some_and(is_name), NAMES);
    let tau_days = get("tauDays", above_0, "it takes a number above 0");
    let max_active = get("maxActive", Value::is_u64, "it takes a whole number");
    let section = get("section", Value::is_string, "it takes a text");
    let section_tokens = get("sectionTokens", Value::is_u64, "it takes a whole number");
    let window_days = get("windowDays", above_0, "it takes a number above 0");
    let fill = get("fill", above_0, "it takes a number above 0");
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or(name).to_owned();
    let whole = |value: Option<&Value>, default| value.and_then(Value::as_u64).unwrap_or(default);
    Some(CategorySpec {
        name: name.to_owned().into(),
        section: text(section).into(),
        topic: text(topic).into(),
        tau_days: tau_days.and_then(Value::as_f64).unwrap_or(30.0),
        max_active: usize::try_from(whole(max_active, 4)).unwrap_or(usize::MAX),
        section_tokens: u32::try_from(whole(section_tokens, 200)).unwrap_or(u32::MAX),
        window_days: window_days.and_then(Value::as_f64),
        fill: fill.and_then(Value::as_f64).unwrap_or(FILL),
    })
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}
