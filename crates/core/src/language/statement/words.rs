//! Words that decide about statements, grouped by their effect on a sentence. All in lower case.

use crate::language::preference::words::Words;

/// Beginnings of a correction, before the correct version.
pub(super) const WRONG: &[&str] = &[
    "that's wrong",
    "thats wrong",
    "that is wrong",
    "that's not right",
    "that is not right",
    "that isn't right",
    "that's incorrect",
    "that is incorrect",
    "that's not correct",
    "that is not correct",
    "that's not true",
    "that is not true",
    "this is wrong",
    "this is not right",
    "you're wrong",
    "you are wrong",
    "wrong",
    "incorrect",
    "not true",
    "not correct",
];

/// Beginnings of a correction of how something is done.
pub(super) const NOT_HOW: &[&str] = &[
    "that's not how",
    "thats not how",
    "that is not how",
    "that isn't how",
    "this is not how",
    "this isn't how",
];

/// Finite verbs of lasting facts.
pub(super) static FINITE: Words = Words::new(
    "is are isn't aren't has have hasn't haven't does do doesn't don't must mustn't can can't \
    cannot needs need requires require uses use runs run returns return expects expect lives live \
    goes go belongs belong takes take wants comes come means mean supports support reads read \
    writes write starts start gives give holds hold stays stay works work happens happen depends \
    depend stores store contains contain points point counts count begins begin ends end accepts \
    accept ignores ignore keeps keep skips skip listens listen",
);

/// Words that do not begin a self-contained statement.
pub(super) static UNKNOWN: Words = Words::new(
    "i i'm i've i'd i'll it it's its that's there there's this that these those they they're he \
    she him them me my mine let let's lets please just maybe perhaps try go look see check do if \
    when unless until while and or but so because not ok okay thanks thank great good nice looks \
    yes no can could would should will you your you're what",
);

/// Words that refer to something that is unknown a week later.
pub(super) static LOOSE: Words = Words::new(
    "it it's this these those them here there above below that's something anything \
    else stuff anymore yet now again",
);

/// Nouns for the whole project: "this project" is still known a week later.
pub(super) static PROJECT: Words = Words::new(
    "project repo repository codebase code monorepo workspace team service app application crate \
    package library org organisation organization company",
);

/// Nouns for one thing in the code or in the current work.
pub(super) static LOCAL: Words = Words::new(
    "function method loop line variable file class handler component test page button field column \
    query block struct module parameter argument label title screenshot image example \
    snippet regex bug error issue message output result response diff change plan step list \
    endpoint view form modal icon header footer menu section row cell table type enum script \
    comment commit pr",
);

/// Adjectives that select one of several things, and mean nothing to a later reader.
pub(super) static POSITIONS: Words = Words::new(
    "first second third fourth last next previous other same new old left right top bottom upper \
    lower main current following failing broken wrong whole entire",
);

/// Verbs of a team's habits.
pub(super) static HABITS: Words = Words::new(
    "use write keep run put name follow avoid prefer call log test deploy squash commit merge tag \
    pin store treat rebase format lint document mock review release cut push prefix suffix generate \
    import export build sort order group wrap return raise throw handle ship track publish version \
    vendor check require allow forbid split separate target develop branch translate validate \
    install configure cache index bump update write-off spell indent quote escape annotate",
);

/// Verbs of lasting orders to an agent, affirmative or negative.
pub(super) static ORDERS: Words = Words::new(
    "use write keep run put name follow avoid prefer call log test deploy squash commit merge tag \
    pin store rebase format lint document mock review release push prefix generate import export \
    build sort wrap return raise throw handle track publish install add edit touch modify change \
    delete remove drop create hardcode hard-code print answer respond reply speak ask work pass \
    leave stop disable skip start amend force-push bypass ignore rely assume mix read open include \
    reformat downgrade upgrade bump update suggest propose explain retry cast nest inline swallow catch expose trust share copy",
);

/// Verbs whose repeated orders say how a project is worked on, if they name a means.
pub(super) static WAYS: Words =
    Words::new("run test build lint format deploy install start commit use write format generate");

/// Verbs of orders about manners.
pub(super) static MANNERS: Words = Words::new("keep avoid prefer answer respond reply speak ask");

/// Words between an object and a means.
pub(super) static WITH: Words = Words::new("with using via through");
/// Words between an object and the name of a means.
pub(super) static AS: Words = Words::new("in as under by instead");

/// Words that turn an order into a rule.
pub(super) static RULE: Words =
    Words::new("always never only before after unless without instead rather every each not");

/// Nouns and adjectives of current work.
pub(super) static STAGES: Words = Words::new(
    "change changes plan step steps task tasks todo todos next remaining rest current latest last \
    previous existing first second third other another failing failed failure failures error \
    errors bug bugs issue issues pr work continue finish finished implementation phase more",
);

/// Verbs of further requests in a message.
pub(super) static ERRANDS: Words = Words::new(
    "tell show fix check see report let give find make look explain continue try verify confirm \
    then proceed implement push commit send update add list print wait compare",
);

/// Verbs of lasting rules or facts.
pub(super) static FACTS: Words = Words::new(
    "needs need requires require must lives live runs run goes go belongs belong uses use \
    listens is are",
);

/// Words before the alternatives of a choice, or its reason.
pub(super) static REASONS: Words = Words::new("over because since rather instead for as so to");

/// Words for a proposal without a name.
pub(super) static PROPOSALS: Words = Words::new(
    "option approach version plan solution idea way variant suggestion proposal alternative choice \
    first second third latter former last simplest simple simpler other your you yours one ones \
    both a) b) default recommendation that what whatever",
);

/// Participles without `ed`.
pub(super) static IRREGULAR: Words = Words::new(
    "run written read put kept made taken told done gone left built sent set cut found given chosen \
    known seen shown split thought used begun broken brought caught checked drawn held hidden led \
    lost meant met paid said sent shut spent stuck thrown understood undone rewritten rerun reset",
);

/// Verbs of slips that may recur.
pub(super) static SLIPS: Words = Words::new(
    "forgot broke used removed deleted changed skipped ignored missed committed added pushed left \
    hardcoded wrote ran put edited reformatted renamed overwrote mixed dropped reverted invented \
    touched disabled imported installed assumed",
);

/// Verbs of reports; sorted for a fast lookup of every word of an agent.
pub(super) const DONE: &[&str] = &[
    "added",
    "batched",
    "built",
    "bumped",
    "cached",
    "capped",
    "changed",
    "cleaned",
    "completed",
    "compressed",
    "configured",
    "converted",
    "corrected",
    "created",
    "deleted",
    "deployed",
    "deprecated",
    "disabled",
    "documented",
    "dropped",
    "enabled",
    "extended",
    "extracted",
    "finished",
    "fixed",
    "hardened",
    "implemented",
    "improved",
    "inlined",
    "integrated",
    "introduced",
    "landed",
    "merged",
    "migrated",
    "moved",
    "optimised",
    "optimized",
    "parallelised",
    "parallelized",
    "patched",
    "pinned",
    "ported",
    "published",
    "rebuilt",
    "redesigned",
    "reduced",
    "refactored",
    "registered",
    "released",
    "removed",
    "renamed",
    "reorganised",
    "reorganized",
    "repaired",
    "replaced",
    "resolved",
    "restored",
    "restructured",
    "rewrote",
    "scheduled",
    "shipped",
    "simplified",
    "split",
    "swapped",
    "switched",
    "unified",
    "updated",
    "upgraded",
    "wired",
    "wrapped",
    "wrote",
];

/// Verbs of [`DONE`] that repair something.
pub(super) static REPAIRS: Words = Words::new("fixed repaired resolved corrected patched");
/// Verbs of [`DONE`] for which a version or a place suffices.
pub(super) static RELEASES: Words = Words::new("released shipped published deployed merged landed");
/// Verbs of [`DONE`] that take a destination.
pub(super) static MOVES: Words = Words::new(
    "released shipped published deployed merged migrated upgraded switched moved converted \
    ported split",
);

/// Words after a verb without an object.
pub(super) static NO_OBJECT: Words = Words::new(
    "in by on at to for from with since as via after before into under and or but if when up out \
    so too also only yet already my successfully however because though which that nothing",
);

/// Words that do not make a report meaningful.
pub(super) static GENERIC: Words = Words::new(
    "test tests bug bugs issue issues error errors typo typos file files code function functions \
    problem problems change changes doc docs comment comments line lines warning warnings import \
    imports fix fixes thing things failure failures failing task tasks step steps the a an all \
    both some new missing old small minor more another necessary required needed remaining and \
    following relevant tested debug print statement statements logging logs output temporary placeholder \
    stub branch commit commits usage usages reference references call calls site sites caller \
    callers variable variables assertion assertions case cases mock mocks snapshot snapshots lock \
    hand project build whitespace formatting some",
);

/// Words that limit a report.
pub(super) static PARTLY: Words = Words::new(
    "but still partially partly tried attempted temporarily yet however would could should except \
    unfortunately locally attempt see ran",
);

/// Things that are moved or finished without work on the project.
pub(super) static PRIVATE: Words =
    Words::new("meeting call appointment interview lunch standup sync demo invoice ticket");

/// Verbs after an adjectival participle: "merged branches can be deleted".
pub(super) static STATES: Words = Words::new(
    "is are was were can will should must may has have stay stays expire expires do does don't get \
    gets need needs go goes remain remains",
);

/// Words that begin a sentence in lower case only by careless typing.
pub(super) static PLAIN: Words = Words::new(
    "the our all every each in we you a an for by this when if before after only no there here around one switch migrate adopt support split move",
);
