//! Hexadecimal digits. Numbers of 32 are read quickly: thousands of them stand in a ledger of trust.

use std::fmt::Write as _;

/// Bytes in hexadecimal.
#[must_use]
pub fn write(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Parses 32 lower-case hex digits.
#[must_use]
pub fn read(line: &[u8]) -> Option<u128> {
    if line.len() != 32 || !line.iter().all(|byte| is_digit(*byte)) {
        return None;
    }
    let (eights, _) = line.as_chunks();
    Some(eights.iter().fold(0, |key, eight| key << 32 | u128::from(digits(*eight))))
}

/// Parses 16 lower-case hex digits.
#[must_use]
pub fn read_half(text: &[u8]) -> Option<u64> {
    let ([high, low], []) = text.as_chunks() else { return None };
    let is_number = text.iter().fold(true, |all, byte| all & is_digit(*byte));
    is_number.then(|| digits(*high) << 32 | digits(*low))
}

fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// Converts eight digits at once.
fn digits(digits: [u8; 8]) -> u64 {
    let text = u64::from_be_bytes(digits);
    // Only letters have bit 6 set. Their low four bits start at 1, so 9 is added.
    let each = (text & 0x0f0f_0f0f_0f0f_0f0f) + 9 * (text >> 6 & 0x0101_0101_0101_0101);
    let pairs = (each | each >> 4) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    (fours | fours >> 16) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(number: u128, cut in 0_usize..32, other: u8) {
            let mut line = format!("{number:032x}").into_bytes();
            prop_assert_eq!(write(&number.to_be_bytes()).into_bytes(), line.clone());
            prop_assert_eq!(read(&line), Some(number));
            prop_assert_eq!(read(&line[cut + 1..]), None);
            line[cut] = other;
            let text = String::from_utf8_lossy(&line).into_owned();
            let lower = other.is_ascii_digit() || (b'a'..=b'f').contains(&other);
            prop_assert_eq!(read(&line), u128::from_str_radix(&text, 16).ok().filter(|_| lower));
            let half = u64::from_str_radix(text.get(..16).unwrap_or("?"), 16).ok();
            let want = half.filter(|_| lower || cut >= 16);
            prop_assert_eq!(line.get(..16).and_then(read_half), want);
            prop_assert_eq!(read_half(&line), None);
        }
    }
}
