//! Bundles: objects as JSON lines, after a line that names the format and the project.

use serde::{Deserialize, Serialize};

use super::{
    check::{Reason, Refused},
    wire::SyncObject,
};

/// Name of the format.
pub const SCHEMA: &str = "pimem.bundle/1";
/// Maximum length of a line in bytes. An object of allowed length fits, whatever is escaped.
pub const LONGEST_LINE: usize = 128 * 1024;

/// The first line of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub schema: String,
    /// Short name of the project, if it has one.
    #[serde(default)]
    pub project: Option<String>,
}

impl Header {
    #[must_use]
    pub fn new(project: Option<String>) -> Self {
        Self { schema: SCHEMA.to_owned(), project }
    }

    /// Parses the first line. `None` if it does not begin a bundle of this version.
    #[must_use]
    pub fn read(line: &[u8]) -> Option<Self> {
        let header: Self = serde_json::from_slice(line).ok()?;
        (header.schema == SCHEMA).then_some(header)
    }
}

/// Parses any later line.
///
/// # Errors
/// If the line is too long or is not an object of a bundle. `number` names it.
pub fn read(line: &[u8], number: usize) -> Result<SyncObject, Refused> {
    let refuse = |reason, detail| {
        Err(Refused { kind: "line".to_owned(), id: number.to_string(), reason, detail })
    };
    if line.len() > LONGEST_LINE {
        return refuse(Reason::TooLong, format!("the line is longer than {LONGEST_LINE} bytes"));
    }
    match serde_json::from_slice(line) {
        Ok(object) => Ok(object),
        Err(error) => refuse(Reason::BadLine, format!("the line is not an object: {error}")),
    }
}

/// Returns a header or object as a line with its end.
pub fn write(part: &impl Serialize) -> String {
    let mut line = serde_json::to_string(part).unwrap_or_default();
    line.push('\n');
    line
}
