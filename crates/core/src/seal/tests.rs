//! Tests of sealing: vectors, round trips, damage.

use std::convert::Infallible;

use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{AeadInOut, KeyInit},
};
use memchr::memmem;
use proptest::prelude::*;

use super::{Form, KeyId, Keyring, Opened, SealKey, SealLine};
use crate::seal;

const STORE: &str = "0123456789abcdef0123456789abcdef";

fn ring(secrets: &[u8]) -> Keyring {
    let mut keys = secrets.iter().map(|byte| SealKey::derive(&[*byte; 32], STORE));
    let first = keys.next().unwrap();
    Keyring::new(STORE.to_owned(), vec!["lesson".to_owned()], first, keys.collect())
}

/// Nonces that differ, which is all that sealing needs of them here.
fn nonces() -> impl FnMut() -> Result<[u8; 24], Infallible> {
    let mut number = 0_u64;
    move || {
        number += 1;
        let mut nonce = [7; 24];
        nonce[..8].copy_from_slice(&number.to_le_bytes());
        Ok(nonce)
    }
}

fn seal(ring: &Keyring, text: &[u8], before: &[u8], form: Form) -> Vec<u8> {
    let Ok(sealed) = ring.seal(text, before, form, &mut nonces());
    sealed
}

fn unhex(text: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(byte).collect()
}

#[test]
fn vectors_of_the_cipher() {
    let table = include_str!("../../../../fixtures/sealed/xchacha20-poly1305.tsv");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for row in rows {
        let [result, key, nonce, data, message, text, tag] =
            row.split('\t').collect::<Vec<_>>().try_into().unwrap();
        count += 1;
        // The type of a nonce admits no other length.
        let Ok(nonce) = <[u8; 24]>::try_from(unhex(nonce)) else {
            assert_eq!(result, "invalid", "{row}");
            continue;
        };
        let cipher = XChaCha20Poly1305::new(&<[u8; 32]>::try_from(unhex(key)).unwrap().into());
        let (nonce, data, mut bytes) = (XNonce::from(nonce), unhex(data), unhex(text));
        let tag = <[u8; 16]>::try_from(unhex(tag)).unwrap().into();
        let opened = cipher.decrypt_inout_detached(&nonce, &data, (&mut *bytes).into(), &tag);
        assert_eq!(opened.is_ok(), result == "valid", "{row}");
        if opened.is_ok() {
            assert_eq!(bytes, unhex(message));
            let made = cipher.encrypt_inout_detached(&nonce, &data, (&mut *bytes).into()).unwrap();
            assert_eq!((bytes, made), (unhex(text), tag));
        }
    }
    assert_eq!(count, 315);
}

const TOPIC: &str =
    "# Lessons\n\n- [lesson] Use pnpm *(pinned)*\r\n- [other] x\n \n- [lesson] last";

#[test]
fn what_stays_readable() {
    let sealed = seal(&ring(&[1]), TOPIC.as_bytes(), b"", Form::Lines);
    let sealed = String::from_utf8(sealed).unwrap();
    let heads: Vec<&str> =
        sealed.split('\n').map(|line| line.split_at(line.len().min(18)).0).collect();
    let token = heads[0];
    assert!(token.starts_with("enc:v1:"));
    assert_eq!(heads[1], "");
    for line in [2, 5] {
        assert_eq!(heads[line], "- [lesson] enc:v1:");
    }
    assert!(heads[3].starts_with("enc:v1:") && heads[4].starts_with("enc:v1:"));
    assert!(sealed.split('\n').nth(2).unwrap().ends_with('\r'));
    for word in ["Lessons", "pnpm", "pinned", "other", "last"] {
        assert!(!sealed.contains(word), "{word}");
    }
    // Texts of up to 31 bytes have tokens of one length.
    let length = |line: usize| sealed.split('\n').nth(line).unwrap().trim_end().len();
    assert_eq!(length(2), length(5));
    assert_eq!(length(0), length(3));
}

#[test]
fn one_key_opens_what_another_does_not() {
    let (ours, both, other) = (ring(&[1]), ring(&[2, 1]), ring(&[2]));
    let sealed = seal(&ours, b"- [lesson] a\n", b"", Form::Lines);
    let mixed = [&*sealed, b"- [lesson] b\n"].concat();
    assert_eq!(
        both.open(&mixed),
        Opened {
            bytes: b"- [lesson] a\n- [lesson] b\n".to_vec(),
            plain: 1,
            former: 1,
            ..Opened::default()
        }
    );
    let kept = other.open(&mixed);
    assert_eq!((kept.foreign, kept.plain, &kept.bytes), (1, 1, &mixed));
    // What cannot be opened keeps its bytes when the file is written again.
    let again = seal(&other, &[&*sealed, b"- [lesson] c\n"].concat(), &mixed, Form::Lines);
    assert!(again.starts_with(&sealed));
    assert_eq!(other.open(&again).plain, 0);
    // Under the current key, former lines are sealed anew.
    let anew = seal(&both, b"- [lesson] a\n", &sealed, Form::Lines);
    assert_eq!(both.open(&anew).former, 0);
    assert_ne!(anew, sealed);
    // The same secret is another key in another store.
    assert_ne!(SealKey::derive(&[1; 32], "x").id(), SealKey::derive(&[1; 32], "y").id());
    // A sealed line does not open as one of another category.
    let moved = String::from_utf8(sealed).unwrap().replace("[lesson]", "[mistake]");
    assert_eq!(ours.open(moved.as_bytes()).damaged, 1);
}

#[test]
fn a_text_that_looks_sealed_is_sealed() {
    let ring = ring(&[1]);
    for text in ["enc:v1:", "- [lesson] enc:v1:AAAA", "enc:v1:AAAA\n"] {
        let sealed = seal(&ring, text.as_bytes(), b"", Form::Lines);
        let opened = ring.open(&sealed);
        assert_eq!((opened.bytes, opened.plain, opened.damaged), (text.into(), 0, 0));
    }
}

#[test]
fn lines_that_say_the_same_keep_their_bytes() {
    let ring = ring(&[1]);
    for (text, form) in [("- [other] \n- [other] \na\na\n", Form::Lines), ("a\n\na", Form::Log)] {
        let sealed = seal(&ring, text.as_bytes(), b"", form);
        assert_eq!(seal(&ring, text.as_bytes(), &sealed, form), sealed, "{text}");
    }
}

#[test]
fn every_flipped_bit_is_told() {
    let ring = ring(&[1]);
    let entry = |n: usize| {
        let text = "word ".repeat(if n % 6 == 5 { 8 } else { n % 5 });
        format!("- [lesson] {text}{n}{}", if n < 14 { "\r\n" } else { "\n" })
    };
    let text: String = (0..32).map(entry).collect();
    let sealed = seal(&ring, text.as_bytes(), b"", Form::Lines);
    assert_eq!(sealed.len(), 4096);
    let whole = ring.open(&sealed);
    assert_eq!((whole.plain, whole.closed(), whole.is_due()), (0, 0, false));
    let lines: Vec<&[u8]> = sealed.split_inclusive(|byte| *byte == b'\n').collect();
    let texts: Vec<&[u8]> = whole.bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mut told = 0;
    // Lines are opened one by one, so each flip needs only the lines around it.
    for number in 0..lines.len() {
        let around = number.saturating_sub(1)..(number + 2).min(lines.len());
        let start: usize = lines[around.start..number].concat().len();
        let good = lines[around.clone()].concat();
        for bit in 0..8 * lines[number].len() {
            let mut bad = good.clone();
            let at = start + bit / 8;
            bad[at] ^= 1 << (bit % 8);
            let opened = ring.open(&bad);
            told += usize::from(opened.closed() > 0);
            // The end of a line makes one of two, if it is hit.
            let joined = good[at] == b'\n';
            let others = around.clone().filter(|n| *n != number && !(joined && *n == number + 1));
            for other in others {
                assert!(memmem::find(&opened.bytes, texts[other]).is_some(), "{number} {bit}");
            }
        }
    }
    assert_eq!(told, 32_768);
}

#[test]
fn base64_has_one_spelling() {
    let ring = ring(&[1]);
    let sealed = String::from_utf8(seal(&ring, b"- [lesson] a", b"", Form::Lines)).unwrap();
    let (head, token) = sealed.split_once("enc:v1:").unwrap();
    let open = |token: &str| ring.open(format!("{head}enc:v1:{token}").as_bytes()).closed();
    assert_eq!(open(token), 0);
    for other in
        [format!("{token}="), format!("{token}=="), format!("{token} "), token.replace('+', "-")]
    {
        assert_eq!(open(&other), usize::from(other != token), "{other}");
    }
    for cut in 0..token.len() {
        assert_eq!(open(&token[..cut]), 1, "cut at {cut}");
    }
}

#[test]
fn ids_of_keys() {
    let id = SealKey::derive(&[1; 32], STORE).id();
    assert_eq!(id.to_string().parse(), Ok(id));
    for text in ["", "1234567", "123456789", "1234567A", "+1234567", "12345 78"] {
        assert_eq!(text.parse::<KeyId>(), Err(()), "{text}");
    }
    assert!(!format!("{:?}", ring(&[1])).contains("cipher"));
}

fn texts() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        "- \\[(lesson|other)\\] [a-z ]{0,40}",
        "[a-z\u{e9} #]{0,70}",
        "(enc:v1:|- \\[lesson\\] enc:v1:)[A-Za-z0-9]{0,80}",
    ];
    let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\n\n")];
    (prop::collection::vec((line, end), 0..9), any::<bool>()).prop_map(|(lines, cut)| {
        let mut text: String = lines.into_iter().map(|(line, end)| line + end).collect();
        if cut {
            text.pop();
        }
        text.into_bytes()
    })
}

proptest! {
    #[test]
    fn what_was_sealed_opens_to_the_same_bytes(
        text in texts(),
        next in texts(),
        form in prop::sample::select(vec![Form::Lines, Form::Log, Form::Whole]),
    ) {
        let ring = ring(&[1]);
        let sealed = seal(&ring, &text, b"", form);
        let opened = ring.open(&sealed);
        prop_assert_eq!((opened.plain, opened.closed()), (0, 0));
        prop_assert_eq!(&opened.bytes, &text);
        if form != Form::Whole {
            prop_assert_eq!(&seal(&ring, &text, &sealed, form), &sealed, "bytes are kept");
        }
        let other = seal(&ring, &[&*text, b"\n", &next].concat(), &sealed, form);
        prop_assert_eq!(ring.open(&other).bytes, [&*text, b"\n", &next].concat());
    }

    #[test]
    fn lines_are_opened_one_by_one(text in texts(), next in texts()) {
        let ring = ring(&[1]);
        let sealed = [text, next].map(|text| {
            let mut sealed = seal(&ring, &text, b"", Form::Lines);
            sealed.push(b'\n');
            sealed
        });
        let apart = [&sealed[0], &sealed[1]].map(|part| ring.open(part).bytes);
        prop_assert_eq!(ring.open(&sealed.concat()).bytes, apart.concat());
    }

    #[test]
    fn plain_text_opens_to_itself(text in "[ -~\n\r]{0,200}") {
        let opened = ring(&[1]).open(text.as_bytes());
        let sealed = text.lines().any(|l| l.contains("enc:v1:"));
        prop_assert!(sealed || opened.closed() == 0);
        prop_assert_eq!(opened.bytes, text.as_bytes());
    }

    #[test]
    fn reading_never_fails(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let body = bytes.split(|byte| *byte == b'\n').next().unwrap();
        let _ = matches!(seal::read(body), SealLine::Plain);
        let opened = ring(&[1]).open(&bytes);
        prop_assert_eq!(opened.bytes, bytes);
    }
}

/// A line is damaged if it was a token with one byte of another; text that begins so, or that has a
/// long number, is text.
#[test]
fn what_a_line_was() {
    let long = "Q".repeat(60);
    let is_damaged = |line: &str| seal::read(line.as_bytes()) == SealLine::Damaged;
    assert!(
        is_damaged(&format!("enc:v2:{long}")) && is_damaged(&format!("- [fact] env:v1:{long}"))
    );
    for text in
        ["enc:v2: is not there yet", "enc:v2:QQQQ", &format!("digest {long}"), &format!("x{long}")]
    {
        assert!(seal::read(text.as_bytes()) == SealLine::Plain, "{text}");
    }
    assert!(seal::may_be_token(b"") && seal::may_be_token(b"QQQQ"));
    // Two odd bytes are damage in what is long, and text in what is short.
    assert!(seal::may_be_token(format!("Q?{}?", &long[..57]).as_bytes()));
    assert!(!seal::may_be_token(b"Q?") && !seal::may_be_token(b"Q??Q"));
    assert!(!seal::may_be_token(format!("{}???", &long[..59]).as_bytes()));
}
