//! Moments, ages and dates. Nothing here reads the clock; the time is always an argument.

use std::fmt;

use chrono::{DateTime, SecondsFormat};

/// Milliseconds in a day.
pub const DAY_MS: i64 = 86_400_000;
/// How far ahead of a reader's clock an event's time is still accepted, because clocks and time
/// zones may be wrong.
const AHEAD_MS: i64 = DAY_MS;

/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

/// The moment of a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now(pub Timestamp);

/// A non-negative duration in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Age(pub u64);

impl Timestamp {
    /// 9999-12-31T23:59:59.999Z, the last moment with a year of four digits.
    pub const LAST: Self = Self(253_402_300_799_999);

    /// Parses RFC 3339 with any offset. The form that pimem writes, `2026-05-01T10:00:00.000Z`,
    /// takes a fast path, because an evidence log is mostly time stamps.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        canonical(text.as_bytes()).or_else(|| {
            DateTime::parse_from_rfc3339(text).ok().map(|time| Self(time.timestamp_millis()))
        })
    }

    /// Like [`Self::parse`], from bytes.
    #[must_use]
    pub fn parse_bytes(bytes: &[u8]) -> Option<Self> {
        canonical(bytes).or_else(|| Self::parse(str::from_utf8(bytes).ok()?))
    }

    /// Parses a date, `2026-05-01`, as its first instant in UTC.
    #[must_use]
    pub fn parse_date(text: &str) -> Option<Self> {
        days_of_date(text.as_bytes()).map(|days| Self(days * DAY_MS))
    }

    /// Parses a date as its last instant: an entry valid until a date is valid on that day.
    #[must_use]
    pub fn end_of_day(text: &str) -> Option<Self> {
        Self::parse_date(text).map(|start| Self(start.0 + DAY_MS - 1))
    }

    /// Whole seconds since 1970; 0, which stands for unknown, if they do not fit into 32 bits.
    #[must_use]
    pub fn seconds(self) -> u32 {
        u32::try_from(self.0.div_euclid(1000)).unwrap_or(0)
    }

    /// The inverse of [`Self::seconds`]; `None` for 0.
    #[must_use]
    pub fn from_seconds(seconds: u32) -> Option<Self> {
        (seconds != 0).then(|| Self(i64::from(seconds) * 1000))
    }

    /// Formats the date in UTC as `2026-05-01`.
    #[must_use]
    pub fn date(self) -> String {
        self.to_string().chars().take_while(|c| *c != 'T').collect()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = DateTime::from_timestamp_millis(self.0).unwrap_or_default();
        f.write_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Now {
    /// Returns the time since `then`, or zero if `then` is in the future.
    #[must_use]
    pub fn since(self, then: Timestamp) -> Age {
        Age(u64::try_from(self.0.0.saturating_sub(then.0)).unwrap_or(0))
    }

    /// Returns the latest time accepted from an event. An event dated later counts, but its time
    /// does not.
    #[must_use]
    pub fn horizon(self) -> Timestamp {
        Timestamp(self.0.0.saturating_add(AHEAD_MS))
    }

    /// Returns the earlier of `then` and now, so that a clock that ran ahead does not make an entry
    /// immortal.
    #[must_use]
    pub fn cap(self, then: Timestamp) -> Timestamp {
        then.min(self.0)
    }
}

impl Age {
    /// Parses a number with its unit: `90s`, `30m`, `2h`, `1d` or `2w`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match text.strip_prefix(digits)? {
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            "w" => 604_800_000,
            _ => return None,
        };
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse::<u32>().ok().filter(|_| plain)?;
        Some(Self(u64::from(number) * unit))
    }

    #[must_use]
    pub fn and(self, more: Self) -> Self {
        Self(self.0.saturating_add(more.0))
    }

    /// The age in days, with fraction.
    #[must_use]
    pub fn days(self) -> f64 {
        self.0 as f64 / DAY_MS as f64
    }
}

impl fmt::Display for Age {
    /// In the largest unit that fits, as in `3d` or `5h`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = self.0 / 60_000;
        match minutes {
            0 => f.write_str("now"),
            1..60 => write!(f, "{minutes}m"),
            60..1440 => write!(f, "{}h", minutes / 60),
            _ => write!(f, "{}d", minutes / 1440),
        }
    }
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes
        .iter()
        .try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
}

/// Returns the days since 1970-01-01 of `YYYY-MM-DD` (proleptic Gregorian calendar).
fn days_of_date(bytes: &[u8]) -> Option<i64> {
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = *bytes else { return None };
    let year = digits(&[y0, y1, y2, y3])?;
    let month = digits(&[m0, m1])?;
    let day = digits(&[d0, d1])?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Count from 1 March, so that the leap day is the last of its year.
    let shifted = if month > 2 { year } else { year - 1 };
    let month_index = (month + 9) % 12;
    let day_of_year = (153 * month_index + 2) / 5 + day - 1;
    let leaps = shifted.div_euclid(4) - shifted.div_euclid(100) + shifted.div_euclid(400);
    Some(shifted * 365 + leaps + day_of_year - 719_468)
}

/// Parses exactly `YYYY-MM-DDTHH:MM:SS.mmmZ`.
fn canonical(bytes: &[u8]) -> Option<Timestamp> {
    let (day, clock) = bytes.split_at_checked(10)?;
    let [b'T', h0, h1, b':', m0, m1, b':', s0, s1, b'.', f0, f1, f2, b'Z'] = *clock else {
        return None;
    };
    let (hour, minute) = (digits(&[h0, h1])?, digits(&[m0, m1])?);
    let (second, milli) = (digits(&[s0, s1])?, digits(&[f0, f1, f2])?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = hour * 3600 + minute * 60 + second;
    Some(Timestamp(days_of_date(day)? * DAY_MS + seconds * 1000 + milli))
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Seconds in a day.
const DAY: i64 = 86_400;

/// A calendar day. Ordered by time; printed and parsed only as `2026-05-01`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// Days since 1970-01-01.
    days: i64,
}

impl Date {
    /// Parses `2026-05-01`: exactly ten characters and a day that exists.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        days_of_date(text.as_bytes()).map(|days| Self { days })
    }

    /// Returns the midnights at the start and end of the day, as if it were in UTC.
    #[must_use]
    pub fn midnights(self) -> (Timestamp, Timestamp) {
        (Timestamp(self.days * DAY * 1000), Timestamp((self.days + 1) * DAY * 1000))
    }

    /// Formats the date as `11 July`, with the year if it is not that of `today`.
    #[must_use]
    pub fn in_words(self, today: Self) -> String {
        let text = self.to_string();
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next(), parts.next(), parts.next());
        let number = |part: Option<&str>| part.and_then(|part| part.parse::<usize>().ok());
        let month = number(month).and_then(|month| MONTHS.get(month - 1)).copied();
        let (day, month) = (number(day).unwrap_or_default(), month.unwrap_or_default());
        match year {
            Some(year) if !today.to_string().starts_with(year) => format!("{day} {month} {year}"),
            _ => format!("{day} {month}"),
        }
    }

    #[must_use]
    pub fn yesterday(self) -> Self {
        Self { days: self.days - 1 }
    }

    /// Returns the days from `other` to this date; negative if `other` is later.
    #[must_use]
    pub fn days_since(self, other: Self) -> i64 {
        self.days - other.days
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Timestamp(self.days * DAY * 1000).date())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalTime {
    pub date: Date,
    /// Seconds since midnight.
    seconds: i64,
}

impl LocalTime {
    /// Returns the local time of `at` where clocks are `offset` seconds ahead of UTC.
    #[must_use]
    pub fn new(at: Timestamp, offset: i32) -> Self {
        let local = at.0.div_euclid(1000) + i64::from(offset);
        Self { date: Date { days: local.div_euclid(DAY) }, seconds: local.rem_euclid(DAY) }
    }

    /// Parses `2026-05-01 14:30:00`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (date, clock) = text.split_once(' ')?;
        let number = |part: &str, below: i64| -> Option<i64> {
            let digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse().ok().filter(|number| digits && *number < below)
        };
        let mut parts = clock.split(':');
        let [hours, minutes, seconds] =
            [number(parts.next()?, 24)?, number(parts.next()?, 60)?, number(parts.next()?, 60)?];
        let time =
            Self { date: Date::parse(date)?, seconds: (hours * 60 + minutes) * 60 + seconds };
        parts.next().is_none().then_some(time)
    }

    /// Returns the seconds from `other`, in the same place, to this time; negative if `other` is
    /// later.
    #[must_use]
    pub fn seconds_since(self, other: Self) -> i64 {
        self.date.days_since(other.date).saturating_mul(DAY) + self.seconds - other.seconds
    }

    /// Minutes since midnight.
    #[must_use]
    pub fn minute(self) -> u16 {
        u16::try_from(self.seconds / 60).unwrap_or(0)
    }

    /// Formats the time of day as `14:30`.
    #[must_use]
    pub fn clock(self) -> String {
        format!("{:02}:{:02}", self.seconds / 3600, self.seconds / 60 % 60)
    }
}

impl fmt::Display for LocalTime {
    /// `2026-05-01 14:30:00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}:{:02}", self.date, self.clock(), self.seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_path_agrees_with_the_library() {
        for text in [
            "1970-01-01T00:00:00.000Z",
            "2024-02-29T23:59:59.999Z",
            "2026-06-30T18:00:00.250Z",
            "1969-12-31T23:59:59.999Z",
            "1900-03-01T00:00:00.000Z",
            "9999-12-31T23:59:59.000Z",
        ] {
            let library = DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis();
            assert_eq!(canonical(text.as_bytes()), Some(Timestamp(library)), "{text}");
            assert_eq!(Timestamp(library).to_string(), text);
        }
    }

    #[test]
    fn refuses_what_is_no_time() {
        for text in ["1900-02-29", "2100-02-29", "2026-04-31", "2026-00-01", "2026-01-00"] {
            assert_eq!(Timestamp::parse_date(text), None, "{text}");
        }
        assert!(Timestamp::parse_date("2000-02-29").is_some());
        for text in ["", "2026-13-01", "2026-02-29", "2026-1-01", "../x", "2026-01-01x"] {
            assert_eq!(Timestamp::parse_date(text), None, "{text}");
        }
        for text in ["2026-02-30T00:00:00.000Z", "2026-01-01T24:00:00.000Z", "yesterday", ""] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn ages() {
        for (text, want) in [
            ("90s", Some(90_000)),
            ("30m", Some(1_800_000)),
            ("2h", Some(7_200_000)),
            ("1d", Some(86_400_000)),
            ("0d", Some(0)),
            ("4294967295d", Some(371_085_174_288_000_000)),
            ("4294967296d", None),
            ("+1d", None),
            ("-1d", None),
            ("1.5d", None),
            ("1y", None),
            ("1 d", None),
            ("1D", None),
            ("d", None),
            ("7", None),
            ("", None),
        ] {
            assert_eq!(Age::parse(text), want.map(Age), "{text}");
        }
    }

    #[test]
    fn seconds() {
        for (text, want) in [
            ("1970-01-01T00:00:01.999Z", 1),
            ("2026-05-01T10:00:00Z", 1_777_629_600),
            ("2106-02-07T06:28:15Z", u32::MAX),
            ("2106-02-07T06:28:16Z", 0),
            ("1969-12-31T23:59:59Z", 0),
            ("1970-01-01T00:00:00Z", 0),
        ] {
            let seconds = Timestamp::parse(text).unwrap().seconds();
            assert_eq!(seconds, want, "{text}");
            let back = Timestamp::from_seconds(seconds).map(Timestamp::seconds);
            assert_eq!(back, (want != 0).then_some(want), "{text}");
        }
    }

    #[test]
    fn an_age_is_never_negative() {
        let now = Now(Timestamp(1_000));
        assert_eq!(now.since(Timestamp(5_000)), Age(0));
        assert_eq!(now.since(Timestamp(i64::MIN)), Age(i64::MAX as u64));
        assert_eq!(now.cap(Timestamp(5_000)), Timestamp(1_000));
    }
}

#[cfg(test)]
mod calendar_tests {
    use super::*;

    #[test]
    fn dates_are_read_strictly() {
        for good in ["1970-01-01", "2026-02-28", "2028-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(Date::parse(good).map(|date| date.to_string()).as_deref(), Some(good));
        }
        for bad in [
            "",
            "2026-13-01",
            "2026-02-29",
            "2026-00-10",
            "2026-01-32",
            "2026-1-1",
            "26-01-01",
            "2026/01/01",
            "../x",
            "2026-01-01.md",
            " 2026-01-01",
            "2026-01-01 ",
            "٢٠٢٦-٠١-٠١",
            "20260101",
            "-026-01-01",
            "+026-01-01",
            "today",
        ] {
            assert_eq!(Date::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn moments_are_read_as_they_are_printed() {
        let time = |text: &str| LocalTime::parse(text).unwrap();
        for good in ["2026-05-01 14:30:05", "1970-01-01 00:00:00", "9999-12-31 23:59:59"] {
            assert_eq!(time(good).to_string(), good);
        }
        for bad in [
            "",
            "2026-05-01",
            "2026-05-01 24:00:00",
            "2026-05-01 1:00:00",
            "2026-05-01 10:00",
            "2026-05-01 10:00:00:00",
            "2026-05-01 +1:00:00",
            "2026-02-30 10:00:00",
        ] {
            assert_eq!(LocalTime::parse(bad), None, "{bad}");
        }
        let (before, after) = (time("2026-02-28 23:59:30"), time("2026-03-01 00:00:20"));
        assert_eq!((after.seconds_since(before), before.seconds_since(after)), (50, -50));
    }

    #[test]
    fn a_moment_has_another_day_elsewhere() {
        let at = Timestamp::parse("2026-02-28T23:30:05.999Z").unwrap();
        for (offset, want) in [
            (0, "2026-02-28 23:30:05"),
            (3600, "2026-03-01 00:30:05"),
            (-8 * 3600, "2026-02-28 15:30:05"),
            (20_700, "2026-03-01 05:15:05"),
        ] {
            let local = LocalTime::new(at, offset);
            assert_eq!(local.to_string(), want);
            assert_eq!(local.clock(), want[11..16]);
        }
        let before = LocalTime::new(Timestamp(-1), 0);
        assert_eq!(before.to_string(), "1969-12-31 23:59:59");
        assert_eq!(before.date.yesterday().to_string(), "1969-12-30");
    }
}
