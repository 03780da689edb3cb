//! Calendar dates and local times. The caller provides the offset from UTC.

use std::fmt;

use super::time::{Timestamp, days_of_date};

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

/// A moment in local time.
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
