//! Aligns two sequences of keys by patience diff: keys that occur once in both are anchors, and the
//! parts between two anchors are aligned recursively.
//!
//! About linear. The alignment is deterministic, but not necessarily the longest.

use std::{collections::HashMap, ops::Range};

/// Maximum depth of recursion.
const DEPTH: usize = 16;

/// Positions of equal keys in two sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    pub a: usize,
    pub b: usize,
}

/// Returns pairs of positions with equal keys, increasing in both sequences.
pub fn align(a: &[u32], b: &[u32]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut open = vec![(0..a.len(), 0..b.len(), 0)];
    while let Some((mut x, mut y, depth)) = open.pop() {
        while !x.is_empty() && !y.is_empty() && a.get(x.start) == b.get(y.start) {
            pairs.push(Pair { a: x.start, b: y.start });
            (x.start, y.start) = (x.start + 1, y.start + 1);
        }
        while !x.is_empty() && !y.is_empty() && a.get(x.end - 1) == b.get(y.end - 1) {
            (x.end, y.end) = (x.end - 1, y.end - 1);
            pairs.push(Pair { a: x.end, b: y.end });
        }
        if x.is_empty() || y.is_empty() {
            continue;
        }
        let (all, unique) = candidates(a, b, &x, &y);
        if unique.is_empty() || depth == DEPTH {
            pairs.extend(rising(&all));
            continue;
        }
        let (mut i, mut j) = (x.start, y.start);
        for pair in rising(&unique) {
            open.push((i..pair.a, j..pair.b, depth + 1));
            pairs.push(pair);
            (i, j) = (pair.a + 1, pair.b + 1);
        }
        open.push((i..x.end, j..y.end, depth + 1));
    }
    pairs.sort_unstable();
    pairs
}

/// Pairs the first position of each key with its first one in the other range, the second with the
/// second and so on. Returns all pairs, and those of keys that occur once in both.
fn candidates(a: &[u32], b: &[u32], x: &Range<usize>, y: &Range<usize>) -> (Vec<Pair>, Vec<Pair>) {
    let mut there: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, key) in y.clone().zip(b.get(y.clone()).unwrap_or_default()) {
        there.entry(*key).or_default().push(at);
    }
    let mut here: HashMap<u32, usize> = HashMap::new();
    let mut all = Vec::new();
    let keys = a.get(x.clone()).unwrap_or_default();
    for (at, key) in x.clone().zip(keys) {
        let number = here.entry(*key).or_default();
        all.extend(
            there.get(key).and_then(|places| places.get(*number)).map(|to| Pair { a: at, b: *to }),
        );
        *number += 1;
    }
    let once = |key: &u32| {
        here.get(key) == Some(&1) && there.get(key).is_some_and(|places| places.len() == 1)
    };
    let unique = all.iter().filter(|pair| a.get(pair.a).is_some_and(once)).copied().collect();
    (all, unique)
}

/// Returns the longest subsequence of `pairs` that increases in `b`. They must increase in `a`.
fn rising(pairs: &[Pair]) -> Vec<Pair> {
    // For each length, the last pair of the chain with the smallest end in `b`.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let right = |at: &usize| pairs.get(*at).map(|pair| pair.b);
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| right(end) < Some(pair.b));
        before.push(length.checked_sub(1).and_then(|last| ends.get(last)).copied());
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut chain = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        chain.extend(pairs.get(at));
        next = before.get(at).copied().flatten();
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_the_same_is_found() {
        for (a, b, want) in [
            (&[1, 2, 3][..], &[1, 2, 3][..], &[(0, 0), (1, 1), (2, 2)][..]),
            (&[1, 2, 3], &[1, 3], &[(0, 0), (2, 1)]),
            (&[1, 0, 2, 0, 3], &[1, 0, 9, 0, 2, 0, 3], &[(0, 0), (1, 1), (2, 4), (3, 5), (4, 6)]),
            (&[1, 2, 3, 4], &[2, 3, 4, 1], &[(1, 0), (2, 1), (3, 2)]),
            (&[5, 5, 7, 5], &[6, 5, 5, 8], &[(0, 1), (1, 2)]),
            (&[], &[1], &[]),
        ] {
            let want: Vec<_> = want.iter().map(|&(a, b)| Pair { a, b }).collect();
            assert_eq!(align(a, b), want, "{a:?} {b:?}");
        }
    }

    proptest! {
        #[test]
        fn pairs_are_equal_and_rise(
            a in prop::collection::vec(0_u32..9, 0..40),
            b in prop::collection::vec(0_u32..9, 0..40),
        ) {
            let pairs = align(&a, &b);
            prop_assert!(pairs.iter().all(|pair| a[pair.a] == b[pair.b]));
            prop_assert!(pairs.windows(2).all(|two| two[0].a < two[1].a && two[0].b < two[1].b));
            let whole: Vec<_> = (0..a.len()).map(|at| Pair { a: at, b: at }).collect();
            prop_assert_eq!(align(&a, &a), whole);
        }
    }
}
