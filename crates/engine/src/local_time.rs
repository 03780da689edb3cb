//! Conversion between timestamps and local dates.

use chrono::{DateTime, Local, TimeDelta, TimeZone};

use pimem_core::model::time::{DAY_MS, Date, LocalTime, Timestamp};

/// Step of the search for the start of a day; zones change their clocks by at least this much.
const STEP_MS: i64 = 15 * 60_000;
const HOUR_MS: i64 = 3_600_000;

pub fn end_of(day: Date) -> Timestamp {
    let (_, midnight) = day.midnights();
    let midnight = DateTime::from_timestamp_millis(midnight.0).unwrap_or_default().naive_utc();
    // Where clocks are put forward at midnight, the next day begins with the first time that
    // exists.
    let steps = (0..=DAY_MS / STEP_MS).map(|step| TimeDelta::milliseconds(step * STEP_MS));
    let mut times = steps.filter_map(|step| midnight.checked_add_signed(step));
    let next = times.find_map(|time| Local.from_local_datetime(&time).latest());
    let next = next.unwrap_or_else(|| midnight.and_utc().into());
    Timestamp(next.timestamp_millis() - 1).min(Timestamp::LAST)
}

/// Returns the first moment of the day that has a moment.
pub fn start_of_day(at: Timestamp) -> Timestamp {
    let day = local(at).date;
    // A day has at most 25 hours.
    let mut before = (1..=26).map(|hours| local(Timestamp(at.0 - hours * HOUR_MS)).date);
    let start = before.find(|before| *before != day).map(|before| end_of(before).0 + 1);
    Timestamp(start.unwrap_or(at.0))
}

/// Returns the day that ends with a moment, in local time or in UTC, which earlier versions used.
pub fn ending(at: Timestamp) -> Option<Date> {
    let day = local(at).date;
    let elsewhere = || Date::parse(&at.date()).filter(|day| day.midnights().1.0 - 1 == at.0);
    if end_of(day) == at { Some(day) } else { elsewhere() }
}

pub fn date(at: Timestamp) -> String {
    local(at).date.to_string()
}

pub fn local(at: Timestamp) -> LocalTime {
    let offset = Local.timestamp_millis_opt(at.0).earliest();
    LocalTime::new(at, offset.map_or(0, |time| time.offset().local_minus_utc()))
}
