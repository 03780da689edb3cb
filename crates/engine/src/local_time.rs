//! Moments and days as clocks show them here.

use chrono::{DateTime, Local, TimeDelta, TimeZone};

use pimem_core::model::{
    calendar::{Date, LocalTime},
    time::{DAY_MS, Timestamp},
};

/// Zones change their clocks by no less.
const STEP_MS: i64 = 15 * 60_000;

/// The last moment of a day.
pub fn end_of(day: Date) -> Timestamp {
    let (_, midnight) = day.midnights();
    let midnight = DateTime::from_timestamp_millis(midnight.0).unwrap_or_default().naive_utc();
    // Where clocks are put forward at midnight, the next day begins with the first time that they show.
    let steps = (0..=DAY_MS / STEP_MS).map(|step| TimeDelta::milliseconds(step * STEP_MS));
    let mut times = steps.filter_map(|step| midnight.checked_add_signed(step));
    let next = times.find_map(|time| Local.from_local_datetime(&time).latest());
    let next = next.unwrap_or_else(|| midnight.and_utc().into());
    Timestamp(next.timestamp_millis() - 1).min(Timestamp::LAST)
}

/// The day that ends with a moment: here, or in UTC, as earlier versions had it.
pub fn ending(at: Timestamp) -> Option<Date> {
    let day = local(at).date;
    let elsewhere = || Date::parse(&at.date()).filter(|day| day.midnights().1.0 - 1 == at.0);
    if end_of(day) == at { Some(day) } else { elsewhere() }
}

/// The date of a moment.
pub fn date(at: Timestamp) -> String {
    local(at).date.to_string()
}

/// A moment as clocks show it here.
pub fn local(at: Timestamp) -> LocalTime {
    let offset = Local.timestamp_millis_opt(at.0).earliest();
    LocalTime::new(at, offset.map_or(0, |time| time.offset().local_minus_utc()))
}
