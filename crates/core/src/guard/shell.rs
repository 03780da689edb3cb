//! Commands of a shell, as far as a guard reads them: the simple commands that a line runs, also behind
//! `&&`, pipes, `env`, `sudo` and `bash -c`, without what quotes are for.
//!
//! This is a rail and no wall: what a variable, an alias or a script of its own holds is not seen.

/// A command with its operands, as the shell would run it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimpleCommand {
    pub words: Vec<String>,
    /// Files that its output goes to.
    pub written: Vec<String>,
    /// The directory that `cd` has gone to before, as it was typed.
    pub dir: Option<String>,
}

/// Longest line in bytes.
pub const MOST_BYTES: usize = 64 << 10;
/// How deep commands in commands are looked for.
const DEPTH: usize = 4;
/// Words before a command that run it as it is.
const BEFORE: &[&str] = &[
    "sudo", "doas", "env", "nohup", "time", "exec", "command", "builtin", "nice", "xargs", "then",
    "do", "else", "!", "{", "if", "while", "until",
];
/// Options of these that take a word.
const WITH_WORD: &[&str] = &["-u", "-n", "-g", "-C", "-I", "-L", "-P"];
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "fish", "ksh"];

impl SimpleCommand {
    /// Returns the command as a pattern sees it: its words, without what it only says.
    #[must_use]
    pub fn line(&self) -> String {
        let words = self.words.iter();
        let says = match (self.name(), self.words.get(1).map(String::as_str)) {
            ("git", Some(act)) => matches!(act, "commit" | "tag" | "notes" | "stash"),
            (name, _) => matches!(name, "echo" | "printf" | "gh" | "glab"),
        };
        let seen = words.filter(|word| !(says && word.contains(char::is_whitespace)));
        seen.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Returns the name of the program, without its directory.
    #[must_use]
    pub fn name(&self) -> &str {
        let first = self.words.first().map_or("", String::as_str);
        first.rsplit(['/', '\\']).next().unwrap_or(first)
    }

    /// Returns the files that it deletes, moves or writes, as they were typed.
    #[must_use]
    pub fn changed(&self) -> Vec<&str> {
        let (name, skip) = match (self.name(), self.words.get(1).map(String::as_str)) {
            ("git", Some(act @ ("rm" | "mv"))) => (act, 2),
            (name, _) => (name, 1),
        };
        let rest = self.words.get(skip..).unwrap_or_default();
        let operands = || rest.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
        let mut changed: Vec<&str> = match name {
            "rm" | "mv" | "tee" | "truncate" | "unlink" | "rmdir" | "shred" => operands().collect(),
            // What is copied stays; where it goes is the last operand.
            "cp" | "install" | "ln" => operands().next_back().into_iter().collect(),
            // The script is no file, but looks like none that is protected either.
            "sed" | "perl" if rest.iter().any(|word| is_in_place(word)) => operands().collect(),
            _ => Vec::new(),
        };
        changed.extend(self.written.iter().map(String::as_str));
        changed
    }
}

fn is_in_place(word: &str) -> bool {
    let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    word.starts_with("--in-place") || short.is_some_and(|letters| letters.contains('i'))
}

/// Returns the simple commands of a line.
#[must_use]
pub fn commands(line: &str) -> Vec<SimpleCommand> {
    let mut found = Vec::new();
    read(line, None, DEPTH, &mut found);
    found
}

/// Reads a line; returns the directory where it ends.
fn read(
    line: &str,
    mut dir: Option<String>,
    depth: usize,
    found: &mut Vec<SimpleCommand>,
) -> Option<String> {
    let mut pieces = Pieces { rest: line, inner: Vec::new() };
    while let Some((words, written)) = pieces.command() {
        for inner in std::mem::take(&mut pieces.inner) {
            if depth > 0 {
                read(&inner, dir.clone(), depth - 1, found);
            }
        }
        let Some(command) = bare(&words) else {
            if !written.is_empty() {
                found.push(SimpleCommand { written, dir: dir.clone(), ..SimpleCommand::default() });
            }
            continue;
        };
        let command = SimpleCommand { words: command, written, dir: dir.clone() };
        if let Some(script) = script(&command).filter(|_| depth > 0) {
            read(script, dir.clone(), depth - 1, found);
        }
        if matches!(command.name(), "cd" | "pushd") {
            let to = command.words.get(1).map_or("", String::as_str);
            let is_absolute = to.starts_with(['/', '~']);
            let from = dir.filter(|_| !is_absolute);
            dir = Some(from.map_or_else(|| to.to_owned(), |from| format!("{from}/{to}")));
        }
        found.push(command);
    }
    dir
}

/// Returns the script that a shell is given as a word.
fn script(command: &SimpleCommand) -> Option<&str> {
    if command.name() == "eval" {
        return command.words.get(1).map(String::as_str);
    }
    if !SHELLS.contains(&command.name()) {
        return None;
    }
    let is_script = |word: &String| {
        word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.ends_with('c'))
    };
    let at = command.words.iter().position(is_script)?;
    command.words.get(at + 1).map(String::as_str)
}

/// Removes what stands before a command: assignments, and programs that run it. `None` if nothing is
/// left.
fn bare(words: &[String]) -> Option<Vec<String>> {
    let is_assignment = |word: &str| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
    };
    let mut start = 0;
    let mut is_led = false;
    while let Some(word) = words.get(start) {
        let name = word.rsplit('/').next().unwrap_or(word);
        if BEFORE.contains(&name) {
            is_led = true;
        } else if is_led && word.starts_with('-') {
            start += usize::from(WITH_WORD.contains(&word.as_str()));
        } else if !is_assignment(word) {
            break;
        }
        start += 1;
    }
    let rest = words.get(start..)?.to_vec();
    (!rest.is_empty()).then_some(rest)
}

/// What is left of a line, and the commands inside of words that were read.
struct Pieces<'a> {
    rest: &'a str,
    inner: Vec<String>,
}

impl Pieces<'_> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        Some(c)
    }

    /// Returns the words of the next command, and the files that its output goes to.
    fn command(&mut self) -> Option<(Vec<String>, Vec<String>)> {
        let (mut words, mut written) = (Vec::new(), Vec::new());
        if self.rest.is_empty() {
            return None;
        }
        // The word that is read, if one has begun, and whether it is a file that is written.
        let mut word: Option<String> = None;
        let mut to_file = false;
        let mut end = |word: &mut Option<String>, to_file: &mut bool| {
            if let Some(word) = word.take() {
                if std::mem::take(to_file) { written.push(word) } else { words.push(word) }
            }
        };
        while let Some(c) = self.next() {
            match c {
                '\'' => {
                    let (inside, rest) = self.rest.split_once('\'').unwrap_or((self.rest, ""));
                    word.get_or_insert_default().push_str(inside);
                    self.rest = rest;
                }
                '"' => self.quoted(word.get_or_insert_default()),
                '\\' => match self.next() {
                    // A line that goes on.
                    Some('\n') | None => {}
                    Some(c) => word.get_or_insert_default().push(c),
                },
                '$' if self.rest.starts_with('(') => {
                    let inside = self.within_parens();
                    self.inner.push(inside);
                    word.get_or_insert_default();
                }
                '`' => {
                    let (inside, rest) = self.rest.split_once('`').unwrap_or((self.rest, ""));
                    self.inner.push(inside.to_owned());
                    self.rest = rest;
                    word.get_or_insert_default();
                }
                '>' => {
                    // The number of a stream is no word.
                    if word.as_deref().is_some_and(|word| word.parse::<u8>().is_ok()) {
                        word = None;
                    }
                    end(&mut word, &mut to_file);
                    self.rest = self.rest.trim_start_matches(['>', '|']);
                    // A copy of a stream is no file.
                    to_file = !self.rest.starts_with('&');
                    if !to_file {
                        self.rest = self.rest.trim_start_matches(|c: char| {
                            c == '&' || c == '-' || c.is_ascii_digit()
                        });
                    }
                }
                '&' if self.rest.starts_with('>') => end(&mut word, &mut to_file),
                '#' if word.is_none() => {
                    self.rest =
                        self.rest.find('\n').and_then(|at| self.rest.get(at..)).unwrap_or("");
                }
                '\n' | ';' | '|' | '&' | '(' | ')' => {
                    end(&mut word, &mut to_file);
                    return Some((words, written));
                }
                c if c.is_whitespace() => {
                    if !(to_file && word.is_none()) {
                        end(&mut word, &mut to_file);
                    }
                }
                c => word.get_or_insert_default().push(c),
            }
        }
        end(&mut word, &mut to_file);
        Some((words, written))
    }

    /// Reads to the end of double quotes.
    fn quoted(&mut self, word: &mut String) {
        while let Some(c) = self.next() {
            match c {
                '"' => return,
                '\\' => match self.next() {
                    Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                    Some('\n') | None => {}
                    Some(c) => word.extend(['\\', c]),
                },
                '$' if self.rest.starts_with('(') => {
                    let inside = self.within_parens();
                    self.inner.push(inside);
                }
                c => word.push(c),
            }
        }
    }

    /// Reads what stands in parentheses, the first of which is next.
    fn within_parens(&mut self) -> String {
        let mut depth = 0_usize;
        let mut inside = String::new();
        while let Some(c) = self.next() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            inside.push(c);
        }
        inside.trim_start_matches('(').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_commands() {
        for (line, want) in [
            ("git push --force", "git push --force"),
            ("cd x && git push origin main --force", "cd x|git push origin main --force"),
            ("bash -c 'git push -f --force'", "git push -f --force|bash -c git push -f --force"),
            ("sudo -u root env A=1 B=\"c d\" rm -rf /", "rm -rf /"),
            ("FOO=bar make; ls | wc -l", "make|ls|wc -l"),
            ("echo 'git push --force'", "echo"),
            ("git commit -m 'never git push --force' -q", "git commit -m -q"),
            ("psql -c \"DROP TABLE x\"", "psql -c DROP TABLE x"),
            ("a $(git push --force) b", "git push --force|a  b"),
            ("echo \"$(rm x)\" `rm y`", "rm x|rm y|echo  "),
            ("if true; then rm x; fi", "true|rm x|fi"),
            ("(cd a; rm b) # rm c", "cd a|rm b"),
            ("git \\\n push", "git push"),
            ("'unclosed rm", "unclosed rm"),
            (
                "sh -xc \"sh -c 'sh -c \\\"rm x\\\"'\"",
                "rm x|sh -c rm x|sh -c sh -c \"rm x\"|sh -xc sh -c 'sh -c \"rm x\"'",
            ),
            ("find . | xargs -n 1 rm", "find .|rm"),
            ("/usr/bin/git push", "/usr/bin/git push"),
            ("", ""),
        ] {
            let found = commands(line);
            let lines: Vec<String> = found.iter().map(SimpleCommand::line).collect();
            let want: Vec<&str> = want.split('|').filter(|want| !want.is_empty()).collect();
            assert_eq!(lines, want, "{line}");
        }
    }

    #[test]
    fn changed_files() {
        for (line, want) in [
            ("rm -rf a 'b c'", "a,b c"),
            ("git mv a b && git rm -q c", "a,b,c"),
            ("mv a b", "a,b"),
            ("sed -i 's/x/y/' a", "s/x/y/,a"),
            ("sed -n p a", ""),
            ("echo x > a; echo y >>b 2>&1", "a,b"),
            ("cat a | tee -a b >/dev/null", "b,/dev/null"),
            ("cp a b", "b"),
            ("> a", "a"),
            ("make 2> log", "log"),
            ("make &> log", "log"),
            ("echo '> a'", ""),
        ] {
            let found = commands(line);
            let changed: Vec<&str> = found.iter().flat_map(SimpleCommand::changed).collect();
            assert_eq!(changed.join(","), want, "{line}");
        }
        let dirs: Vec<_> =
            commands("cd a; cd b && rm c; cd /d; ls").into_iter().map(|one| one.dir).collect();
        let some = |dir: &str| Some(dir.to_owned());
        assert_eq!(dirs, [None, some("a"), some("a/b"), some("a/b"), some("/d")]);
    }
}
