//! Detection of git attributes that convert files on checkout.
//!
//! If a file in the work tree differs from git's object, a line that git brought looks like a line
//! that git does not have.

/// Attributes that change more than line ends.
const CONVERSIONS: [&str; 3] = ["filter", "ident", "working-tree-encoding"];

/// Returns true if an attributes file converts topic files, or may.
pub(super) fn convert(bytes: &[u8]) -> bool {
    String::from_utf8_lossy(bytes).lines().map(str::trim).any(|line| {
        let Some((pattern, attributes)) = line.split_once([' ', '\t']) else { return false };
        !line.starts_with('#')
            && concerns(pattern)
            && attributes.split([' ', '\t']).any(|attribute| {
                let name = attribute.split('=').next().unwrap_or_default();
                CONVERSIONS.contains(&name)
            })
    })
}

/// Returns true if a pattern may match the name of a topic file. Macros and quoted patterns always
/// may.
fn concerns(pattern: &str) -> bool {
    let end = pattern.len().checked_sub(3).and_then(|at| pattern.get(at..));
    let Some(end) = end else { return true };
    let literal = end.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    !literal || pattern.starts_with("[attr]") || end.eq_ignore_ascii_case(".md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions() {
        for (line, want) in [
            ("*.md ident", true),
            ("*.md\tident", true),
            ("  *.md  text ident", true),
            ("* filter=lfs", true),
            ("*.MD filter=x", true),
            ("**/* working-tree-encoding=UTF-7", true),
            (".pi/** filter=git-crypt diff=git-crypt", true),
            (".pi/memory/topics/lessons.md ident", true),
            ("\"a b\" ident", true),
            ("[attr]x ident", true),
            ("*.m[d] ident", true),
            ("md ident", true),
            ("*.psd filter=lfs diff=lfs merge=lfs -text", false),
            ("*.png filter=lfs", false),
            ("# *.md ident", false),
            ("*.md -ident", false),
            ("*.md !filter", false),
            ("*.md text eol=crlf merge=union", false),
            ("* text=auto", false),
            ("*.md identity", false),
            ("*.md", false),
            ("", false),
        ] {
            let text = format!("*.rs diff=rust\r\n{line}\r\n");
            assert_eq!(convert(text.as_bytes()), want, "{line}");
        }
    }
}
