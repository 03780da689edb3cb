//! The closed lists of words.

use std::sync::LazyLock;

use crate::model::hash::IdMap;

/// The list that a word is on. A word may be on several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// Words written in capitals for emphasis.
    Emphasis,
    /// Abbreviations that are not names of variables, for which case matters.
    Abbreviation,
    /// Plurals of abbreviations.
    Abbreviations,
    /// Names whose inner capitals are often left out.
    Brand,
    /// Programs, whose arguments follow up to a preposition.
    Command,
    /// Nouns next to which a word is a name: the `users` table is not the `user` table.
    Naming,
    /// Verbs that take `Always`, and whose gerund is equivalent to a clause with `you`.
    Imperative,
    /// Words that exist only in English, among the languages that agents are spoken to in.
    English,
    /// Words of other languages that would be misread.
    NotEnglish,
    /// Nouns that are also verbs: `Test the login works` is an instruction, `Test login works` a
    /// statement.
    NounAndVerb,
    /// Words that join, limit or negate.
    Function,
    /// Words in `s` that are not plurals, or whose singular has another meaning.
    NotPlural,
    /// Words that open a clause of time or condition.
    Time,
    /// Words that open a phrase attached to the preceding word.
    Place,
    /// Words that may attach a final phrase to another part of the sentence.
    Preposition,
    /// Words whose scope depends on the position of a clause.
    Focus,
    Negation,
    Quantifier,
    /// Nouns of counts or comparisons: `a second`, `the first`.
    Counted,
    /// Nouns that have no article in idioms: `on call` is not `on the call`.
    Idiom,
    /// Words before nouns of idioms.
    InIdiom,
    /// Words after which only an article shows that the next word is a noun.
    Holding,
    /// Verbs that show the preceding word to be a noun.
    Auxiliary,
    /// Words after which singular and plural differ in meaning.
    Determiner,
    /// Words before a list of names whose order does not matter.
    BeforeNames,
    /// Participles before `by` and names of people, whose order does not matter. After other words
    /// the names are ordered.
    Done,
    /// Words after a list of names whose order does not matter.
    AfterNames,
    /// Words after which `one` is not a number.
    WithOne,
    /// Verbs that agree with their subject in number.
    Agreeing,
    /// Words that have another meaning with a capital: a class, a type, a language.
    Cased,
    /// Words for numbers below 100, except compounds like `twenty-one`.
    Number,
    /// Short words that may be contracted, replaced or left out.
    Volatile,
}

const LISTS: &[(List, &str)] = &[
    (List::Emphasis, "ALL ALWAYS AVOID MUST NEVER NO NOT ONLY"),
    (
        List::Abbreviation,
        "API CD CI CLI CSS CSV DNS HTML HTTP HTTPS JSON JWT PR SDK SQL SSH TLS UI URL XML \
         YAML",
    ),
    (List::Abbreviations, "APIs PRs SDKs URLs"),
    (List::Brand, "GitHub GitLab GraphQL JavaScript MySQL OpenAPI PostgreSQL SQLite TypeScript"),
    (
        List::Command,
        "apt aws bash bazel brew bun cargo cd curl deno docker find gcloud gh git go gradle \
         grep helm jj just kubectl ls make mvn node npm npx pip pnpm poetry psql pytest \
         python rg ruff rustup sed ssh task terraform uv yarn",
    ),
    (
        List::Naming,
        "app bin branch bucket called category channel class cluster collection column \
         command component config crate dataset dir directory endpoint enum environment event \
         feature field file flag folder function group hook host index job key label library \
         method model module named namespace option package parameter path plugin profile \
         project queue repo repository role route rule schema script section server service \
         setting struct table tag target task team template topic trait type variable view \
         workspace",
    ),
    (
        List::Imperative,
        "add ask bump change check close commit create debug delete deploy document edit fix \
         format install keep lint merge modify move open prefer push read rebase refactor \
         release remove rename review run ship squash start tag update upgrade use write",
    ),
    (
        List::English,
        "added after against always and any are ask avoid because before below between both \
         calls can cannot changed check decided delete depends does don't each every except \
         expire failing fixed from have instead into is keep listen live lives moved must \
         need needs never not of only own please prefer prefers read remember remove removed \
         rename renamed replaced requires retry returns run runs should slow squash switched \
         the to unless until update use used uses using when which while with without write \
         writes written",
    ),
    (
        List::NotEnglish,
        "alle auf avant avec beim che como con da dans das de dei del della den der des det \
         di die dos du een ein eine el em en era es est et het il ist je kein la las le les \
         los mit na nicht nie niet non nos och om op ou para pas por pour que se sem ser sin \
         sind som su sur te til toujours um una und une uno van voor vor y zu",
    ),
    (
        List::NounAndVerb,
        "audit back backup batch benchmark block branch break build cache call cancel change \
         check clone close commit compile control copy count crash debug default delay deploy \
         design document draft drop dump edit email exit export fail fetch file filter finish \
         fix flag flush fork format freeze group guard handle hash help hook host import \
         index input install issue kill label launch limit link lint list load lock log loop \
         mail map mark match measure merge migrate mirror mock model monitor mount move name \
         open order output pack page parse patch pin ping pipe plan plug poll pool port post \
         print profile program project proxy publish pull purge push query queue rank read \
         rebase record release replay reply report request reset restart restore result retry \
         return review roll rollback root route run sample save scale scan schedule scope \
         score scrape script search seed select send sequence set shadow shape share shell \
         shield ship sign signal skip sort source spike split squash stack stage stamp start \
         state step stop store stream structure style submit supply support switch sync tag \
         target task template test throttle time trace track transfer transform trigger type \
         undo unit update upgrade upload use value view wait warm watch wrap write",
    ),
    (
        List::Function,
        "a about after all always am an and any are as at be because been before but by can \
         cannot could did do does each either every except few for from had has have he her \
         his i if in instead into is it its just least less many may me might more most must \
         my neither never no none nor not of off on one only or our out over rather same \
         shall she should since so some such than that the their them then there these they \
         this those to under unless until up us was we were when which while who will with \
         without would you your",
    ),
    (
        List::NotPlural,
        "actions admins afterwards always analytics arms authors basics besides canvas \
         contents cookies cors customers developers docs does earnings forms ftps goes goods \
         graphics headquarters hers hours https imaps its ldaps maintainers means metrics \
         minutes movies mqtts news ones options others ours owners pages pandas perhaps props \
         rails reads reviewers savings seconds series settings sheets slides smtps sometimes \
         species specs statistics teams theirs times towards types users values windows \
         writes yes yours",
    ),
    (List::Time, "after before during if unless until when whenever while"),
    (List::Place, "at for in instead on to with"),
    (
        List::Preposition,
        "about against as at between by for from in instead into like of on over than through \
         to under via with",
    ),
    (
        List::Focus,
        "again already also although and because both but either else even except first just \
         last mainly mostly neither nor only or otherwise since so still that then though too \
         where whether which who whose yet",
    ),
    (
        List::Negation,
        "avoid avoids cannot did forbid forbids hardly neither never no nobody none not \
         nothing prevent prevents rarely refuse refuses seldom skip skips stop stops without",
    ),
    (List::Quantifier, "all any both each every few many most some"),
    (
        List::Counted,
        "bit couple day dozen first half hour hundred last little lot million minute month \
         number other second thousand week year",
    ),
    (
        List::Idiom,
        "call case charge code control default demand duty effect fact force front full \
         general hand hold house line name office order part person place point principle \
         process question record risk short sight site sync time times touch track turn use \
         view way work",
    ),
    (List::InIdiom, "at by for from in into of off on out under with"),
    (List::Holding, "always can cannot had has have must never not to"),
    (
        List::Auxiliary,
        "can cannot could did do does had has have is may might must should was were will would",
    ),
    (
        List::Determiner,
        "a all another any both each either every first her his its last my neither no other \
         our same some such that the their these this those what which whose your",
    ),
    (List::BeforeNames, "ask by notify ping use"),
    (List::Done, "approved maintained owned reviewed signed written"),
    (List::AfterNames, "can have is may must own owns should will"),
    (List::WithOne, "any each every no other some that the this which"),
    (
        List::Number,
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen \
         fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy \
         eighty ninety",
    ),
    (
        List::Volatile,
        "a am an and are be before can cannot could did do does has have i instead is it must not \
         of one or prior rather should than that the there they to using was we were will would \
         you your",
    ),
    (
        List::Cased,
        "boolean button byte char character double error false float function integer iterator \
         list long map none null number object option polish record result set short string true \
         tuple vector void",
    ),
    (List::Agreeing, "expect fail live need require run use"),
];

static TABLE: LazyLock<IdMap<&str, u32>> = LazyLock::new(|| {
    let mut table = IdMap::default();
    for (list, words) in LISTS {
        for word in words.split(' ') {
            *table.entry(word).or_default() |= 1 << *list as u32;
        }
    }
    table
});

/// Returns true if the word is on the list, in this exact spelling.
pub(crate) fn is(list: List, word: &str) -> bool {
    TABLE.get(word).is_some_and(|lists| lists & 1 << list as u32 != 0)
}

/// Returns the words of a list.
pub(crate) fn all(list: List) -> impl Iterator<Item = &'static str> {
    LISTS.iter().filter(move |(other, _)| *other == list).flat_map(|(_, words)| words.split(' '))
}
