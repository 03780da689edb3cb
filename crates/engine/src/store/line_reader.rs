//! Line-by-line reading of long files such as transcripts.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use super::read::{self, Problem, ProblemKind};

/// Default maximum number of bytes to read from a file; the beginning usually suffices.
pub const MOST: u64 = 64 << 20;
/// Maximum length of a line in bytes. Longer lines, which hold images or tool output, are skipped.
const LINE: usize = 4 << 20;

/// Opens a file that a user or agent named; links are followed. `Ok(None)` if it does not exist.
pub fn open(path: &Path) -> Result<Option<File>, Problem> {
    let fail = |kind| Problem { path: PathBuf::from(path), kind };
    let found = read::checked(Path::new("/"), path).map_err(fail)?;
    let open = |_| File::open(path).map_err(|error| fail(ProblemKind::Io(error.to_string())));
    found.map(open).transpose()
}

/// Calls `each` with every line, without terminator, until it breaks or `most` bytes are read.
pub fn lines(
    input: impl Read,
    most: u64,
    mut each: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 18, input.take(most));
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = input.by_ref().take(LINE as u64).read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(());
        }
        if length == LINE && !line.ends_with(b"\n") {
            input.skip_until(b'\n')?;
            continue;
        }
        if each(line.strip_suffix(b"\n").unwrap_or(&line)).is_break() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<usize> {
        let mut lengths = Vec::new();
        lines(bytes, MOST, |line| {
            lengths.push(line.len());
            if line == b"end" { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
        lengths
    }

    #[test]
    fn lines_of_any_length() {
        assert_eq!(all(b""), [] as [usize; 0]);
        assert_eq!(all(b"\n\nab\nc"), [0, 0, 2, 1]);
        assert_eq!(all(b"a\nend\nb"), [1, 3]);
        let long = [&vec![b'x'; LINE][..], b"yz\nab\n", &vec![b'x'; LINE - 1], b"\nc\n"].concat();
        assert_eq!(all(&long), [2, LINE - 1, 1]);
        let endless = vec![b'x'; 3 * LINE];
        assert_eq!(all(&endless), [] as [usize; 0]);
    }

    #[test]
    fn endless_input_ends() {
        let one = |_: &[u8]| panic!("there is no line");
        lines(io::repeat(b'x'), MOST, one).unwrap();
    }
}
