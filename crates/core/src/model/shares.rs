//! Work on many values by all processors.

use std::{
    num::NonZero,
    panic::resume_unwind,
    thread::{self, Builder},
};

/// Number of lines from which work on a second processor takes longer than starting its thread.
pub const MANY_LINES: usize = 500;

/// Applies a function to shares of at least `least` items at the same time. Returns the results in
/// the order of the items; they do not depend on the number of processors.
pub fn in_shares<T: Sync, R: Send>(
    items: &[T],
    least: usize,
    of: impl Fn(&[T]) -> Vec<R> + Sync,
) -> Vec<R> {
    // The number of processors is read from files.
    if items.len() <= least {
        return of(items);
    }
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let share = items.len().div_ceil(processors).max(least);
    let Some((first, rest)) = items.split_at_checked(share).filter(|(_, rest)| !rest.is_empty())
    else {
        return of(items);
    };
    let of = &of;
    thread::scope(|scope| {
        // Where no thread is to be had, this one does its share.
        let spawn = |part| Builder::new().spawn_scoped(scope, move || of(part)).map_err(|_| part);
        let others: Vec<_> = rest.chunks(share).map(spawn).collect();
        let mut results = of(first);
        for other in others {
            results.extend(match other {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                Err(part) => of(part),
            });
        }
        results
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order() {
        let items: Vec<usize> = (0..1000).collect();
        for least in [1, 7, 500, 999, 1000, 5000] {
            let doubled = in_shares(&items, least, |part| {
                assert!(part.len() >= least.min(1000) || part.last() == Some(&999), "{least}");
                part.iter().map(|item| 2 * item).collect()
            });
            assert!(doubled.iter().zip(&items).all(|(double, item)| *double == 2 * item));
            assert_eq!(doubled.len(), 1000, "{least}");
        }
        assert!(in_shares(&[] as &[u8], 1, <[u8]>::to_vec).is_empty());
    }
}
