//! The clock that entries age by: calendar time, or days on which the store was used.

use crate::model::time::{Age, DAY_MS, Now, Timestamp};

/// The unit by which entries age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    Calendar,
    /// UTC days on which the log of the store has an event. Every day after the reader's current
    /// one counts.
    Active(Now),
}

/// The UTC days on which the log of a store has an event, sorted and without duplicates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActiveDays(Vec<i64>);

/// A clock at a moment, with the days of one store.
#[derive(Debug, Clone, Copy)]
pub struct Hands<'a> {
    now: Now,
    clock: Clock,
    days: &'a ActiveDays,
}

/// Returns the number of a moment's UTC day.
fn day(moment: Timestamp) -> i64 {
    moment.0.div_euclid(DAY_MS)
}

impl FromIterator<Timestamp> for ActiveDays {
    fn from_iter<I: IntoIterator<Item = Timestamp>>(times: I) -> Self {
        let mut days: Vec<i64> = Vec::new();
        // Logs are nearly in order, so most duplicates are adjacent.
        for day in times.into_iter().map(day) {
            if days.last() != Some(&day) {
                days.push(day);
            }
        }
        days.sort_unstable();
        days.dedup();
        Self(days)
    }
}

impl ActiveDays {
    /// Returns the number of days after the day of `after`, up to and including the day of `until`.
    #[must_use]
    pub fn between(&self, after: Timestamp, until: Timestamp) -> usize {
        let up_to = |moment| self.0.partition_point(|known| *known <= day(moment));
        up_to(until).saturating_sub(up_to(after))
    }
}

impl Clock {
    /// Returns the clock at `now` in a store that was used on `days`.
    #[must_use]
    pub fn at(self, now: Now, days: &ActiveDays) -> Hands<'_> {
        Hands { now, clock: self, days }
    }

    /// Returns the time between `now` and `then` by this clock, where `then` is not before `now`.
    #[must_use]
    pub fn ahead(self, now: Now, then: Now) -> Age {
        match self {
            Self::Calendar => then.since(now.0),
            Self::Active(_) => whole_days(day(then.0).saturating_sub(day(now.0))),
        }
    }

    /// Returns the first moment from `now` on at which `more` milliseconds have passed by this
    /// clock.
    #[must_use]
    pub fn reached(self, now: Now, more: i64) -> Timestamp {
        match self {
            Self::Calendar => Timestamp(now.0.0.saturating_add(more)),
            Self::Active(_) if more <= 0 => now.0,
            Self::Active(_) => {
                let days = more.saturating_add(DAY_MS - 1).div_euclid(DAY_MS);
                Timestamp(day(now.0).saturating_add(days).saturating_mul(DAY_MS))
            }
        }
    }
}

impl Hands<'_> {
    /// Returns the time since `then` by this clock, or zero if `then` is in the future.
    #[must_use]
    pub fn since(&self, then: Timestamp) -> Age {
        match self.clock {
            Clock::Calendar => self.now.since(then),
            Clock::Active(reader) => {
                let known = self.days.between(then, self.now.0.min(reader.0));
                let known = i64::try_from(known).unwrap_or(i64::MAX);
                let coming = day(self.now.0).saturating_sub(day(then.max(reader.0)));
                whole_days(known.saturating_add(coming.max(0)))
            }
        }
    }
}

fn whole_days(days: i64) -> Age {
    Age(u64::try_from(days.saturating_mul(DAY_MS)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(day: i64, hour: i64) -> Timestamp {
        Timestamp(day * DAY_MS + hour * 3_600_000)
    }

    /// Returns the days of use since `then`.
    fn since(events: &[Timestamp], reader: Timestamp, now: Timestamp, then: Timestamp) -> u64 {
        let days = events.iter().copied().collect();
        Clock::Active(Now(reader)).at(Now(now), &days).since(then).0 / DAY_MS.unsigned_abs()
    }

    #[test]
    fn days_of_use_are_counted() {
        let used = [at(1, 9), at(1, 23), at(3, 0), at(9, 12)];
        for (now, then, want) in [
            (at(1, 23), at(1, 0), 0),
            (at(2, 12), at(1, 0), 0),
            (at(3, 0), at(1, 23), 1),
            (at(8, 0), at(1, 9), 1),
            (at(9, 0), at(1, 9), 2),
            (at(9, 0), at(0, 0), 3),
            (at(9, 23), at(9, 1), 0),
            (at(60, 0), at(9, 12), 0),
            (at(9, 0), at(60, 0), 0),
        ] {
            assert_eq!(since(&used, now, now, then), want, "{now} {then}");
        }
        // From the reader's day on, each day counts.
        assert_eq!(since(&used, at(9, 12), at(12, 1), at(3, 0)), 4);
        assert_eq!(since(&used, at(5, 12), at(12, 1), at(3, 0)), 7);
        assert_eq!(since(&used, at(5, 12), at(12, 1), at(8, 0)), 4);
    }

    #[test]
    fn what_is_reached_when() {
        let (calendar, active) = (Clock::Calendar, Clock::Active(Now(at(5, 7))));
        let now = Now(at(5, 7));
        for (more, by_calendar, by_use) in [
            (-1, Timestamp(at(5, 7).0 - 1), at(5, 7)),
            (0, at(5, 7), at(5, 7)),
            (1, Timestamp(at(5, 7).0 + 1), at(6, 0)),
            (DAY_MS, at(6, 7), at(6, 0)),
            (DAY_MS + 1, Timestamp(at(6, 7).0 + 1), at(7, 0)),
        ] {
            assert_eq!(calendar.reached(now, more), by_calendar, "{more}");
            assert_eq!(active.reached(now, more), by_use, "{more}");
        }
    }

    proptest! {
        /// Entries do not age in a pause without writes, and never age faster than by the calendar.
        #[test]
        fn a_pause_ages_nothing(
            events in prop::collection::vec(0..2_000_i64, 1..40),
            then in 0..2_000_i64,
            pause in 0..20_000_i64,
        ) {
            let hour = |hours: &i64| Timestamp(hours * 3_600_000);
            let used: Vec<Timestamp> = events.iter().map(hour).collect();
            let last = used.iter().copied().max().unwrap();
            let then = hour(&then).min(last);
            let after = Timestamp(last.0 + pause * 3_600_000);
            let (before, after) = (since(&used, last, last, then), since(&used, after, after, then));
            prop_assert_eq!(before, after);
            let calendar = Now(last).since(then).0.div_ceil(DAY_MS.unsigned_abs());
            prop_assert!(before <= calendar, "{} of {}", before, calendar);
        }

        /// The order and the number of events on a day do not matter.
        #[test]
        fn days_are_a_set(mut events in prop::collection::vec(-50..50_i64, 0..40)) {
            let days = |events: &[i64]| -> ActiveDays {
                events.iter().map(|hour| Timestamp(hour * 3_600_000)).collect()
            };
            let first = days(&events);
            events.extend(events.clone());
            events.reverse();
            prop_assert_eq!(&first, &days(&events));
            prop_assert!(first.0.is_sorted_by(|a, b| a < b));
        }

        /// The age at a later time is the age now plus the time ahead.
        #[test]
        fn time_to_come_adds_up(
            events in prop::collection::vec(0..500_i64, 0..20),
            then in 0..500_i64,
            now in 0..500_i64,
            later in 0..500_i64,
        ) {
            let hour = |hours: i64| Timestamp(hours * 3_600_000);
            let days: ActiveDays = events.into_iter().map(hour).collect();
            let (now, later) = (Now(hour(now)), Now(hour(now + later)));
            let then = hour(then).min(now.0);
            for clock in [Clock::Calendar, Clock::Active(now)] {
                let before = clock.at(now, &days).since(then).0;
                let whole = clock.at(later, &days).since(then).0;
                prop_assert_eq!(whole, before + clock.ahead(now, later).0);
            }
        }
    }
}
