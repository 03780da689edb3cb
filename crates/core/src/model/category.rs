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
    pub traits: Traits,
}

/// What fills a report and what policies besides stability make of the entries of a category.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traits {
    /// Category score under the policy `weighted`.
    pub weight: f64,
    /// The same for entries that hold in every project.
    pub weight_everywhere: f64,
    /// How they fade under the policy `ebbinghaus`.
    pub knowledge: Knowledge,
    pub listed: ListedAs,
    /// Days in which an entry's lasting value falls to 1/e.
    pub lasting_days: f64,
    /// True if entries report what was done, said or seen at one time. Each of them stands for
    /// itself.
    pub is_done: bool,
}

impl Traits {
    /// Those of a category that is not built in.
    pub const OTHER: Self = Self {
        weight: 0.50,
        weight_everywhere: 0.50,
        knowledge: Knowledge::Context,
        listed: ListedAs::ByScope,
        lasting_days: 30.0,
        is_done: false,
    };

    /// Returns those of the category with this name, also where its other settings are configured.
    #[must_use]
    pub fn of(name: &str) -> Self {
        BUILT_IN.iter().find(|known| known.name == name).map_or(Self::OTHER, |known| known.traits)
    }
}

/// What an entry competes with for a place under the policy `weighted`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedAs {
    /// Those that hold everywhere, or those of its project.
    ByScope,
    BySession,
    /// Those on the same topic.
    ByTopic,
}

named! {
    /// What kind of knowledge a memory is, in the order in which a prompt is given memories.
    #[derive(PartialOrd, Ord)]
    pub enum Knowledge {
        Correction = "correction",
        Fact = "fact",
        Preference = "preference",
        Context = "context",
        ToolResult = "tool-result",
    }
}

impl Knowledge {
    /// The factor on the rate at which it fades.
    #[must_use]
    pub fn modifier(self) -> f64 {
        match self {
            Self::Correction => 0.50,
            Self::Fact => 0.70,
            Self::Preference => 0.80,
            Self::Context | Self::ToolResult => 1.00,
        }
    }

    /// The least importance that it fades to.
    #[must_use]
    pub fn floor(self) -> f64 {
        match self {
            Self::Correction => 0.35,
            Self::Fact => 0.30,
            Self::Preference => 0.25,
            Self::Context | Self::ToolResult => 0.10,
        }
    }
}

/// Default factor of the lasting value.
pub const FILL: f64 = 1.5;

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

/// The categories in force, in the order of the report's sections.
#[derive(Debug, Clone, PartialEq)]
pub struct Categories {
    /// Those in force, then those that are only read.
    specs: Vec<CategorySpec>,
    /// Number of those in force.
    set: usize,
}

/// Fallback for an invalid id: nothing is active or shown.
static NONE: CategorySpec = CategorySpec {
    name: Cow::Borrowed(""),
    topic: Cow::Borrowed(""),
    tau_days: 1.0,
    max_active: 0,
    section: Cow::Borrowed(""),
    section_tokens: 0,
    window_days: None,
    fill: 0.0,
    traits: Traits::OTHER,
};

/// A built-in category, with the preset that adds it.
#[derive(Clone, Copy)]
struct Category {
    name: &'static str,
    preset: Preset,
    topic: &'static str,
    tau_days: f64,
    max_active: usize,
    section: &'static str,
    section_tokens: u32,
    window_days: Option<f64>,
    fill: f64,
    traits: Traits,
}

impl From<&Category> for CategorySpec {
    fn from(of: &Category) -> Self {
        let Category { tau_days, max_active, section_tokens, window_days, fill, traits, .. } = *of;
        let (name, topic, section) = (of.name.into(), of.topic.into(), of.section.into());
        Self {
            name,
            topic,
            tau_days,
            max_active,
            section,
            section_tokens,
            window_days,
            fill,
            traits,
        }
    }
}

/// The built-in categories in the order of the report's sections: all that any policy, cap, section
/// or filling makes of their entries.
#[rustfmt::skip]
static BUILT_IN: [Category; 17] = [
    Category { name: "preference", preset: Preset::Pi, topic: "preferences", tau_days: 90.0, max_active: 8,
        section: "Active Preferences", section_tokens: 400, window_days: None, fill: 2.0, traits: Traits {
            weight: 0.60, weight_everywhere: 1.00, knowledge: Knowledge::Preference, listed: ListedAs::ByScope,
            lasting_days: 30.0, is_done: false } },
    Category { name: "correction", preset: Preset::Sovereign, topic: "corrections", tau_days: 90.0, max_active: 6,
        section: "Corrections", section_tokens: 200, window_days: None, fill: 3.0, traits: Traits {
            weight: 0.50, weight_everywhere: 0.50, knowledge: Knowledge::Correction, listed: ListedAs::ByScope,
            lasting_days: 30.0, is_done: false } },
    Category { name: "fact", preset: Preset::Sovereign, topic: "facts", tau_days: 90.0, max_active: 8,
        section: "Facts", section_tokens: 400, window_days: None, fill: 2.0, traits: Traits {
            weight: 0.50, weight_everywhere: 0.50, knowledge: Knowledge::Fact, listed: ListedAs::ByScope,
            lasting_days: 30.0, is_done: false } },
    Category { name: "lesson", preset: Preset::Pi, topic: "lessons", tau_days: 60.0, max_active: 8,
        section: "Active Lessons", section_tokens: 400, window_days: None, fill: FILL, traits: Traits {
            weight: 0.60, weight_everywhere: 0.60, knowledge: Knowledge::Fact, listed: ListedAs::ByScope,
            lasting_days: 30.0, is_done: false } },
    Category { name: "learning", preset: Preset::Aide, topic: "learnings", tau_days: 60.0, max_active: 6,
        section: "Learnings", section_tokens: 200, window_days: None, fill: FILL, traits: Traits {
            weight: 0.60, weight_everywhere: 1.00, knowledge: Knowledge::Fact, listed: ListedAs::ByScope,
            lasting_days: 30.0, is_done: false } },
    Category { name: "mistake", preset: Preset::Pi, topic: "mistakes", tau_days: 14.0, max_active: 4,
        section: "Vetoes & Mistakes", section_tokens: 200, window_days: None, fill: FILL, traits: Traits {
            weight: 0.75, weight_everywhere: 0.75, knowledge: Knowledge::Correction, listed: ListedAs::ByScope,
            lasting_days: 30.0, is_done: false } },
    Category { name: "abandoned", preset: Preset::Aide, topic: "abandoned", tau_days: 60.0, max_active: 4,
        section: "Abandoned Approaches", section_tokens: 200, window_days: None, fill: FILL, traits: Traits {
            weight: 0.90, weight_everywhere: 0.90, knowledge: Knowledge::Correction, listed: ListedAs::ByScope,
            lasting_days: 30.0, is_done: false } },
    Category { name: "gotcha", preset: Preset::Aide, topic: "gotchas", tau_days: 60.0, max_active: 4,
        section: "Gotchas", section_tokens: 200, window_days: None, fill: FILL, traits: Traits {
            weight: 0.75, weight_everywhere: 0.75, knowledge: Knowledge::Correction, listed: ListedAs::ByScope,
            lasting_days: 30.0, is_done: false } },
    Category { name: "blocker", preset: Preset::Aide, topic: "blockers", tau_days: 14.0, max_active: 4,
        section: "Blockers", section_tokens: 200, window_days: None, fill: FILL, traits: Traits {
            weight: 0.85, weight_everywhere: 0.85, knowledge: Knowledge::Fact, listed: ListedAs::ByScope,
            lasting_days: 30.0, is_done: false } },
    Category { name: "issue", preset: Preset::Aide, topic: "issues", tau_days: 30.0, max_active: 4,
        section: "Issues", section_tokens: 200, window_days: None, fill: FILL, traits: Traits {
            weight: 0.80, weight_everywhere: 0.80, knowledge: Knowledge::Fact, listed: ListedAs::ByScope,
            lasting_days: 30.0, is_done: false } },
    Category { name: "pattern", preset: Preset::Pi, topic: "patterns", tau_days: 30.0, max_active: 6,
        section: "Patterns", section_tokens: 200, window_days: None, fill: FILL, traits: Traits {
            weight: 0.60, weight_everywhere: 0.60, knowledge: Knowledge::Fact, listed: ListedAs::ByScope,
            lasting_days: 30.0, is_done: false } },
    Category { name: "discovery", preset: Preset::Aide, topic: "discoveries", tau_days: 30.0, max_active: 4,
        section: "Discoveries", section_tokens: 200, window_days: None, fill: FILL, traits: Traits {
            weight: 0.70, weight_everywhere: 0.70, knowledge: Knowledge::Fact, listed: ListedAs::ByScope,
            lasting_days: 30.0, is_done: false } },
    Category { name: "decision", preset: Preset::Pi, topic: "decisions", tau_days: 30.0, max_active: 4,
        section: "Recent Decisions", section_tokens: 200, window_days: Some(7.0), fill: 3.0, traits: Traits {
            weight: 0.65, weight_everywhere: 0.65, knowledge: Knowledge::Fact, listed: ListedAs::ByTopic,
            lasting_days: 30.0, is_done: false } },
    Category { name: "done", preset: Preset::Pi, topic: "completions", tau_days: 14.0, max_active: 4,
        section: "Recent Completions", section_tokens: 200, window_days: Some(3.0), fill: 1.0, traits: Traits {
            weight: 0.40, weight_everywhere: 0.40, knowledge: Knowledge::Context, listed: ListedAs::ByScope,
            lasting_days: 7.0, is_done: true } },
    Category { name: "session", preset: Preset::Aide, topic: "sessions", tau_days: 14.0, max_active: 4,
        section: "Sessions", section_tokens: 200, window_days: Some(7.0), fill: 1.0, traits: Traits {
            weight: 0.40, weight_everywhere: 0.40, knowledge: Knowledge::Context, listed: ListedAs::BySession,
            lasting_days: 7.0, is_done: true } },
    Category { name: "context", preset: Preset::Sovereign, topic: "context", tau_days: 14.0, max_active: 4,
        section: "Context", section_tokens: 200, window_days: Some(7.0), fill: 1.0, traits: Traits {
            weight: 0.50, weight_everywhere: 0.50, knowledge: Knowledge::Context, listed: ListedAs::ByScope,
            lasting_days: 7.0, is_done: true } },
    Category { name: "tool-result", preset: Preset::Sovereign, topic: "tool-results", tau_days: 7.0, max_active: 4,
        section: "Tool Results", section_tokens: 200, window_days: Some(3.0), fill: 1.0, traits: Traits {
            weight: 0.50, weight_everywhere: 0.50, knowledge: Knowledge::ToolResult, listed: ListedAs::ByScope,
            lasting_days: 7.0, is_done: true } },
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
        let built_in = BUILT_IN.iter().filter(|known| preset.has(known.preset));
        let mut specs: Vec<CategorySpec> = built_in.map(CategorySpec::from).collect();
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
        for known in &BUILT_IN {
            if self.find(known.name).is_none() {
                self.specs.push(known.into());
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

    /// What the manual lacks of a category is named by the failure.
    #[test]
    fn the_manual_has_every_category() {
        let manual = include_str!("../../../../man/pimem-scoring.7").replace("\\-", "-");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let after = |start: &str| manual.split_once(start).unwrap().1;
        let table = after("Each category has all values");
        let weights = words(after("Else ").split_once("any other category .50").unwrap().0);
        let kinds =
            after("kind          modifier   floor   categories").split_once(".EE").unwrap().0;
        let kinds = words(kinds) + " ";
        for known in &BUILT_IN {
            let Category { name, preset, topic, tau_days, max_active, .. } = *known;
            let mut row = format!("{name} {} {topic} {tau_days} {max_active}", preset.name());
            row += &format!(" {} {}", known.section, known.section_tokens);
            if let Some(days) = known.window_days {
                row += &format!(" {days} days");
            }
            assert!(table.lines().any(|line| words(line) == row), "{row}");
            // Names stand before their weight: `gotcha and mistake .75`.
            let Traits { weight, knowledge, .. } = known.traits;
            let told = weights.match_indices(name).map(|(at, _)| {
                let rest = weights[at..].split_whitespace().find_map(|word| word.strip_prefix('.'));
                format!("0.{}", rest.unwrap().trim_end_matches(','))
            });
            let told = told.last().unwrap_or("0.50".to_owned());
            assert_eq!(told, format!("{weight:.2}"), "weight of {name}");
            let group = |kind: Knowledge| {
                let (modifier, floor) = (kind.modifier(), kind.floor());
                let start = format!("{} {modifier:.2} {floor:.2} ", kind.name());
                let (_, rest) = kinds.split_once(&start.replace(" 0.", " .")).expect(&start);
                let end = rest.find(" 0.").or_else(|| rest.find(" .")).unwrap_or(rest.len());
                rest[..end].to_owned()
            };
            let named = |text: &str| text.split([',', ' ']).any(|word| word == name);
            assert!(named(&group(knowledge)), "{name} among {}", knowledge.name());
        }
    }

    #[test]
    fn what_is_only_read_comes_last() {
        let all = Categories::of(Preset::Aide, Vec::new()).reading_all();
        assert_eq!(all.known().count(), BUILT_IN.len());
        for (id, spec) in all.known() {
            let is_of_aide = |known: &Category| Preset::Aide.has(known.preset);
            let is_of_aide =
                BUILT_IN.iter().any(|known| known.name == spec.name && is_of_aide(known));
            assert_eq!(all.is_set(id), is_of_aide, "{}", spec.name);
            assert_eq!(all.find(&spec.name), Some(id));
        }
        assert_eq!(all.iter().count(), 13);
        assert!(!Categories::default().reads_more());
    }
}
