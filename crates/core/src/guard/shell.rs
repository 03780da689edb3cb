//! Commands of a shell, as far as a guard reads them: the simple commands that a line runs, also behind
//! `&&`, pipes, `env`, `sudo` and `bash -c`, without what quotes are for.
//!
//! This is a rail and no wall: what a variable, an alias or a script of its own holds is not seen.

use std::borrow::Cow;

/// A command with its operands, as the shell would run it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimpleCommand {
    pub words: Vec<String>,
    /// Files that its output goes to.
    pub written: Vec<String>,
    /// The directory that it runs in, by `cd` before it or an option, as it was typed.
    pub dir: Option<String>,
    /// The here-document that it reads: the lines below `<<`.
    pub input: Option<String>,
}

/// Files that a command changes, as they were typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedFiles<'a> {
    pub written: Vec<Cow<'a, str>>,
    /// Files and directories that are deleted or moved away.
    pub removed: Vec<Cow<'a, str>>,
}

/// How a program changes the files that its words name.
#[derive(Debug, Clone, Copy)]
enum FileAct {
    Removes,
    /// All but the last, which they go to.
    Moves,
    Copies,
    Writes,
    /// The first; what follows is put into it.
    Fills,
    /// Those that an option of this letter or name names.
    Saves(char, &'static str),
}

/// Programs, and the cmdlets of PowerShell with their short names.
const PROGRAMS: &[(FileAct, &[&str])] = &[
    (
        FileAct::Removes,
        &["rm", "rmdir", "unlink", "shred", "del", "erase", "rd", "ri", "remove-item"],
    ),
    (FileAct::Moves, &["mv", "move", "mi", "move-item", "ren", "rni", "rename-item"]),
    (FileAct::Copies, &["cp", "install", "ln", "rsync", "scp", "copy", "cpi", "copy-item"]),
    (FileAct::Writes, &["tee", "truncate", "patch", "touch"]),
    (
        FileAct::Fills,
        &[
            "set-content",
            "sc",
            "add-content",
            "ac",
            "out-file",
            "tee-object",
            "clear-content",
            "clc",
            "new-item",
            "ni",
        ],
    ),
    (FileAct::Saves('o', "--output"), &["curl", "sort"]),
    (FileAct::Saves('O', "--output-document"), &["wget"]),
];
/// Options of cmdlets and programs that name the file that is filled, and what others go to.
const FILE: &[&str] = &["-path", "-literalpath", "-filepath"];
const TO: &[&str] = &["-destination", "-newname", "-t", "--target-directory"];

/// Longest line in bytes.
pub const MOST_BYTES: usize = 64 << 10;
/// How deep commands in commands are looked for.
const DEPTH: usize = 4;
/// Words before a command that run it as it is.
const BEFORE: &[&str] = &[
    "sudo", "doas", "env", "nohup", "time", "exec", "command", "builtin", "nice", "xargs", "then",
    "do", "else", "elif", "!", "{", "if", "while", "until", "timeout", "watch", "setsid", "stdbuf",
    "coproc", "cmd",
];
/// Options of these that take a word.
const WITH_WORD: &[&str] = &["-u", "-n", "-g", "-C", "-I", "-L", "-P"];
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "fish", "ksh", "pwsh", "powershell"];
/// Programs that search, and so only name what they look for.
const SEARCHES: &[&str] = &["grep", "egrep", "fgrep", "rg", "ag", "ack"];
/// Programs that keep or send what they read, and do not act on it.
const KEEPS: &[&str] = &["cat", "tee", "patch", "git", "gh", "glab"];
/// Options that take a word and stand before what a program does.
const OPTIONS: &[(&str, &[&str])] = &[
    ("cargo", &["--color", "--config", "--manifest-path", "-Z"]),
    ("docker", &["--context", "--host", "-H"]),
    ("git", &["--git-dir", "--work-tree", "-C", "-c"]),
    ("go", &["-C"]),
    ("kubectl", &["--context", "--kubeconfig", "--namespace", "-n"]),
    ("make", &["-C", "-f"]),
    ("npm", &["--prefix", "--workspace", "-C", "-w"]),
    ("pnpm", &["--dir", "--filter", "-C", "-F"]),
    ("poetry", &["--directory", "-C"]),
    ("uv", &["--directory", "--project"]),
    ("yarn", &["--cwd"]),
];

impl SimpleCommand {
    /// Returns the command as a pattern sees it: its words, without what it only says; once more without
    /// the options before what it does, if it has any; and lines that the program acts on.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let act = self.act();
        let says = match (self.name(), self.words.get(act).map(String::as_str)) {
            ("git", Some(act)) => {
                matches!(act, "commit" | "tag" | "notes" | "stash" | "log" | "grep")
            }
            (name, _) => {
                matches!(name, "echo" | "printf" | "gh" | "glab") || SEARCHES.contains(&name)
            }
        };
        let seen = |word: &&String| !(says && word.contains(char::is_whitespace));
        let line = |from: usize| {
            let words = self.words.iter().take(1).chain(self.words.iter().skip(from));
            words.filter(seen).map(String::as_str).collect::<Vec<_>>().join(" ")
        };
        // What a shell is given is looked at by itself.
        let is_kept = [KEEPS, SEARCHES, SHELLS].iter().any(|names| names.contains(&self.name()));
        let input = self.input.iter().filter(move |_| !is_kept).flat_map(|input| input.lines());
        let lines = std::iter::once(line(1)).chain((act > 1).then(|| line(act)));
        lines.chain(input.map(str::to_owned))
    }

    /// Returns the name of the program, without its directory.
    #[must_use]
    pub fn name(&self) -> &str {
        let first = self.words.first().map_or("", String::as_str);
        let name = first.rsplit(['/', '\\']).next().unwrap_or(first);
        name.strip_suffix(".exe").unwrap_or(name)
    }

    /// Returns the index of the word that says what the program does.
    fn act(&self) -> usize {
        let Some((_, with_word)) = OPTIONS.iter().find(|(name, _)| *name == self.name()) else {
            return 1;
        };
        let mut at = 1;
        while let Some(word) = self.words.get(at).filter(|word| word.starts_with(['-', '+'])) {
            at += 1 + usize::from(with_word.contains(&word.as_str()));
        }
        at
    }

    /// Returns the directory that an option has it run in.
    fn own_dir(&self) -> Option<&str> {
        let options = self.words.get(..self.act())?;
        let at = options.iter().position(|word| word == "-C")?;
        options.get(at + 1).map(String::as_str)
    }

    /// Returns what it writes to files, where the line has that.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match (&self.input, self.name()) {
            (Some(input), "cat" | "tee") => Some(input.into()),
            (None, "echo" | "printf") => {
                Some(self.words.get(1..).unwrap_or_default().join(" ").into())
            }
            (None, name) if matches!(file_act(name), Some(FileAct::Fills)) => {
                let words = self.words.get(1..).unwrap_or_default();
                named(words, &["-value"]).or_else(|| operands(words).nth(1)).map(Cow::Borrowed)
            }
            _ => None,
        }
    }

    #[must_use]
    pub fn changed(&self) -> ChangedFiles<'_> {
        let (name, skip) = match (self.name(), self.act()) {
            ("git", act) => {
                let own = self.words.get(act).filter(|act| matches!(act.as_str(), "rm" | "mv"));
                (own.map_or("", String::as_str), act + 1)
            }
            (name, _) => (name, 1),
        };
        let rest = self.words.get(skip..).unwrap_or_default();
        let mut changed = ChangedFiles::default();
        match (file_act(name), name) {
            (Some(act), _) => changed.by(act, rest),
            // The script is no file, but looks like none that is protected either.
            (None, "sed" | "perl" | "awk" | "gawk")
                if rest.iter().any(|word| is_in_place(word)) =>
            {
                changed.written.extend(operands(rest).map(path));
            }
            (None, "dd") => {
                let to = rest.iter().filter_map(|word| word.strip_prefix("of="));
                changed.written.extend(to.map(path));
            }
            (None, "find") if rest.iter().any(|word| word == "-delete") => {
                let roots = rest.iter().take_while(|word| !word.starts_with(['-', '(', '!']));
                let roots = roots.map(String::as_str);
                // Those of some names, or all.
                match named(rest, &["-name", "-iname"]) {
                    Some(name) => {
                        changed.written.extend(roots.map(|root| format!("{root}/{name}").into()));
                    }
                    None => changed.removed.extend(roots.map(path)),
                }
            }
            _ => {}
        }
        changed.written.extend(self.written.iter().map(|file| path(file)));
        changed
    }
}

impl<'a> ChangedFiles<'a> {
    /// Adds what a program changes that is given these words.
    fn by(&mut self, act: FileAct, words: &'a [String]) {
        match act {
            FileAct::Removes => {
                let lists = operands(words).flat_map(|word| word.split(','));
                // All that is in a directory.
                self.removed.extend(lists.map(|word| match word.strip_suffix('*') {
                    Some("") => Cow::Borrowed("."),
                    Some(dir) if dir.ends_with(['/', '\\']) => path(dir),
                    _ => path(word),
                }));
            }
            FileAct::Moves | FileAct::Copies => {
                let to = named(words, TO).or_else(|| operands(words).last());
                let Some(to) = to.map(path) else { return };
                let from: Vec<Cow<'_, str>> =
                    operands(words).map(path).filter(|word| *word != to).collect();
                self.written.push(to.clone());
                // Into that directory, if it is one.
                for file in &from {
                    let name = file.trim_end_matches('/').rsplit('/').next().unwrap_or(file);
                    let name = if name == "." { "*" } else { name };
                    self.written.push(format!("{to}/{name}").into());
                }
                if matches!(act, FileAct::Moves) {
                    self.removed.extend(from);
                }
            }
            FileAct::Writes => self.written.extend(operands(words).map(path)),
            FileAct::Fills => {
                let file = named(words, FILE).or_else(|| operands(words).next());
                self.written.extend(file.map(path));
            }
            FileAct::Saves(letter, long) => {
                let is_short = |word: &str| {
                    word.starts_with('-') && !word.starts_with("--") && word.ends_with(letter)
                };
                let at = words.iter().position(|word| word == long || is_short(word));
                let inside =
                    words.iter().find_map(|word| word.strip_prefix(long)?.strip_prefix('='));
                let file = at.and_then(|at| words.get(at + 1)).map(String::as_str).or(inside);
                self.written.extend(file.map(path));
            }
        }
    }
}

fn file_act(name: &str) -> Option<FileAct> {
    let is_named = |known: &&str| known.eq_ignore_ascii_case(name);
    PROGRAMS.iter().find(|(_, names)| names.iter().any(is_named)).map(|(act, _)| *act)
}

fn operands(words: &[String]) -> impl Iterator<Item = &str> {
    words.iter().map(String::as_str).filter(|word| !word.starts_with('-'))
}

/// Returns the word behind an option.
fn named<'a>(words: &'a [String], options: &[&str]) -> Option<&'a str> {
    let is_one = |word: &String| options.iter().any(|option| word.eq_ignore_ascii_case(option));
    words.iter().skip_while(|word| !is_one(word)).nth(1).map(String::as_str)
}

/// Returns a path with slashes.
fn path(word: &str) -> Cow<'_, str> {
    if word.contains('\\') { word.replace('\\', "/").into() } else { word.into() }
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

/// Appends the commands of a line that is run in a directory.
fn read(line: &str, mut dir: Option<String>, depth: usize, found: &mut Vec<SimpleCommand>) {
    let mut pieces = Pieces { rest: line, inner: Vec::new(), after: None };
    // What the last command has read, and may hand on.
    let mut fed: Option<String> = None;
    while let Some(mut command) = pieces.command() {
        for inner in std::mem::take(&mut pieces.inner) {
            if depth > 0 {
                read(inner, dir.clone(), depth - 1, found);
            }
        }
        command.words = bare(&command.words);
        command.dir.clone_from(&dir);
        if command.words.is_empty() {
            found.extend((!command.written.is_empty()).then_some(command));
            continue;
        }
        if SHELLS.contains(&command.name()) {
            command.input = command.input.or(fed.take());
        }
        fed.clone_from(&command.input);
        if depth > 0 {
            // It is looked at by itself.
            let word = script(&command).map(|at| command.words.remove(at));
            let script = word.as_ref().or(command.input.as_ref().filter(|_| reads(&command)));
            if let Some(script) = script {
                read(script, dir.clone(), depth - 1, found);
            }
        }
        if let Some(run) = run_by_find(&command) {
            found.push(SimpleCommand { words: run, dir: dir.clone(), ..SimpleCommand::default() });
        }
        if matches!(command.name(), "cd" | "pushd") {
            dir = Some(joined(dir, command.words.get(1).map_or("", String::as_str)));
        }
        if let Some(own) = command.own_dir().map(str::to_owned) {
            command.dir = Some(joined(command.dir.take(), &own));
        }
        found.push(command);
    }
}

/// Returns where a directory is that is named in another one.
fn joined(dir: Option<String>, to: &str) -> String {
    let from = dir.filter(|_| !to.starts_with(['/', '~', '$']));
    from.map_or_else(|| to.to_owned(), |from| format!("{from}/{to}"))
}

/// Returns the command that `find` runs on what it finds.
fn run_by_find(command: &SimpleCommand) -> Option<Vec<String>> {
    let is_run = |word: &String| matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-x");
    let of = command.words.iter().skip_while(|word| !is_run(word)).skip(1);
    let run: Vec<String> = of.take_while(|word| *word != ";" && *word != "+").cloned().collect();
    let run = bare(&run);
    (matches!(command.name(), "find" | "fd") && !run.is_empty()).then_some(run)
}

/// Returns the index of the word that is a script.
fn script(command: &SimpleCommand) -> Option<usize> {
    let is_option = |word: &String| {
        word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.ends_with('c'))
            || word.eq_ignore_ascii_case("-command")
    };
    let before = match command.name() {
        "eval" => 0,
        name if SHELLS.contains(&name) => command.words.iter().position(is_option)?,
        _ => return None,
    };
    Some(before + 1).filter(|at| *at < command.words.len())
}

/// Returns true if a shell runs what it is given to read.
fn reads(command: &SimpleCommand) -> bool {
    let is_option = |word: &String| word.starts_with('-');
    SHELLS.contains(&command.name()) && command.words.iter().skip(1).all(is_option)
}

/// Removes what stands before a command: assignments, and programs that run it.
fn bare(words: &[String]) -> Vec<String> {
    let is_assignment = |word: &str| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
    };
    let mut start = 0;
    let mut leader = None;
    while let Some(word) = words.get(start) {
        let name = word.rsplit('/').next().unwrap_or(word);
        if BEFORE.contains(&name) {
            leader = Some(name);
        } else if leader.is_some() && word.starts_with('-')
            || leader == Some("cmd") && word.starts_with('/')
        {
            start += usize::from(WITH_WORD.contains(&word.as_str()));
        } else if leader == Some("timeout") {
            // How long.
            leader = None;
        } else if !is_assignment(word) {
            break;
        }
        start += 1;
    }
    words.get(start..).unwrap_or_default().to_vec()
}

/// What is left of a line, and the commands inside of words that were read.
struct Pieces<'a> {
    rest: &'a str,
    inner: Vec<&'a str>,
    /// Where the text goes on behind the here-documents of this line.
    after: Option<&'a str>,
}

impl<'a> Pieces<'a> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        // A quote may have gone on behind it.
        if c == '\n'
            && let Some(after) = self.after.take()
            && after.len() < self.rest.len()
        {
            self.rest = after;
        }
        Some(c)
    }

    /// Returns the words of the next command, the files that its output goes to, and what it is given
    /// to read.
    fn command(&mut self) -> Option<SimpleCommand> {
        let (mut words, mut written, mut input) = (Vec::new(), Vec::new(), None);
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
                    Some(c) => {
                        let word = word.get_or_insert_default();
                        // Before a name it separates directories, as on Windows.
                        let is_path = word.ends_with(['.', ':']) && c == '.'
                            || !word.is_empty() && c.is_ascii_alphanumeric();
                        word.extend(is_path.then_some('\\'));
                        word.push(c);
                    }
                },
                '$' if self.rest.starts_with('(') => {
                    let inside = self.within_parens();
                    self.inner.push(inside);
                    word.get_or_insert_default();
                }
                '<' => match self.here_document() {
                    Some(lines) => {
                        end(&mut word, &mut to_file);
                        input = Some(lines.to_owned());
                    }
                    None => word.get_or_insert_default().push('<'),
                },
                '`' => {
                    let (inside, rest) = self.rest.split_once('`').unwrap_or((self.rest, ""));
                    self.inner.push(inside);
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
                    return Some(SimpleCommand { words, written, dir: None, input });
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
        Some(SimpleCommand { words, written, dir: None, input })
    }

    /// Reads the rest of `<<` and the word behind it. Returns the here-document, which that word ends;
    /// `None` if nothing does.
    fn here_document(&mut self) -> Option<&'a str> {
        let rest = self.rest.strip_prefix('<')?.trim_start_matches(['-', ' ', '\t']);
        let is_end = |c: char| c.is_whitespace() || ";|&<>()".contains(c);
        let (word, rest) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
        let name: String = word.chars().filter(|c| !"'\"\\".contains(*c)).collect();
        let below = self.after.or_else(|| Some(rest.split_once('\n')?.1))?;
        let mut left = below;
        while !name.is_empty() && !left.is_empty() {
            let (line, after) = left.split_once('\n').unwrap_or((left, ""));
            if line.trim_matches(['\t', '\r']) != name {
                left = after;
                continue;
            }
            let lines = below.get(..below.len() - left.len()).unwrap_or_default();
            (self.rest, self.after) = (rest, Some(after));
            if name == word {
                // Commands in them are run.
                let mut inside = Pieces { rest: lines, inner: Vec::new(), after: None };
                while let Some(at) = inside.rest.find("$(") {
                    inside.rest = inside.rest.get(at + 1..).unwrap_or_default();
                    self.inner.push(inside.within_parens());
                }
            }
            return Some(lines);
        }
        None
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
    fn within_parens(&mut self) -> &'a str {
        let start = self.rest;
        // What ends the parentheses and quotes that are open.
        let mut open: Vec<char> = Vec::new();
        while let Some(c) = self.next() {
            match (open.last(), c) {
                (_, '\\') => drop(self.next()),
                (Some('"'), '$') if self.rest.starts_with('(') => {
                    self.next();
                    open.push(')');
                }
                (Some(end), c) if *end == c => drop(open.pop()),
                (Some('"'), _) => {}
                (_, '"') => open.push('"'),
                (_, '(') => open.push(')'),
                (_, '\'') => {
                    self.rest = self.rest.split_once('\'').map_or("", |(_, rest)| rest);
                }
                (_, '<') => drop(self.here_document()),
                _ => {}
            }
            if open.is_empty() {
                break;
            }
        }
        let inside = start.get(..start.len() - self.rest.len()).unwrap_or_default();
        inside.strip_prefix('(').unwrap_or(inside).strip_suffix(')').unwrap_or(inside)
    }
}
