//! A proof that the next report shows a new entry, from a part of the store: the evidence of one
//! category, and the sizes of the lines of the others. It reads less than the report, and so keeps
//! `pimem add` fast.
//!
//! **Theorem.** Let `S` be the entries of all stores, and `C` those of the new entry's category, all
//! judged by the same evidence. If [`is_shown`] holds for `C`, [`report`](super::render::report) of
//! `S` shows the new entry by its score. Because, under the policy `stability`:
//!
//! 1. Active places depend on `C` only, as the places of all categories can be filled at once
//!    ([`caps::suffices`]). The pool is filled in the order of the ranking, so what it has of `C` is
//!    a prefix of what it would have of `C` alone.
//! 2. So the lines that may take room in its section before the new one are among those that have a
//!    place in `C` alone; where the budget is filled, those of the pool come after it. If all of them
//!    and the new one fit into a number of characters, the section has the new one within so many,
//!    whichever are there.
//! 3. A section never takes more than its tokens, nor more than all lines of its category. What is
//!    left for a section is at least the room of the report without this for the sections before,
//!    and without the last lines for all entries there are.
//! 4. Nobody chose any entry later than the new one, so none seems to replace it.
//!
//! If an entry that has a place in `C` may be out of force or not reviewed, another may take that
//! place; then nothing is proved. `false` means that only the report itself can tell.

use super::{
    budget::{Fill, Tails, Tokens},
    render::{self, RenderSettings},
    select,
};
use crate::{
    model::{
        category::{Categories, CategoryId, CategorySpec},
        entry::{EntryId, Wording},
        hash::IdMap,
        time::Now,
    },
    safety::safe_text::SafeText,
    score::{
        caps::{self, CapCandidate, CapPlace},
        clock::Clock,
        ledger::Ledger,
        ranking::{self, LocatedEntry, RankingRules},
        stability,
    },
};

/// A line of the category, and true if it is marked as pinned.
pub type CertainLine = (Wording, bool);

/// The other lines of the category in one store.
pub struct CertainPart<'a> {
    pub lines: &'a [CertainLine],
    /// At least the evidence of these lines and, in the first part, of the new entry.
    pub ledger: &'a Ledger,
}

/// Number and size of the lines of a category, in all stores.
#[derive(Debug, Clone, Copy, Default)]
pub struct SectionSize {
    pub lines: usize,
    /// Bytes of the texts, at least as many as their characters in a report.
    pub bytes: usize,
}

impl SectionSize {
    pub fn add(&mut self, text: &str) {
        self.lines += 1;
        self.bytes += text.len();
    }

    /// Characters of the lines in a section, at most.
    fn chars(self) -> usize {
        self.bytes + self.lines * "- \n".len()
    }
}

/// What is asked of the stores where evidence does not say it.
pub struct Asked<'a> {
    /// Returns true if a line may be shown: it is reviewed, and holds no secret.
    pub is_reviewed: &'a dyn Fn(usize, &Wording) -> bool,
    /// Returns true if there is a reviewed line with this id.
    pub is_there: &'a dyn Fn(EntryId) -> bool,
}

/// Returns true if an entry without a past is certainly in the next report, whatever the evidence of
/// other categories. `sizes` has all lines, the new one included, by category.
#[must_use]
pub fn is_shown(
    now: Now,
    rules: RankingRules<'_>,
    settings: RenderSettings<'_>,
    (new, sizes): (&LocatedEntry, &[SectionSize]),
    parts: Option<&[CertainPart<'_>]>,
    asked: &Asked<'_>,
) -> bool {
    if new.pinned {
        // Pinned entries are outside the budget.
        return new.reviewed && settings.budget > Tokens(0);
    }
    let Some(room) = Room::of(rules, settings, new, sizes) else { return false };
    let of = sizes.get(usize::from(new.category.0)).copied().unwrap_or_default();
    let Some(parts) = parts else {
        // All lines of the category fit, and each has a place.
        return of.lines <= room.spec.max_active && room.holds(of.chars());
    };
    let Some(all) = Field::of(now, rules, new, parts, asked) else { return false };
    let (placements, ranked) = caps::place(&all.candidates, rules.categories, rules.reserve);
    let competes = |at: usize| match placements.get(at).map(|found| found.place) {
        Some(CapPlace::Active(_)) => true,
        // Where the budget is filled, what is in the pool comes after what has a place.
        Some(CapPlace::Pool(_)) => settings.fill.is_none() || at == OWN,
        _ => false,
    };
    let mut before = SectionSize::default();
    let mut is_before = true;
    for at in ranked.into_iter().filter(|at| competes(*at)) {
        if at == OWN {
            is_before = false;
            if !matches!(placements.get(at).map(|found| found.place), Some(CapPlace::Active(_))) {
                return false;
            }
            continue;
        }
        let Some((candidate, part, of)) = all.get(at) else { return false };
        if all.is_doubtful(at) || !(asked.is_reviewed)(part, of) {
            return false;
        }
        let idle = now.since(candidate.last_reinforced).days();
        if is_before && room.spec.window_days.is_none_or(|days| idle < days) {
            before.add(&of.text);
        }
    }
    before.add(&new.text);
    !is_before && room.holds(before.chars())
}

/// The space that is left for the section of a new entry at least.
struct Room<'a> {
    spec: &'a CategorySpec,
    chars: usize,
    /// Characters of the line that counts what a section leaves out.
    omitted: usize,
}

impl<'a> Room<'a> {
    /// `None` if the theorem does not hold under these rules and settings.
    fn of(
        rules: RankingRules<'a>,
        settings: RenderSettings<'_>,
        new: &LocatedEntry,
        sizes: &[SectionSize],
    ) -> Option<Self> {
        let RankingRules { categories, fresh, clock, policy, .. } = rules;
        // Days of use can only be counted in the whole log.
        let by_calendar = clock == Clock::Calendar && policy.is_stability();
        let is_usual = new.reviewed && categories.is_set(new.category) && fresh;
        let chars = render::sure_room(settings).filter(|_| by_calendar && is_usual)?;
        let spec = categories.spec(new.category);
        let is_within = spec.window_days.is_none_or(|days| days > 0.0);
        if !is_within || !caps::suffices(categories) {
            return None;
        }
        let fill = settings.fill.map(|search_command| Fill { search_command, reasons: false });
        let tails = |fill| Tails::counting(sizes.iter().map(|size| size.lines), fill).most();
        let chars = chars.saturating_sub(fill.map_or(0, tails));
        let before = categories.iter().take_while(|(id, _)| *id != new.category);
        let taken = before.map(|(id, spec)| most_of(id, spec, sizes)).sum();
        let omitted = if fill.is_some() { 0 } else { select::omitted_chars() };
        Some(Self { spec, chars: chars.saturating_sub(taken), omitted })
    }

    /// Returns true if the section has room for lines of so many characters.
    fn holds(&self, chars: usize) -> bool {
        let heading = SafeText::of(&self.spec.section);
        let limit = select::section_chars(self.spec).min(self.chars);
        1 + select::heading_chars(&heading) + chars + self.omitted <= limit
    }
}

/// Characters that the section of a category takes at most.
fn most_of(category: CategoryId, spec: &CategorySpec, sizes: &[SectionSize]) -> usize {
    let size = sizes.get(usize::from(category.0)).copied().unwrap_or_default();
    if size.lines == 0 {
        return 0;
    }
    let heading = SafeText::of(&spec.section);
    select::section_chars(spec).min(1 + select::heading_chars(&heading) + size.chars())
}

/// Index of the new entry among the candidates.
const OWN: usize = 0;

/// The entries that compete in the category.
struct Field<'a> {
    candidates: Vec<CapCandidate>,
    /// Part and line of each candidate; the new entry, the first one, has none.
    lines: Vec<(usize, &'a Wording)>,
    /// True for those that may be out of force, or of which another store has a copy.
    doubtful: Vec<bool>,
}

impl<'a> Field<'a> {
    fn of(
        now: Now,
        rules: RankingRules<'_>,
        new: &LocatedEntry,
        parts: &[CertainPart<'a>],
        asked: &Asked<'_>,
    ) -> Option<Self> {
        let own = candidate(now, rules, parts.first()?.ledger, new.id, (new.category, false))?;
        let (mut candidates, mut lines, mut doubtful) = (vec![own.0], Vec::new(), vec![false]);
        let mut known: IdMap<EntryId, usize> = IdMap::default();
        for (part, CertainPart { lines: held, ledger }) in parts.iter().enumerate() {
            for (of, pinned) in *held {
                if let Some(first) = known.get(&of.id).copied() {
                    // Repeated lines are one entry.
                    let is_same = lines.get(first - 1) == Some(&(part, of));
                    let is_pinned = |at: usize| {
                        candidates
                            .get(at)
                            .map(|c: &CapCandidate| c.standing == stability::Standing::Pinned)
                    };
                    if (!is_same || is_pinned(first) != Some(*pinned))
                        && let Some(doubtful) = doubtful.get_mut(first)
                    {
                        *doubtful = true;
                    }
                    if is_same {
                        continue;
                    }
                }
                let (mut candidate, ends) =
                    candidate(now, rules, ledger, of.id, (of.category, *pinned))?;
                let replaced = ends.iter().any(|by| *by != of.id && (asked.is_there)(*by));
                let is_pinned = candidate.standing == stability::Standing::Pinned;
                candidate.excluded |= replaced && !is_pinned;
                doubtful.push(known.contains_key(&of.id) || !replaced && !ends.is_empty());
                known.entry(of.id).or_insert(candidates.len());
                candidates.push(candidate);
                lines.push((part, of));
            }
        }
        Some(Self { candidates, lines, doubtful })
    }

    fn get(&self, at: usize) -> Option<(&CapCandidate, usize, &'a Wording)> {
        let (part, of) = *self.lines.get(at.checked_sub(1)?)?;
        Some((self.candidates.get(at)?, part, of))
    }

    fn is_doubtful(&self, at: usize) -> bool {
        self.doubtful.get(at).copied().unwrap_or(true)
    }
}

/// Returns the candidate for an entry by its evidence and the calendar, and the entries that
/// supersede it; `None` if there is no evidence.
fn candidate(
    now: Now,
    rules: RankingRules<'_>,
    ledger: &Ledger,
    id: EntryId,
    (category, is_marked): (CategoryId, bool),
) -> Option<(CapCandidate, Vec<EntryId>)> {
    let spec = Categories::spec(rules.categories, category);
    let evidence = ranking::capped(now, ledger.evidence(now, id)?);
    let standing =
        stability::standing(now.since(evidence.last_reinforced), &evidence, spec, is_marked);
    let fresh = rules.fresh && stability::fresh(now.since(evidence.first_seen), spec, standing);
    let is_pinned = standing == stability::Standing::Pinned;
    let expired = evidence.until.is_some_and(|until| until < now.0);
    let candidate = CapCandidate {
        id,
        category,
        standing,
        fresh,
        first_seen: evidence.first_seen,
        last_reinforced: evidence.last_reinforced,
        excluded: expired && !is_pinned,
        reviewed: true,
    };
    Some((candidate, evidence.superseded_by.into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        model::{
            entry::EventId,
            event::{Author, Cue, Event, EventKind},
            time::{DAY_MS, Timestamp},
        },
        report::{
            render::{GroundTruth, report},
            replaced,
        },
        score::ranking::{Ranking, Scope},
    };

    const NOW: Now = Now(Timestamp(400 * DAY_MS));

    /// Category, text, age in days, reinforcements, last event, whether it is reviewed, store.
    type Entry = (u16, String, i64, u32, Option<EventKind>, bool, usize);

    /// Two stores with their ledgers; the last entry is the new one.
    struct World {
        placed: [Vec<LocatedEntry>; 2],
        ledgers: [Ledger; 2],
    }

    fn world(categories: &Categories, entries: &[Entry]) -> World {
        let mut world = World { placed: Default::default(), ledgers: Default::default() };
        for (number, entry) in (0..).zip(entries) {
            let (category, text, age, n, last, reviewed, store) = entry;
            let category = CategoryId(*category);
            let id = EntryId::of(&categories.spec(category).name, text.as_bytes());
            let ts = Timestamp(NOW.0.0 - age * DAY_MS);
            let kinds = [
                Some(EventKind::Add(Cue::Explicit, None)),
                (*n > 0).then_some(EventKind::Reinforce(*n)),
                last.clone(),
            ];
            for (step, kind) in (0..).zip(kinds.into_iter().flatten()) {
                let id_of = EventId::new(ts, number * 4 + step);
                let event = Event { id: id_of, ts, entry: id, by: Author::Person, kind };
                world.ledgers[*store].fold(&event);
            }
            world.placed[*store].push(LocatedEntry {
                scope: [Scope::Project, Scope::User][*store],
                reviewed: *reviewed,
                ..LocatedEntry::new(id, category, text.clone())
            });
        }
        world
    }

    /// Returns what is proved of the last entry of the first store, and whether the report shows it.
    fn judged(world: &World, settings: RenderSettings<'_>) -> (bool, bool) {
        let categories = Categories::default();
        let rules =
            RankingRules { reserve: settings.fill.is_some(), ..RankingRules::new(&categories) };
        let World { placed, ledgers } = world;
        let (new, others) = placed[0].split_last().unwrap();
        let held = [others, &placed[1]];
        let mut sizes = vec![SectionSize::default(); categories.iter().count()];
        for entry in placed.iter().flatten() {
            sizes[usize::from(entry.category.0)].add(&entry.text);
        }
        let line = |entry: &LocatedEntry| (entry.wording(), entry.pinned);
        let beside = |entry: &&LocatedEntry| entry.category == new.category;
        let lines =
            held.map(|held| held.iter().filter(beside).map(line).collect::<Vec<CertainLine>>());
        let parts: Vec<CertainPart<'_>> = lines
            .iter()
            .zip(ledgers)
            .map(|(lines, ledger)| CertainPart { lines, ledger })
            .collect();
        let asked = Asked {
            is_reviewed: &|at, of| held[at].iter().any(|entry| entry.is(of) && entry.reviewed),
            is_there: &|id| held.iter().any(|held| held.iter().any(|e| e.id == id && e.reviewed)),
        };
        let prove = |parts| is_shown(NOW, rules, settings, (new, &sizes), parts, &asked);
        let alike = settings.fill.is_some()
            && lines.iter().flatten().any(|(of, _)| {
                let spec = categories.spec(new.category);
                replaced::may_replace(&new.text, spec, std::iter::once(of.text.as_str()))
            });
        let proved = !alike && (prove(None) || prove(Some(&parts)));
        let stores = placed.iter().cloned().zip(ledgers).collect();
        let ranking = Ranking::new(NOW, rules, stores);
        let report = report(&ranking, &categories, settings);
        let row = ranking.find(&new.wording()).unwrap();
        (proved, report.verdict(&ranking, row).unwrap().shown())
    }

    fn settings(budget: u32, fill: bool) -> RenderSettings<'static> {
        let (ground_truth, fill) = (GroundTruth::Factual, fill.then_some("pimem search"));
        RenderSettings {
            budget: Tokens(budget),
            ground_truth,
            remove_command: "",
            fill,
            reasons: true,
        }
    }

    fn any_text(words: std::ops::Range<usize>) -> impl Strategy<Value = String> {
        let word = prop::string::string_regex("[a-h]{2}|[a-zé<]{3,14}").unwrap();
        prop::collection::vec(word, words).prop_map(|words| words.join(" "))
    }

    fn any_entry() -> impl Strategy<Value = Entry> {
        let last = prop_oneof![
            20 => Just(None),
            1 => Just(Some(EventKind::Pin)),
            1 => Just(Some(EventKind::Forget)),
            1 => Just(Some(EventKind::Harmful(1))),
            1 => Just(Some(EventKind::Expire(Timestamp(0)))),
            1 => any::<u64>().prop_map(|id| Some(EventKind::Supersede(EntryId(id)))),
        ];
        let age = prop_oneof![0..3_i64, 0..120_i64];
        (0..6_u16, any_text(1..40), age, 0..30_u32, last, prop::bool::weighted(0.95), 0..2_usize)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// Whatever is proved of a part of the store is so in the report of the whole.
        #[test]
        fn what_is_certain_is_shown(
            entries in prop::collection::vec(any_entry(), 0..90),
            chain in prop::collection::vec((0..90_usize, 0..90_usize), 0..3),
            new in (0..6_u16, any_text(1..20)),
            budget in prop_oneof![80..600_u32, 600..2000_u32],
            fill in any::<bool>(),
        ) {
            let categories = Categories::default();
            let mut entries = entries;
            for (old, by) in chain {
                let of = entries.get(by).map(|entry| {
                    let name = &categories.spec(CategoryId(entry.0)).name;
                    EntryId::of(name, entry.1.as_bytes())
                });
                if let (Some(old), Some(by)) = (entries.get_mut(old), of) {
                    old.4 = Some(EventKind::Supersede(by));
                }
            }
            let known = |entry: &Entry| (entry.0, &entry.1) == (new.0, &new.1);
            entries.retain(|entry| !known(entry));
            entries.push((new.0, new.1, 0, 0, None, true, 0));
            let (proved, shown) = judged(&world(&categories, &entries), settings(budget, fill));
            prop_assert!(shown || !proved);
        }
    }

    /// The proof is worth its lines: it holds in stores as they are.
    #[test]
    fn a_usual_store_needs_no_more() {
        let categories = Categories::default();
        let of = |n: u32, category: u16| -> Entry {
            let text =
                format!("Subject{n} wants what{n} where{n} for as{n} long as it takes{n} now");
            (category, text, 1 + i64::from(n) % 50, n % 20, None, true, 0)
        };
        for (count, category, budget, want) in
            [(0, 1, 1700, true), (600, 1, 1700, true), (600, 0, 1700, true), (600, 1, 200, false)]
        {
            let spread = (0..6).cycle();
            let mut entries: Vec<Entry> =
                (0..count).zip(spread).map(|(n, category)| of(n, category)).collect();
            entries.push((category, "Something else entirely".to_owned(), 0, 0, None, true, 0));
            let judged = judged(&world(&categories, &entries), settings(budget, true));
            assert_eq!(judged.0, want, "{count} entries, {category}, {budget} tokens: {judged:?}");
        }
        let long = (1, "word ".repeat(500), 0, 0, None, true, 0);
        assert!(!judged(&world(&categories, &[long]), settings(1700, true)).0);
    }
}
