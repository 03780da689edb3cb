//! What recall puts into prompts: whether it helps those with an answer, and leaves the others
//! alone.

use super::metrics::Grades;

/// The lines that recall puts into one prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecallScore {
    /// True if something answers the prompt.
    pub has_answer: bool,
    /// Number of lines.
    pub lines: usize,
    /// Number of lines that answer it.
    pub relevant: usize,
}

impl RecallScore {
    /// Compares the documents recalled with the relevant ones.
    #[must_use]
    pub fn of(recalled: &[&str], relevant: &Grades) -> Self {
        let answers = |id: &&&str| relevant.get(**id).is_some_and(|grade| *grade > 0);
        Self {
            has_answer: relevant.values().any(|grade| *grade > 0),
            lines: recalled.len(),
            relevant: recalled.iter().filter(answers).count(),
        }
    }
}

/// What recall does for many prompts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ServedPrompts {
    /// Share of the prompts with an answer for which a relevant line is recalled; `None` if there
    /// are none.
    pub served: Option<f64>,
    /// Share of the recalled lines that are relevant; `None` if nothing is recalled.
    pub precision: Option<f64>,
    /// Number of prompts without an answer for which something is recalled.
    pub needless: usize,
}

impl ServedPrompts {
    /// Sums up what was recalled.
    #[must_use]
    pub fn of(all: impl IntoIterator<Item = RecallScore>) -> Self {
        let (mut asked, mut served, mut lines, mut relevant, mut needless) = (0, 0, 0, 0, 0);
        for one in all {
            asked += usize::from(one.has_answer);
            served += usize::from(one.relevant > 0);
            needless += usize::from(!one.has_answer && one.lines > 0);
            lines += one.lines;
            relevant += one.relevant;
        }
        let share = |part: usize, all: usize| (all > 0).then(|| part as f64 / all as f64);
        Self { served: share(served, asked), precision: share(relevant, lines), needless }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recalled(ids: &str, relevant: &[(&str, u32)]) -> RecallScore {
        let ids: Vec<&str> = ids.split_whitespace().collect();
        let pairs = relevant.iter().map(|(id, grade)| ((*id).to_owned(), *grade));
        RecallScore::of(&ids, &pairs.collect())
    }

    #[test]
    fn by_hand() {
        let one = [("a", 2), ("b", 1), ("c", 0)];
        for (all, served, precision, needless) in [
            (&[][..], None, None, 0),
            (&[recalled("", &one)], Some(0.0), None, 0),
            (&[recalled("x a b", &one)], Some(1.0), Some(2.0 / 3.0), 0),
            (&[recalled("c", &one)], Some(0.0), Some(0.0), 0),
            (&[recalled("", &[])], None, None, 0),
            (&[recalled("x y", &[("c", 0)])], None, Some(0.0), 1),
            (
                &[recalled("a x", &one), recalled("", &one), recalled("y", &[]), recalled("", &[])],
                Some(0.5),
                Some(1.0 / 3.0),
                1,
            ),
        ] {
            let got = ServedPrompts::of(all.iter().copied());
            assert_eq!(got, ServedPrompts { served, precision, needless }, "{all:?}");
        }
    }
}
