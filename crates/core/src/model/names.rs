//! Names: enums whose variants have names in files, in output or on the command line, and what a
//! wrong name may have been meant to be.

/// Declares an enum with a name for each variant, a list of all variants, and a lookup by name.
#[macro_export]
macro_rules! named {
    ($(#[$outer:meta])* $vis:vis enum $Enum:ident {
        $($(#[$inner:meta])* $Variant:ident = $name:literal,)+
    }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $(#[$outer])*
        $vis enum $Enum { $($(#[$inner])* $Variant,)+ }

        impl $Enum {
            /// All variants, in order.
            pub const ALL: [Self; Self::NAMES.len()] = [$(Self::$Variant),+];
            /// All names, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// The name in files, in output and on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name),+ }
            }

            #[must_use]
            pub fn find(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$Variant),)+ _ => None }
            }
        }
    };
}

/// Maximum length of a name for which a similar one is suggested.
const NAME: usize = 64;

/// Returns the name in `known` that is most similar to `wrong`, if any is similar enough.
#[must_use]
pub fn closest<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if wrong.len() > NAME {
        return None;
    }
    known
        .map(|name| (distance(&wrong.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(far, name)| *far <= 1 + name.len() / 3)
        .min()
        .map(|(_, name)| name)
}

/// Returns the Levenshtein distance.
#[must_use]
pub fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (at, from) in a.chars().enumerate() {
        let mut corner = at;
        let mut left = at + 1;
        let mut next = vec![left];
        for (to, above) in b.chars().zip(row.iter().skip(1)) {
            left = (corner + usize::from(from != to)).min(left + 1).min(above + 1);
            corner = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions() {
        let known = ["report.budget", "report.context", "scoring.fresh"];
        let suggest = |wrong| closest(wrong, known.into_iter());
        assert_eq!(suggest("report.bugdet"), Some("report.budget"));
        assert_eq!(suggest("Report.Budget"), Some("report.budget"));
        assert_eq!(suggest("zzz"), None);
        assert_eq!((distance("kitten", "sitting"), distance("", "ab")), (3, 2));
    }
}
