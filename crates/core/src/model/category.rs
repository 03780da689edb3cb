//! Categories of memories, with their decay, caps and report sections.

use std::borrow::Cow;

use crate::named;

/// Index into a [`Categories`] table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CategoryId(pub u16);

/// The settings of a category. The built-in ones are the table in section 4 of the specification.
#[derive(Debug, Clone, PartialEq)]
pub struct CategorySpec {
    /// The word between the brackets of an entry line.
    pub name: Cow<'static, str>,
    /// Stem of the topic file that `add` writes to.
    pub topic: Cow<'static, str>,
    /// Decay constant τ in days: after τ days without reinforcement, 1/e of the score is left.
    pub tau_days: f64,
    /// Maximum number of active entries.
    pub max_active: usize,
    /// Heading of the section in the report.
    pub section: Cow<'static, str>,
    /// Token budget of the section.
    pub section_tokens: u32,
    /// If set, the report shows only entries reinforced within this many days.
    pub window_days: Option<f64>,
    /// Factor of the lasting value, by which entries fill the space that sections leave in a
    /// report.
    pub fill: f64,
}

/// Days in which an entry's lasting value falls to 1/e.
const LASTING_DAYS: f64 = 30.0;
/// Like [`LASTING_DAYS`], for completions, which are soon of no interest.
const DONE_LASTING_DAYS: f64 = 7.0;
/// Default factor of the lasting value.
pub const FILL: f64 = 1.5;
/// Categories of reports: what was done, said or seen at one time.
const REPORTS: [&str; 4] = ["done", "session", "context", "tool-result"];

named! {
    /// A set of categories.
    #[derive(Default)]
    pub enum Preset {
        /// The six of pi.
        #[default]
        Pi = "pi",
        /// Those, and what a developer runs into.
        Aide = "aide",
        /// Those of pi, and what an assistant is told.
        Sovereign = "sovereign",
        All = "all",
    }
}

impl Preset {
    /// Returns true if the preset has the categories that `of` adds.
    fn has(self, of: Self) -> bool {
        of == Self::Pi || self == of || self == Self::All
    }
}

impl CategorySpec {
    /// Days in which an entry's lasting value falls to 1/e.
    #[must_use]
    pub fn lasting_days(&self) -> f64 {
        if self.is_done() { DONE_LASTING_DAYS } else { LASTING_DAYS }
    }

    /// Returns true if entries report what was done or seen. Each of them stands for itself.
    #[must_use]
    pub fn is_done(&self) -> bool {
        REPORTS.contains(&self.name.as_ref())
    }
}

/// The categories in force, in the order of the report's sections.
#[derive(Debug, Clone, PartialEq)]
pub struct Categories {
    /// Those in force, then those that are only read.
    specs: Vec<CategorySpec>,
    /// Number of those in force.
    set: usize,
}

/// Fallback for an invalid id: nothing is active or shown.
static NONE: CategorySpec = built_in("", "", 1.0, 0, ("", 0), None, 0.0);

const fn built_in(
    name: &'static str,
    topic: &'static str,
    tau_days: f64,
    max_active: usize,
    (section, section_tokens): (&'static str, u32),
    window_days: Option<f64>,
    fill: f64,
) -> CategorySpec {
    CategorySpec {
        name: Cow::Borrowed(name),
        topic: Cow::Borrowed(topic),
        tau_days,
        max_active,
        section: Cow::Borrowed(section),
        section_tokens,
        window_days,
        fill,
    }
}

/// The built-in categories in the order of the report's sections, each with the preset that adds it.
#[rustfmt::skip]
static BUILT_IN: [(Preset, CategorySpec); 17] = [
    (Preset::Pi, built_in("preference", "preferences", 90.0, 8, ("Active Preferences", 400), None, 2.0)),
    (Preset::Sovereign, built_in("correction", "corrections", 90.0, 6, ("Corrections", 200), None, 3.0)),
    (Preset::Sovereign, built_in("fact", "facts", 90.0, 8, ("Facts", 400), None, 2.0)),
    (Preset::Pi, built_in("lesson", "lessons", 60.0, 8, ("Active Lessons", 400), None, FILL)),
    (Preset::Aide, built_in("learning", "learnings", 60.0, 6, ("Learnings", 200), None, FILL)),
    (Preset::Pi, built_in("mistake", "mistakes", 14.0, 4, ("Vetoes & Mistakes", 200), None, FILL)),
    (Preset::Aide, built_in("abandoned", "abandoned", 60.0, 4, ("Abandoned Approaches", 200), None, FILL)),
    (Preset::Aide, built_in("gotcha", "gotchas", 60.0, 4, ("Gotchas", 200), None, FILL)),
    (Preset::Aide, built_in("blocker", "blockers", 14.0, 4, ("Blockers", 200), None, FILL)),
    (Preset::Aide, built_in("issue", "issues", 30.0, 4, ("Issues", 200), None, FILL)),
    (Preset::Pi, built_in("pattern", "patterns", 30.0, 6, ("Patterns", 200), None, FILL)),
    (Preset::Aide, built_in("discovery", "discoveries", 30.0, 4, ("Discoveries", 200), None, FILL)),
    (Preset::Pi, built_in("decision", "decisions", 30.0, 4, ("Recent Decisions", 200), Some(7.0), 3.0)),
    (Preset::Pi, built_in("done", "completions", 14.0, 4, ("Recent Completions", 200), Some(3.0), 1.0)),
    (Preset::Aide, built_in("session", "sessions", 14.0, 4, ("Sessions", 200), Some(7.0), 1.0)),
    (Preset::Sovereign, built_in("context", "context", 14.0, 4, ("Context", 200), Some(7.0), 1.0)),
    (Preset::Sovereign, built_in("tool-result", "tool-results", 7.0, 4, ("Tool Results", 200), Some(3.0), 1.0)),
];

impl Categories {
    /// Returns the six default categories followed by `extra`.
    #[must_use]
    pub fn new(extra: Vec<CategorySpec>) -> Self {
        Self::of(Preset::Pi, extra)
    }

    /// Returns the categories of a preset followed by `extra`. An extra category replaces a built-in
    /// one of the same name.
    #[must_use]
    pub fn of(preset: Preset, extra: Vec<CategorySpec>) -> Self {
        let built_in = BUILT_IN.iter().filter(|(of, _)| preset.has(*of));
        let mut specs: Vec<CategorySpec> = built_in.map(|(_, spec)| spec.clone()).collect();
        for spec in extra {
            match specs.iter_mut().find(|known| known.name == spec.name) {
                Some(known) => *known = spec,
                None => specs.push(spec),
            }
        }
        let set = specs.len();
        Self { specs, set }
    }

    /// Returns the same categories, where entries of the other built-in ones are still read.
    #[must_use]
    pub fn reading_all(mut self) -> Self {
        for (_, spec) in &BUILT_IN {
            if self.find(&spec.name).is_none() {
                self.specs.push(spec.clone());
            }
        }
        self
    }

    /// Returns true if there are categories whose entries are only read.
    #[must_use]
    pub fn reads_more(&self) -> bool {
        self.set < self.specs.len()
    }

    /// Returns false for a category whose entries are only read.
    #[must_use]
    pub fn is_set(&self, id: CategoryId) -> bool {
        usize::from(id.0) < self.set
    }

    /// Resets section headings to their defaults where `keeps` returns false for the current one.
    /// Returns the replaced headings.
    pub fn reset_headings(&mut self, keeps: impl Fn(&str) -> bool) -> Vec<String> {
        let built_in = Self::of(Preset::All, Vec::new());
        let mut gone = Vec::new();
        for spec in &mut self.specs {
            let known = built_in.find(&spec.name).map(|id| built_in.spec(id).section.clone());
            let own = known.unwrap_or_else(|| spec.name.clone());
            if spec.section != own && spec.section != spec.name && !keeps(&spec.section) {
                gone.push(std::mem::replace(&mut spec.section, own).into_owned());
            }
        }
        gone
    }

    /// Returns the category with this name, which may be one that is only read.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<CategoryId> {
        let index = self.specs.iter().position(|spec| spec.name == name)?;
        u16::try_from(index).ok().map(CategoryId)
    }

    /// Returns the settings of a category.
    #[must_use]
    pub fn spec(&self, id: CategoryId) -> &CategorySpec {
        self.specs.get(usize::from(id.0)).unwrap_or(&NONE)
    }

    /// All categories in force, in report order.
    pub fn iter(&self) -> impl Iterator<Item = (CategoryId, &CategorySpec)> {
        self.known().take(self.set)
    }

    /// All categories, in force or only read.
    pub fn known(&self) -> impl Iterator<Item = (CategoryId, &CategorySpec)> {
        (0..).map(CategoryId).zip(&self.specs)
    }

    /// Returns the names, separated by commas, for hints.
    #[must_use]
    pub fn names(&self) -> String {
        self.iter().map(|(_, spec)| spec.name.as_ref()).collect::<Vec<_>>().join(", ")
    }
}

impl Default for Categories {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_has_every_category() {
        let manual = include_str!("../../../../man/pimem-scoring.7").replace("\\-", "-");
        let (_, table) = manual.split_once("Each category has all values").unwrap();
        for (preset, spec) in &BUILT_IN {
            let mut row =
                format!("{} {} {} {}", spec.name, preset.name(), spec.topic, spec.tau_days);
            row += &format!(" {} {} {}", spec.max_active, spec.section, spec.section_tokens);
            if let Some(days) = spec.window_days {
                row += &format!(" {days} days");
            }
            let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(table.lines().any(|line| words(line) == row), "{row}");
        }
    }

    #[test]
    fn what_is_only_read_comes_last() {
        let all = Categories::of(Preset::Aide, Vec::new()).reading_all();
        assert_eq!(all.known().count(), BUILT_IN.len());
        for (id, spec) in all.known() {
            let is_of_aide =
                BUILT_IN.iter().any(|(of, known)| known.name == spec.name && Preset::Aide.has(*of));
            assert_eq!(all.is_set(id), is_of_aide, "{}", spec.name);
            assert_eq!(all.find(&spec.name), Some(id));
        }
        assert_eq!(all.iter().count(), 13);
        assert!(!Categories::default().reads_more());
    }
}
