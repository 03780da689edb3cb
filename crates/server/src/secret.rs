//! Where the key that wraps the others is: a file, a variable or the output of a command.

use std::{
    fmt,
    fs::File,
    io::Read as _,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail, ensure};
use zeroize::Zeroizing;

/// Bytes of a key.
pub const KEY: usize = 32;

/// The bytes of a key, overwritten when they are dropped.
pub type Bytes = Zeroizing<[u8; KEY]>;

const DIGITS: usize = 2 * KEY;

/// A text that is not shown in messages.
#[derive(Clone)]
pub struct Secret(pub Zeroizing<String>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Where the key is.
#[derive(Debug, Clone, Default)]
pub enum SecretSource {
    #[default]
    None,
    File(PathBuf),
    /// A command of the shell that prints it.
    Command(String),
    /// Content of a variable.
    Given(Secret),
}

impl SecretSource {
    /// Reads the key. No error has any of it.
    ///
    /// # Errors
    /// There is none, others can read the file, the command failed, or it is not a key.
    pub fn read(&self) -> anyhow::Result<Bytes> {
        let text = match self {
            Self::None => bail!("there is no key: set key-file, key-command or PIMEM_SERVER_KEY"),
            Self::File(path) => {
                of_file(path).with_context(|| format!("key-file {}", path.display()))?
            }
            Self::Command(command) => of_command(command).context("key-command")?,
            Self::Given(Secret(text)) => text.clone(),
        };
        parse(text.trim())
    }
}

fn of_file(path: &Path) -> anyhow::Result<Zeroizing<String>> {
    let mut file = File::open(path)?;
    // Of what was opened: the name may be another file by now.
    let mode = file.metadata()?.mode() & 0o777;
    ensure!(mode.trailing_zeros() >= 6, "others can read it (mode {mode:03o}): chmod 600");
    let mut text = Zeroizing::new(String::with_capacity(4 * DIGITS));
    file.by_ref().take(DIGITS as u64 * 2).read_to_string(&mut text)?;
    Ok(text)
}

fn of_command(command: &str) -> anyhow::Result<Zeroizing<String>> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = shell.output()?;
    let text = Zeroizing::new(output.stdout);
    ensure!(output.status.success(), "it failed: {}", output.status);
    let text = str::from_utf8(&text).context("what it printed is not a key")?;
    Ok(Zeroizing::new(text.to_owned()))
}

fn parse(text: &str) -> anyhow::Result<Bytes> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let is_key = pairs.len() == KEY && rest.is_empty();
    ensure!(is_key, "a key is {DIGITS} hexadecimal digits: `openssl rand -hex {KEY}`");
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut key = Bytes::default();
    for (to, [high, low]) in key.iter_mut().zip(pairs) {
        let (Some(high), Some(low)) = (digit(*high), digit(*low)) else {
            bail!("a key has hexadecimal digits only: `openssl rand -hex {KEY}`");
        };
        *to = high << 4 | low;
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_strictly_and_not_told() {
        let given = |text: &str| SecretSource::Given(Secret(Zeroizing::new(text.to_owned())));
        let key = "0f".repeat(KEY);
        assert_eq!(*given(&format!(" {key}\n")).read().unwrap(), [15; KEY]);
        assert_eq!(*SecretSource::Command(format!("echo {key}")).read().unwrap(), [15; KEY]);
        for wrong in ["", "0f", &key[1..], &key.replace('f', "g"), &format!("{key}0f")] {
            let told = format!("{:#}", given(wrong).read().unwrap_err());
            assert!(wrong.len() < 4 || !told.contains(&wrong[..4]), "{told}");
        }
        assert!(!format!("{:?}", given(&key)).contains("0f"));
        assert!(
            SecretSource::None.read().is_err()
                && SecretSource::Command("false".to_owned()).read().is_err()
        );
        assert!(SecretSource::File("/nowhere".into()).read().is_err());
    }
}
