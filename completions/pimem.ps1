
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'pimem' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'pimem'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'pimem' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Make a store, with its git files')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Remember something')
            [CompletionResult]::new('reinforce', 'reinforce', [CompletionResultType]::ParameterValue, 'Strengthen entries that proved right')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List entries with their score and state')
            [CompletionResult]::new('ls', 'ls', [CompletionResultType]::ParameterValue, 'List entries with their score and state')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show all that is known about an entry')
            [CompletionResult]::new('topics', 'topics', [CompletionResultType]::ParameterValue, 'List topics with their size and hotness')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Find memories, notes, log items, observations and past sessions by words and meaning')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Print what an agent should know, for a prompt')
            [CompletionResult]::new('why', 'why', [CompletionResultType]::ParameterValue, 'Show why an entry is in the report or not')
            [CompletionResult]::new('forecast', 'forecast', [CompletionResultType]::ParameterValue, 'Show what leaves the report, when, and what would keep it')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Show what changed between two times, or will')
            [CompletionResult]::new('score', 'score', [CompletionResultType]::ParameterValue, 'Print the scores of all entries, by any policy')
            [CompletionResult]::new('stats', 'stats', [CompletionResultType]::ParameterValue, 'Count entries by category and state, with what was found, shown and used of them')
            [CompletionResult]::new('decay', 'decay', [CompletionResultType]::ParameterValue, 'Show how the importance of entries has faded')
            [CompletionResult]::new('trust', 'trust', [CompletionResultType]::ParameterValue, 'Review what came by git, and let agents see it')
            [CompletionResult]::new('handoff', 'handoff', [CompletionResultType]::ParameterValue, 'Leave in today''s log what the next session should start from')
            [CompletionResult]::new('hook', 'hook', [CompletionResultType]::ParameterValue, 'Answer an agent''s hook')
            [CompletionResult]::new('note', 'note', [CompletionResultType]::ParameterValue, 'Add to the long-term notes in MEMORY.md, or show them')
            [CompletionResult]::new('log', 'log', [CompletionResultType]::ParameterValue, 'Add to today''s log, or show it')
            [CompletionResult]::new('todo', 'todo', [CompletionResultType]::ParameterValue, 'Keep a checklist in SCRATCHPAD.md')
            [CompletionResult]::new('read', 'read', [CompletionResultType]::ParameterValue, 'Show notes, the scratchpad or a daily log')
            [CompletionResult]::new('session', 'session', [CompletionResultType]::ParameterValue, 'Remember what past sessions were about')
            [CompletionResult]::new('observe', 'observe', [CompletionResultType]::ParameterValue, 'Note what happened in a session')
            [CompletionResult]::new('reflect', 'reflect', [CompletionResultType]::ParameterValue, 'Consolidate observations')
            [CompletionResult]::new('extract', 'extract', [CompletionResultType]::ParameterValue, 'Learn the preferences that a text states')
            [CompletionResult]::new('pin', 'pin', [CompletionResultType]::ParameterValue, 'Never let entries fade')
            [CompletionResult]::new('unpin', 'unpin', [CompletionResultType]::ParameterValue, 'Let entries fade again')
            [CompletionResult]::new('forget', 'forget', [CompletionResultType]::ParameterValue, 'Drop entries from reports and searches')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Drop entries from reports and searches')
            [CompletionResult]::new('rm', 'rm', [CompletionResultType]::ParameterValue, 'Drop entries from reports and searches')
            [CompletionResult]::new('restore', 'restore', [CompletionResultType]::ParameterValue, 'Bring entries back that were forgotten or archived')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Take back the last change that was typed on this machine')
            [CompletionResult]::new('purge', 'purge', [CompletionResultType]::ParameterValue, 'Destroy entries: the same as `pimem forget --destroy`')
            [CompletionResult]::new('edit', 'edit', [CompletionResultType]::ParameterValue, 'Change the text of an entry')
            [CompletionResult]::new('encrypt', 'encrypt', [CompletionResultType]::ParameterValue, 'Encrypt a store, so that what was remembered is nowhere readable on the disk')
            [CompletionResult]::new('eval', 'eval', [CompletionResultType]::ParameterValue, 'Measure what searches find, on questions with known answers')
            [CompletionResult]::new('dream', 'dream', [CompletionResultType]::ParameterValue, 'Tend the store: merge, archive, and learn from past sessions')
            [CompletionResult]::new('rebuild', 'rebuild', [CompletionResultType]::ParameterValue, 'Adopt hand-written lines, rescore, archive what has faded, rebuild the index')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write entries, notes or vectors for other programs')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Import what other programs remember')
            [CompletionResult]::new('sync', 'sync', [CompletionResultType]::ParameterValue, 'Exchange entries and their evidence with a server, another store, or by a file')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Find contradictions, duplicates, secrets and damage in a store')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show stores, what agents get of them, and what waits, on one screen')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Find what is wrong with the stores, and say how to mend it')
            [CompletionResult]::new('merge-driver', 'merge-driver', [CompletionResultType]::ParameterValue, 'Merge a file of a store for git, without conflicts')
            [CompletionResult]::new('telemetry', 'telemetry', [CompletionResultType]::ParameterValue, 'Show which memories were put into prompts, and which of them were used')
            [CompletionResult]::new('hooks', 'hooks', [CompletionResultType]::ParameterValue, 'Connect agents: have them call pimem')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'Serve the memory to clients of the Model Context Protocol')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Show or change settings')
            [CompletionResult]::new('model', 'model', [CompletionResultType]::ParameterValue, 'Install and choose models of semantic search')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a man page, or write all of them')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;init' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;add' {
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Category: preference, lesson, mistake, pattern, decision, done, or one of your own')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Category: preference, lesson, mistake, pattern, decision, done, or one of your own')
            [CompletionResult]::new('--topic', '--topic', [CompletionResultType]::ParameterName, 'The file that it goes to, `topics/NAME.md`, made when there is none [default: that of the category]')
            [CompletionResult]::new('--cue', '--cue', [CompletionResultType]::ParameterName, 'How it was learned, which decides its weight')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Add `#TAG` to the text, also to that of a known entry (repeatable)')
            [CompletionResult]::new('--supersedes', '--supersedes', [CompletionResultType]::ParameterName, 'The entry that this one replaces: it leaves the report')
            [CompletionResult]::new('--valid-until', '--valid-until', [CompletionResultType]::ParameterName, 'Last day on which it holds, as clocks show it here')
            [CompletionResult]::new('--priority', '--priority', [CompletionResultType]::ParameterName, 'What its score is under the policy weighted, from above 0 to 1; 0 takes it back')
            [CompletionResult]::new('--importance', '--importance', [CompletionResultType]::ParameterName, 'How important it is at the start under the policy ebbinghaus, from 0 to 1 [default: 0.5]')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--pin', '--pin', [CompletionResultType]::ParameterName, 'Never let it fade')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Add it even if an entry says the same in other words')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;reinforce' {
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'How much evidence to add')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--harmful', '--harmful', [CompletionResultType]::ParameterName, 'Weaken them instead, because they proved wrong: each counts as four pieces of evidence less')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;list' {
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Only entries of this category (repeatable)')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Only entries of this category (repeatable)')
            [CompletionResult]::new('--topic', '--topic', [CompletionResultType]::ParameterName, 'Only entries of this topic, `topics/NAME.md` and the files that it goes on in')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Only entries in this state: active, provisional, candidate, dropped (repeatable)')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Only entries with this tag (repeatable: with all of them)')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most this many')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most this many')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;ls' {
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Only entries of this category (repeatable)')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Only entries of this category (repeatable)')
            [CompletionResult]::new('--topic', '--topic', [CompletionResultType]::ParameterName, 'Only entries of this topic, `topics/NAME.md` and the files that it goes on in')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Only entries in this state: active, provisional, candidate, dropped (repeatable)')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Only entries with this tag (repeatable: with all of them)')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most this many')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most this many')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;show' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;topics' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;search' {
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'How to search')
            [CompletionResult]::new('--rank', '--rank', [CompletionResultType]::ParameterName, 'How to order the hits')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most this many hits')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most this many hits')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Only entries of this category (repeatable)')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Only entries of this category (repeatable)')
            [CompletionResult]::new('--topic', '--topic', [CompletionResultType]::ParameterName, 'Only entries of this topic, `topics/NAME.md` and the files that it goes on in')
            [CompletionResult]::new('--in', '--in', [CompletionResultType]::ParameterName, 'Where to look (repeatable)')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only what is from this time or later: a date, yesterday, a time (RFC 3339) or an age as in 7d, 12h')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Only what is from this time or earlier; a date counts with the whole day')
            [CompletionResult]::new('--min-score', '--min-score', [CompletionResultType]::ParameterName, 'Leave out hits with a lower score (0 to 1.1)')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Show how each score is made up, and what was nearly found')
            [CompletionResult]::new('--no-touch', '--no-touch', [CompletionResultType]::ParameterName, 'Do not count this as an access to the entries that are found')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;report' {
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Tokens that the report may take, or none for no limit [default: 1700]')
            [CompletionResult]::new('--system-prompt-tokens', '--system-prompt-tokens', [CompletionResultType]::ParameterName, 'Tokens that the system prompt takes already')
            [CompletionResult]::new('--system-prompt', '--system-prompt', [CompletionResultType]::ParameterName, 'The system prompt, to be measured')
            [CompletionResult]::new('--prompt', '--prompt', [CompletionResultType]::ParameterName, 'Add memories that fit this prompt (`-` reads it from standard input)')
            [CompletionResult]::new('--layout', '--layout', [CompletionResultType]::ParameterName, 'What the report is made of')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent whose text the layout start is [default: generic]')
            [CompletionResult]::new('--html', '--html', [CompletionResultType]::ParameterName, 'Write a page for people instead: health, what agents see and what is just outside, what fades and when, use, all entries [default: to standard output]')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Explain for every entry why it is in or out, on standard error or in the JSON')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Leave out of the page what people have written: ids stand for texts')
            [CompletionResult]::new('--authors', '--authors', [CompletionResultType]::ParameterName, 'Ask git who wrote each entry, for the page')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;why' {
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Tokens that the report may take [default: 1700]')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;forecast' {
            [CompletionResult]::new('--days', '--days', [CompletionResultType]::ParameterName, 'How many days to look ahead')
            [CompletionResult]::new('--svg', '--svg', [CompletionResultType]::ParameterName, 'Draw the scores of the entries over these days into an SVG file')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;diff' {
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'The first time: a date, a time (RFC 3339) or an age as in 7d, 12h')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'The second time [default: now]')
            [CompletionResult]::new('--html', '--html', [CompletionResultType]::ParameterName, 'Write a page for people instead, with both reports beside each other [default: to standard output]')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;score' {
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'Policy: stability, weighted or ebbinghaus [default: the one in force]')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;stats' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;decay' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--apply', '--apply', [CompletionResultType]::ParameterName, 'Archive what is below the minimum; only where scoring.policy is ebbinghaus')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;trust' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--review', '--review', [CompletionResultType]::ParameterName, 'Show what awaits review, and ask; also done when nothing else is asked for')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Trust all that is there now, notes, logs and the archive too')
            [CompletionResult]::new('--always', '--always', [CompletionResultType]::ParameterName, 'Trust this store as your own, whatever git brings, whoever owns it and wherever its root leads now: on a second computer, in a container, behind a link. Settings that decide what is run still await review')
            [CompletionResult]::new('--revoke', '--revoke', [CompletionResultType]::ParameterName, 'Take trust back, from these entries or from everything')
            [CompletionResult]::new('--no-secret', '--no-secret', [CompletionResultType]::ParameterName, 'Say that what looks like a secret in these entries is none, so that agents are told them')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show how much awaits review')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;trust;status' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;trust;help' {
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show how much awaits review')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;trust;help;status' {
            break
        }
        'pimem;trust;help;help' {
            break
        }
        'pimem;handoff' {
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'The session that leaves it [default: `PIMEM_SESSION`]')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--git', '--git', [CompletionResultType]::ParameterName, 'Add branch, changed files and last commits')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show the newest handoff')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;handoff;show' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;handoff;help' {
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show the newest handoff')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;handoff;help;show' {
            break
        }
        'pimem;handoff;help;help' {
            break
        }
        'pimem;hook' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;note' {
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Add it to the section with this heading, which is made when there is none')
            [CompletionResult]::new('--section', '--section', [CompletionResultType]::ParameterName, 'Add it to the section with this heading, which is made when there is none')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;log' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;todo' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add an open item')
            [CompletionResult]::new('done', 'done', [CompletionResultType]::ParameterValue, 'Tick the first open item that contains the text, in any case')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Open the first done item that contains the text again')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List open items')
            [CompletionResult]::new('clear', 'clear', [CompletionResultType]::ParameterValue, 'Move done items to archive/SCRATCHPAD.md')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;todo;add' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;todo;done' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;todo;undo' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;todo;list' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Done items too')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;todo;clear' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;todo;help' {
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add an open item')
            [CompletionResult]::new('done', 'done', [CompletionResultType]::ParameterValue, 'Tick the first open item that contains the text, in any case')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Open the first done item that contains the text again')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List open items')
            [CompletionResult]::new('clear', 'clear', [CompletionResultType]::ParameterValue, 'Move done items to archive/SCRATCHPAD.md')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;todo;help;add' {
            break
        }
        'pimem;todo;help;done' {
            break
        }
        'pimem;todo;help;undo' {
            break
        }
        'pimem;todo;help;list' {
            break
        }
        'pimem;todo;help;clear' {
            break
        }
        'pimem;todo;help;help' {
            break
        }
        'pimem;read' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('memory', 'memory', [CompletionResultType]::ParameterValue, 'Long-term notes: MEMORY.md')
            [CompletionResult]::new('scratchpad', 'scratchpad', [CompletionResultType]::ParameterValue, 'The checklist: SCRATCHPAD.md')
            [CompletionResult]::new('daily', 'daily', [CompletionResultType]::ParameterValue, 'The log of a day')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'The days that have a log, newest first')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;read;memory' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;read;scratchpad' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;read;daily' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;read;list' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;read;help' {
            [CompletionResult]::new('memory', 'memory', [CompletionResultType]::ParameterValue, 'Long-term notes: MEMORY.md')
            [CompletionResult]::new('scratchpad', 'scratchpad', [CompletionResultType]::ParameterValue, 'The checklist: SCRATCHPAD.md')
            [CompletionResult]::new('daily', 'daily', [CompletionResultType]::ParameterValue, 'The log of a day')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'The days that have a log, newest first')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;read;help;memory' {
            break
        }
        'pimem;read;help;scratchpad' {
            break
        }
        'pimem;read;help;daily' {
            break
        }
        'pimem;read;help;list' {
            break
        }
        'pimem;read;help;help' {
            break
        }
        'pimem;session' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('index', 'index', [CompletionResultType]::ParameterValue, 'Summarize a session, in place of its earlier summary')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Find past sessions, as pimem search --in sessions does')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List past sessions, the newest first')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;session;index' {
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'The session''s id [default: the transcript''s, or `PIMEM_SESSION`]')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The session''s agent [default: the one that wrote the transcript, or `PIMEM_AGENT`]')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;session;search' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most this many hits')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most this many hits')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;session;list' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most this many')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most this many')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;session;help' {
            [CompletionResult]::new('index', 'index', [CompletionResultType]::ParameterValue, 'Summarize a session, in place of its earlier summary')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Find past sessions, as pimem search --in sessions does')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List past sessions, the newest first')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;session;help;index' {
            break
        }
        'pimem;session;help;search' {
            break
        }
        'pimem;session;help;list' {
            break
        }
        'pimem;session;help;help' {
            break
        }
        'pimem;observe' {
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'The session''s id [default: the transcript''s, or `PIMEM_SESSION`]')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--if-due', '--if-due', [CompletionResultType]::ParameterName, 'Do nothing while what is new has fewer tokens than `observer.messageTokenThreshold`')
            [CompletionResult]::new('--print', '--print', [CompletionResultType]::ParameterName, 'Print observations of the whole transcript, and write nothing')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;reflect' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--aggressive', '--aggressive', [CompletionResultType]::ParameterName, 'Cut everything that is older than two days down to a line')
            [CompletionResult]::new('--if-due', '--if-due', [CompletionResultType]::ParameterName, 'Leave files alone that have no more tokens than `reflector.observationTokenThreshold`')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would happen, and write nothing')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;extract' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--typed', '--typed', [CompletionResultType]::ParameterName, 'Treat standard input as typed, as a text on the command line is')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be learned, and change nothing')
            [CompletionResult]::new('--pairs', '--pairs', [CompletionResultType]::ParameterName, 'Show what would be stored of questions and answers, and why: a JSON object a line on standard input, with the keys question and answer. Stores nothing')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;pin' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;unpin' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;forget' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--archive', '--archive', [CompletionResultType]::ParameterName, 'Move the line to the archive, and leave the entry in force')
            [CompletionResult]::new('--destroy', '--destroy', [CompletionResultType]::ParameterName, 'Destroy text, evidence and index for good')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask before something is destroyed')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask before something is destroyed')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;remove' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--archive', '--archive', [CompletionResultType]::ParameterName, 'Move the line to the archive, and leave the entry in force')
            [CompletionResult]::new('--destroy', '--destroy', [CompletionResultType]::ParameterName, 'Destroy text, evidence and index for good')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask before something is destroyed')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask before something is destroyed')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;rm' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--archive', '--archive', [CompletionResultType]::ParameterName, 'Move the line to the archive, and leave the entry in force')
            [CompletionResult]::new('--destroy', '--destroy', [CompletionResultType]::ParameterName, 'Destroy text, evidence and index for good')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask before something is destroyed')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask before something is destroyed')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;restore' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;undo' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;purge' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;edit' {
            [CompletionResult]::new('--priority', '--priority', [CompletionResultType]::ParameterName, 'What its score is under the policy weighted, from above 0 to 1; 0 takes it back')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;encrypt' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Seal the store; make its key if there is none')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show whether the store is sealed; exit code 1 if something of it is not sealed or cannot be opened. Also done when nothing else is asked for')
            [CompletionResult]::new('rotate', 'rotate', [CompletionResultType]::ParameterValue, 'Seal the store under a new key')
            [CompletionResult]::new('decrypt', 'decrypt', [CompletionResultType]::ParameterValue, 'Make the store plain again')
            [CompletionResult]::new('repair', 'repair', [CompletionResultType]::ParameterValue, 'Write store.json again where it is missing or damaged, by the key that opens the sealed lines')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;encrypt;init' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;encrypt;status' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;encrypt;rotate' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;encrypt;decrypt' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;encrypt;repair' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;encrypt;help' {
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Seal the store; make its key if there is none')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show whether the store is sealed; exit code 1 if something of it is not sealed or cannot be opened. Also done when nothing else is asked for')
            [CompletionResult]::new('rotate', 'rotate', [CompletionResultType]::ParameterValue, 'Seal the store under a new key')
            [CompletionResult]::new('decrypt', 'decrypt', [CompletionResultType]::ParameterValue, 'Make the store plain again')
            [CompletionResult]::new('repair', 'repair', [CompletionResultType]::ParameterValue, 'Write store.json again where it is missing or damaged, by the key that opens the sealed lines')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;encrypt;help;init' {
            break
        }
        'pimem;encrypt;help;status' {
            break
        }
        'pimem;encrypt;help;rotate' {
            break
        }
        'pimem;encrypt;help;decrypt' {
            break
        }
        'pimem;encrypt;help;repair' {
            break
        }
        'pimem;encrypt;help;help' {
            break
        }
        'pimem;eval' {
            [CompletionResult]::new('--without', '--without', [CompletionResultType]::ParameterName, 'Leave out questions of this class (repeatable; '''' leaves out none)')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Break the figures down')
            [CompletionResult]::new('--html', '--html', [CompletionResultType]::ParameterName, 'Write a page for people instead: the figures, and each question that is missed with what came instead [default: to standard output]')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--injection', '--injection', [CompletionResultType]::ParameterName, 'Compare what a model is shown with and without a search, by where the answer is')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Leave out of the page what people have written: ids stand for texts')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;dream' {
            [CompletionResult]::new('--apply', '--apply', [CompletionResultType]::ParameterName, 'Do what a plan says (`-` reads it from standard input; without a name, the plan that the language model left)')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Learn from this transcript instead of those that wait')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'Print the plan, and change nothing')
            [CompletionResult]::new('--detach', '--detach', [CompletionResultType]::ParameterName, 'Do it in the background, if it is due')
            [CompletionResult]::new('--llm', '--llm', [CompletionResultType]::ParameterName, 'Ask the language model of the setting dream.provider too')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Do it although the last dream was not long ago')
            [CompletionResult]::new('--detached-run', '--detached-run', [CompletionResultType]::ParameterName, 'Be the process that was detached')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;rebuild' {
            [CompletionResult]::new('--if-older', '--if-older', [CompletionResultType]::ParameterName, 'Do nothing when the last rebuild is younger than this, as in 30m, 2h or 1d')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--vectors-only', '--vectors-only', [CompletionResultType]::ParameterName, 'Only embed what the built-in model has not embedded, in the background')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;export' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Write also what no agent is told, with the reason, and with secrets masked')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('jsonl', 'jsonl', [CompletionResultType]::ParameterValue, 'Write entries with their evidence, a JSON object a line')
            [CompletionResult]::new('pi', 'pi', [CompletionResultType]::ParameterValue, 'Write topics/ and memory-scores.json, as pi keeps them')
            [CompletionResult]::new('pi-memory', 'pi-memory', [CompletionResultType]::ParameterValue, 'Write MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them')
            [CompletionResult]::new('claude', 'claude', [CompletionResultType]::ParameterValue, 'Write a memory directory as Claude Code keeps it')
            [CompletionResult]::new('agents', 'agents', [CompletionResultType]::ParameterValue, 'Write entries as a block for AGENTS.md or CLAUDE.md')
            [CompletionResult]::new('embeddings', 'embeddings', [CompletionResultType]::ParameterValue, 'Write the vectors of all entries as JSON, as pi''s embeddings.json')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;export;jsonl' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to this file instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to this file instead of standard output')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Write also what no agent is told, with the reason, and with secrets masked')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;export;pi' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'A directory that is empty or not there yet')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'A directory that is empty or not there yet')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Write also what no agent is told, with the reason, and with secrets masked')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;export;pi-memory' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'A directory that is empty or not there yet')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'A directory that is empty or not there yet')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Write also what no agent is told, with the reason, and with secrets masked')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;export;claude' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'A directory that is empty or not there yet')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'A directory that is empty or not there yet')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Write also what no agent is told, with the reason, and with secrets masked')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;export;agents' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write into this file instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write into this file instead of standard output')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Write also what no agent is told, with the reason, and with secrets masked')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;export;embeddings' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to this file instead of standard output')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Write also what no agent is told, with the reason, and with secrets masked')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;export;help' {
            [CompletionResult]::new('jsonl', 'jsonl', [CompletionResultType]::ParameterValue, 'Write entries with their evidence, a JSON object a line')
            [CompletionResult]::new('pi', 'pi', [CompletionResultType]::ParameterValue, 'Write topics/ and memory-scores.json, as pi keeps them')
            [CompletionResult]::new('pi-memory', 'pi-memory', [CompletionResultType]::ParameterValue, 'Write MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them')
            [CompletionResult]::new('claude', 'claude', [CompletionResultType]::ParameterValue, 'Write a memory directory as Claude Code keeps it')
            [CompletionResult]::new('agents', 'agents', [CompletionResultType]::ParameterValue, 'Write entries as a block for AGENTS.md or CLAUDE.md')
            [CompletionResult]::new('embeddings', 'embeddings', [CompletionResultType]::ParameterValue, 'Write the vectors of all entries as JSON, as pi''s embeddings.json')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;export;help;jsonl' {
            break
        }
        'pimem;export;help;pi' {
            break
        }
        'pimem;export;help;pi-memory' {
            break
        }
        'pimem;export;help;claude' {
            break
        }
        'pimem;export;help;agents' {
            break
        }
        'pimem;export;help;embeddings' {
            break
        }
        'pimem;export;help;help' {
            break
        }
        'pimem;import' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('jsonl', 'jsonl', [CompletionResultType]::ParameterValue, 'Import entries with their evidence, as pimem export jsonl writes them')
            [CompletionResult]::new('pi', 'pi', [CompletionResultType]::ParameterValue, 'Import the entries of another store, as pi and pimem keep them')
            [CompletionResult]::new('pi-memory', 'pi-memory', [CompletionResultType]::ParameterValue, 'Import MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them')
            [CompletionResult]::new('claude', 'claude', [CompletionResultType]::ParameterValue, 'Import Claude Code''s memory directory')
            [CompletionResult]::new('agents', 'agents', [CompletionResultType]::ParameterValue, 'Import the bullets of AGENTS.md, CLAUDE.md and the like')
            [CompletionResult]::new('embeddings', 'embeddings', [CompletionResultType]::ParameterValue, 'Import the vectors of entries from pi''s embeddings.json')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;import;jsonl' {
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Category of what does not say its own [default: lesson]')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Category of what does not say its own [default: lesson]')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show what would be added, and write nothing')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be added, and write nothing')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;import;pi' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show what would be added, and write nothing')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be added, and write nothing')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;import;pi-memory' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show what would be added, and write nothing')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be added, and write nothing')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;import;claude' {
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Category of what does not say its own [default: lesson]')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Category of what does not say its own [default: lesson]')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show what would be added, and write nothing')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be added, and write nothing')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;import;agents' {
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Category of what does not say its own [default: lesson]')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Category of what does not say its own [default: lesson]')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show what would be added, and write nothing')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be added, and write nothing')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;import;embeddings' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;import;help' {
            [CompletionResult]::new('jsonl', 'jsonl', [CompletionResultType]::ParameterValue, 'Import entries with their evidence, as pimem export jsonl writes them')
            [CompletionResult]::new('pi', 'pi', [CompletionResultType]::ParameterValue, 'Import the entries of another store, as pi and pimem keep them')
            [CompletionResult]::new('pi-memory', 'pi-memory', [CompletionResultType]::ParameterValue, 'Import MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them')
            [CompletionResult]::new('claude', 'claude', [CompletionResultType]::ParameterValue, 'Import Claude Code''s memory directory')
            [CompletionResult]::new('agents', 'agents', [CompletionResultType]::ParameterValue, 'Import the bullets of AGENTS.md, CLAUDE.md and the like')
            [CompletionResult]::new('embeddings', 'embeddings', [CompletionResultType]::ParameterValue, 'Import the vectors of entries from pi''s embeddings.json')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;import;help;jsonl' {
            break
        }
        'pimem;import;help;pi' {
            break
        }
        'pimem;import;help;pi-memory' {
            break
        }
        'pimem;import;help;claude' {
            break
        }
        'pimem;import;help;agents' {
            break
        }
        'pimem;import;help;embeddings' {
            break
        }
        'pimem;import;help;help' {
            break
        }
        'pimem;sync' {
            [CompletionResult]::new('--with', '--with', [CompletionResultType]::ParameterName, 'Another store, or its project: in both directions')
            [CompletionResult]::new('--bundle', '--bundle', [CompletionResultType]::ParameterName, 'Write all that may leave this store to a file (`-` is standard output)')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Take in what --bundle wrote (`-` is standard input)')
            [CompletionResult]::new('--seal-key', '--seal-key', [CompletionResultType]::ParameterName, 'The key of projects that no server reads: make one (or one more, which seals from then on), show it for another machine, or take it from there')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--trust', '--trust', [CompletionResultType]::ParameterName, 'Agents may see the lines of --from without a review')
            [CompletionResult]::new('--plain', '--plain', [CompletionResultType]::ParameterName, 'Write a bundle of a sealed store, readable for everybody')
            [CompletionResult]::new('--destroy', '--destroy', [CompletionResultType]::ParameterName, 'Destroy lines that were purged elsewhere at once, instead of keeping them for 30 days')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Send without asking, the first time too')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Send without asking, the first time too')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show every line that would leave or come, and write nothing')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show every line that would leave or come, and write nothing')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;check' {
            [CompletionResult]::new('--rule', '--rule', [CompletionResultType]::ParameterName, 'Check this rule only')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Leave this rule out')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--fix', '--fix', [CompletionResultType]::ParameterName, 'Delete repeated lines, and move expired and replaced entries to the archive')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what --fix would do, and do nothing')
            [CompletionResult]::new('--list-rules', '--list-rules', [CompletionResultType]::ParameterName, 'List the rules')
            [CompletionResult]::new('--sarif', '--sarif', [CompletionResultType]::ParameterName, 'Print SARIF 2.1.0')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;status' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;doctor' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;merge-driver' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--install', '--install', [CompletionResultType]::ParameterName, 'Have git call this in this repository')
            [CompletionResult]::new('--uninstall', '--uninstall', [CompletionResultType]::ParameterName, 'Have git merge by itself again')
            [CompletionResult]::new('--print', '--print', [CompletionResultType]::ParameterName, 'Print what --install would run and write, and do nothing')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;telemetry' {
            [CompletionResult]::new('--html', '--html', [CompletionResultType]::ParameterName, 'Write the summary as a page instead [default: to standard output]')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Leave out of the page what people have written: ids stand for texts')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('summary', 'summary', [CompletionResultType]::ParameterValue, 'Show volume, rate of use by category and agent, and sizes (the default)')
            [CompletionResult]::new('log', 'log', [CompletionResultType]::ParameterValue, 'List records, newest last')
            [CompletionResult]::new('usage', 'usage', [CompletionResultType]::ParameterValue, 'Show in how many of the sessions that had it each entry was used')
            [CompletionResult]::new('never-used', 'never-used', [CompletionResultType]::ParameterValue, 'List entries that many sessions had and none used')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Run recorded prompts against today''s store with other thresholds')
            [CompletionResult]::new('tune', 'tune', [CompletionResultType]::ParameterValue, 'Propose recall.minScore and recall.limit by what was used')
            [CompletionResult]::new('clear', 'clear', [CompletionResultType]::ParameterValue, 'Delete all records')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;telemetry;summary' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;telemetry;log' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most this many, the newest')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most this many, the newest')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only those from this time or later: a date, yesterday, a time (RFC 3339) or an age as in 7d')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Only those from this time or earlier; a date counts with the whole day')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Only those of this type (repeatable)')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;telemetry;usage' {
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Sum up by')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;telemetry;never-used' {
            [CompletionResult]::new('--min', '--min', [CompletionResultType]::ParameterName, 'In at least this many sessions')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;telemetry;replay' {
            [CompletionResult]::new('--min-score', '--min-score', [CompletionResultType]::ParameterName, 'Try this for recall.minScore (repeatable; by default some around the one in force)')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Try this for recall.limit (repeatable; by default the one in force)')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;telemetry;tune' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--apply', '--apply', [CompletionResultType]::ParameterName, 'Change the settings: the project''s, or yours with --user')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;telemetry;clear' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;telemetry;help' {
            [CompletionResult]::new('summary', 'summary', [CompletionResultType]::ParameterValue, 'Show volume, rate of use by category and agent, and sizes (the default)')
            [CompletionResult]::new('log', 'log', [CompletionResultType]::ParameterValue, 'List records, newest last')
            [CompletionResult]::new('usage', 'usage', [CompletionResultType]::ParameterValue, 'Show in how many of the sessions that had it each entry was used')
            [CompletionResult]::new('never-used', 'never-used', [CompletionResultType]::ParameterValue, 'List entries that many sessions had and none used')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Run recorded prompts against today''s store with other thresholds')
            [CompletionResult]::new('tune', 'tune', [CompletionResultType]::ParameterValue, 'Propose recall.minScore and recall.limit by what was used')
            [CompletionResult]::new('clear', 'clear', [CompletionResultType]::ParameterValue, 'Delete all records')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;telemetry;help;summary' {
            break
        }
        'pimem;telemetry;help;log' {
            break
        }
        'pimem;telemetry;help;usage' {
            break
        }
        'pimem;telemetry;help;never-used' {
            break
        }
        'pimem;telemetry;help;replay' {
            break
        }
        'pimem;telemetry;help;tune' {
            break
        }
        'pimem;telemetry;help;clear' {
            break
        }
        'pimem;telemetry;help;help' {
            break
        }
        'pimem;hooks' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Add pimem''s hooks to the settings of agents')
            [CompletionResult]::new('uninstall', 'uninstall', [CompletionResultType]::ParameterValue, 'Remove pimem''s hooks from the settings of agents')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show which agents call pimem')
            [CompletionResult]::new('print', 'print', [CompletionResultType]::ParameterValue, 'Print what `install` would write to empty settings')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Run the installed commands as agents do, and look at their answers')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;hooks;install' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'All agents that are used here, or that call pimem')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'The settings of this project instead of yours')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print what would change, and change nothing')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;hooks;uninstall' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'All agents that are used here, or that call pimem')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'The settings of this project instead of yours')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print what would change, and change nothing')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;hooks;status' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'The settings of this project instead of yours')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;hooks;print' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'As it is for one project')
            [CompletionResult]::new('--plugin', '--plugin', [CompletionResultType]::ParameterName, 'The file of the plugin in `plugin/`, which a test keeps as this prints it')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;hooks;test' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'All agents that are used here, or that call pimem')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'The settings of this project instead of yours')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;hooks;help' {
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Add pimem''s hooks to the settings of agents')
            [CompletionResult]::new('uninstall', 'uninstall', [CompletionResultType]::ParameterValue, 'Remove pimem''s hooks from the settings of agents')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show which agents call pimem')
            [CompletionResult]::new('print', 'print', [CompletionResultType]::ParameterValue, 'Print what `install` would write to empty settings')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Run the installed commands as agents do, and look at their answers')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;hooks;help;install' {
            break
        }
        'pimem;hooks;help;uninstall' {
            break
        }
        'pimem;hooks;help;status' {
            break
        }
        'pimem;hooks;help;print' {
            break
        }
        'pimem;hooks;help;test' {
            break
        }
        'pimem;hooks;help;help' {
            break
        }
        'pimem;mcp' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--read-only', '--read-only', [CompletionResultType]::ParameterName, 'Offer only the tools that read (as `PIMEM_MCP_READONLY=1` does)')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;config' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'List the settings that differ from their defaults')
            [CompletionResult]::new('get', 'get', [CompletionResultType]::ParameterValue, 'Print one setting')
            [CompletionResult]::new('set', 'set', [CompletionResultType]::ParameterValue, 'Change one setting in the project''s file, or in yours with --user')
            [CompletionResult]::new('unset', 'unset', [CompletionResultType]::ParameterValue, 'Take one setting out of the project''s file, or of yours with --user')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON schema of memory.json')
            [CompletionResult]::new('prompt', 'prompt', [CompletionResultType]::ParameterValue, 'Print the rules that a language model gets, to be copied and changed')
            [CompletionResult]::new('check-model', 'check-model', [CompletionResultType]::ParameterValue, 'Ask a language model for one word, to test its settings')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;config;show' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'List those with their defaults too')
            [CompletionResult]::new('--origin', '--origin', [CompletionResultType]::ParameterName, 'Show where each value comes from')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;config;get' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;config;set' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;config;unset' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;config;schema' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;config;prompt' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Print the path of the file of yours that takes their place')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;config;check-model' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;config;help' {
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'List the settings that differ from their defaults')
            [CompletionResult]::new('get', 'get', [CompletionResultType]::ParameterValue, 'Print one setting')
            [CompletionResult]::new('set', 'set', [CompletionResultType]::ParameterValue, 'Change one setting in the project''s file, or in yours with --user')
            [CompletionResult]::new('unset', 'unset', [CompletionResultType]::ParameterValue, 'Take one setting out of the project''s file, or of yours with --user')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON schema of memory.json')
            [CompletionResult]::new('prompt', 'prompt', [CompletionResultType]::ParameterValue, 'Print the rules that a language model gets, to be copied and changed')
            [CompletionResult]::new('check-model', 'check-model', [CompletionResultType]::ParameterValue, 'Ask a language model for one word, to test its settings')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;config;help;show' {
            break
        }
        'pimem;config;help;get' {
            break
        }
        'pimem;config;help;set' {
            break
        }
        'pimem;config;help;unset' {
            break
        }
        'pimem;config;help;schema' {
            break
        }
        'pimem;config;help;prompt' {
            break
        }
        'pimem;config;help;check-model' {
            break
        }
        'pimem;config;help;help' {
            break
        }
        'pimem;model' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the models: built in, installed, and those that can be downloaded')
            [CompletionResult]::new('pull', 'pull', [CompletionResultType]::ParameterValue, 'Install a model, or the ONNX Runtime library')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show a model, and whether it can serve')
            [CompletionResult]::new('use', 'use', [CompletionResultType]::ParameterValue, 'Choose the model of semantic search, in your own settings')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Delete an installed model')
            [CompletionResult]::new('embed', 'embed', [CompletionResultType]::ParameterValue, 'Serve texts from standard input: a JSON string a line, answered by an array of numbers. With a library and no directory, the answer is its version')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;model;list' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;model;pull' {
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Take its files from this directory, wheel, or other zip archive')
            [CompletionResult]::new('--pooling', '--pooling', [CompletionResultType]::ParameterName, 'How its tokens become one vector, when its files do not tell')
            [CompletionResult]::new('--query-prefix', '--query-prefix', [CompletionResultType]::ParameterName, 'What it wants in front of a query')
            [CompletionResult]::new('--passage-prefix', '--passage-prefix', [CompletionResultType]::ParameterName, 'What it wants in front of a passage')
            [CompletionResult]::new('--runtime', '--runtime', [CompletionResultType]::ParameterName, 'Install the ONNX Runtime library from this file, or from the directory it is in')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;model;status' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--try', '--try', [CompletionResultType]::ParameterName, 'Embed a sentence and say how long that takes, from the start of a process on')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;model;use' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;model;remove' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;model;embed' {
            [CompletionResult]::new('--runtime', '--runtime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;model;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the models: built in, installed, and those that can be downloaded')
            [CompletionResult]::new('pull', 'pull', [CompletionResultType]::ParameterValue, 'Install a model, or the ONNX Runtime library')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show a model, and whether it can serve')
            [CompletionResult]::new('use', 'use', [CompletionResultType]::ParameterValue, 'Choose the model of semantic search, in your own settings')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Delete an installed model')
            [CompletionResult]::new('embed', 'embed', [CompletionResultType]::ParameterValue, 'Serve texts from standard input: a JSON string a line, answered by an array of numbers. With a library and no directory, the answer is its version')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;model;help;list' {
            break
        }
        'pimem;model;help;pull' {
            break
        }
        'pimem;model;help;status' {
            break
        }
        'pimem;model;help;use' {
            break
        }
        'pimem;model;help;remove' {
            break
        }
        'pimem;model;help;embed' {
            break
        }
        'pimem;model;help;help' {
            break
        }
        'pimem;completions' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;man' {
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'Write every page into this directory')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Use this store: the directory that holds topics/')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Use only these stores')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Use your own store instead of the project''s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print results and errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more about what happens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'pimem;help' {
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Make a store, with its git files')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Remember something')
            [CompletionResult]::new('reinforce', 'reinforce', [CompletionResultType]::ParameterValue, 'Strengthen entries that proved right')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List entries with their score and state')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show all that is known about an entry')
            [CompletionResult]::new('topics', 'topics', [CompletionResultType]::ParameterValue, 'List topics with their size and hotness')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Find memories, notes, log items, observations and past sessions by words and meaning')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Print what an agent should know, for a prompt')
            [CompletionResult]::new('why', 'why', [CompletionResultType]::ParameterValue, 'Show why an entry is in the report or not')
            [CompletionResult]::new('forecast', 'forecast', [CompletionResultType]::ParameterValue, 'Show what leaves the report, when, and what would keep it')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Show what changed between two times, or will')
            [CompletionResult]::new('score', 'score', [CompletionResultType]::ParameterValue, 'Print the scores of all entries, by any policy')
            [CompletionResult]::new('stats', 'stats', [CompletionResultType]::ParameterValue, 'Count entries by category and state, with what was found, shown and used of them')
            [CompletionResult]::new('decay', 'decay', [CompletionResultType]::ParameterValue, 'Show how the importance of entries has faded')
            [CompletionResult]::new('trust', 'trust', [CompletionResultType]::ParameterValue, 'Review what came by git, and let agents see it')
            [CompletionResult]::new('handoff', 'handoff', [CompletionResultType]::ParameterValue, 'Leave in today''s log what the next session should start from')
            [CompletionResult]::new('hook', 'hook', [CompletionResultType]::ParameterValue, 'Answer an agent''s hook')
            [CompletionResult]::new('note', 'note', [CompletionResultType]::ParameterValue, 'Add to the long-term notes in MEMORY.md, or show them')
            [CompletionResult]::new('log', 'log', [CompletionResultType]::ParameterValue, 'Add to today''s log, or show it')
            [CompletionResult]::new('todo', 'todo', [CompletionResultType]::ParameterValue, 'Keep a checklist in SCRATCHPAD.md')
            [CompletionResult]::new('read', 'read', [CompletionResultType]::ParameterValue, 'Show notes, the scratchpad or a daily log')
            [CompletionResult]::new('session', 'session', [CompletionResultType]::ParameterValue, 'Remember what past sessions were about')
            [CompletionResult]::new('observe', 'observe', [CompletionResultType]::ParameterValue, 'Note what happened in a session')
            [CompletionResult]::new('reflect', 'reflect', [CompletionResultType]::ParameterValue, 'Consolidate observations')
            [CompletionResult]::new('extract', 'extract', [CompletionResultType]::ParameterValue, 'Learn the preferences that a text states')
            [CompletionResult]::new('pin', 'pin', [CompletionResultType]::ParameterValue, 'Never let entries fade')
            [CompletionResult]::new('unpin', 'unpin', [CompletionResultType]::ParameterValue, 'Let entries fade again')
            [CompletionResult]::new('forget', 'forget', [CompletionResultType]::ParameterValue, 'Drop entries from reports and searches')
            [CompletionResult]::new('restore', 'restore', [CompletionResultType]::ParameterValue, 'Bring entries back that were forgotten or archived')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Take back the last change that was typed on this machine')
            [CompletionResult]::new('purge', 'purge', [CompletionResultType]::ParameterValue, 'Destroy entries: the same as `pimem forget --destroy`')
            [CompletionResult]::new('edit', 'edit', [CompletionResultType]::ParameterValue, 'Change the text of an entry')
            [CompletionResult]::new('encrypt', 'encrypt', [CompletionResultType]::ParameterValue, 'Encrypt a store, so that what was remembered is nowhere readable on the disk')
            [CompletionResult]::new('eval', 'eval', [CompletionResultType]::ParameterValue, 'Measure what searches find, on questions with known answers')
            [CompletionResult]::new('dream', 'dream', [CompletionResultType]::ParameterValue, 'Tend the store: merge, archive, and learn from past sessions')
            [CompletionResult]::new('rebuild', 'rebuild', [CompletionResultType]::ParameterValue, 'Adopt hand-written lines, rescore, archive what has faded, rebuild the index')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write entries, notes or vectors for other programs')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Import what other programs remember')
            [CompletionResult]::new('sync', 'sync', [CompletionResultType]::ParameterValue, 'Exchange entries and their evidence with a server, another store, or by a file')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Find contradictions, duplicates, secrets and damage in a store')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show stores, what agents get of them, and what waits, on one screen')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Find what is wrong with the stores, and say how to mend it')
            [CompletionResult]::new('merge-driver', 'merge-driver', [CompletionResultType]::ParameterValue, 'Merge a file of a store for git, without conflicts')
            [CompletionResult]::new('telemetry', 'telemetry', [CompletionResultType]::ParameterValue, 'Show which memories were put into prompts, and which of them were used')
            [CompletionResult]::new('hooks', 'hooks', [CompletionResultType]::ParameterValue, 'Connect agents: have them call pimem')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'Serve the memory to clients of the Model Context Protocol')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Show or change settings')
            [CompletionResult]::new('model', 'model', [CompletionResultType]::ParameterValue, 'Install and choose models of semantic search')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a man page, or write all of them')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pimem;help;init' {
            break
        }
        'pimem;help;add' {
            break
        }
        'pimem;help;reinforce' {
            break
        }
        'pimem;help;list' {
            break
        }
        'pimem;help;show' {
            break
        }
        'pimem;help;topics' {
            break
        }
        'pimem;help;search' {
            break
        }
        'pimem;help;report' {
            break
        }
        'pimem;help;why' {
            break
        }
        'pimem;help;forecast' {
            break
        }
        'pimem;help;diff' {
            break
        }
        'pimem;help;score' {
            break
        }
        'pimem;help;stats' {
            break
        }
        'pimem;help;decay' {
            break
        }
        'pimem;help;trust' {
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show how much awaits review')
            break
        }
        'pimem;help;trust;status' {
            break
        }
        'pimem;help;handoff' {
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show the newest handoff')
            break
        }
        'pimem;help;handoff;show' {
            break
        }
        'pimem;help;hook' {
            break
        }
        'pimem;help;note' {
            break
        }
        'pimem;help;log' {
            break
        }
        'pimem;help;todo' {
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add an open item')
            [CompletionResult]::new('done', 'done', [CompletionResultType]::ParameterValue, 'Tick the first open item that contains the text, in any case')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Open the first done item that contains the text again')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List open items')
            [CompletionResult]::new('clear', 'clear', [CompletionResultType]::ParameterValue, 'Move done items to archive/SCRATCHPAD.md')
            break
        }
        'pimem;help;todo;add' {
            break
        }
        'pimem;help;todo;done' {
            break
        }
        'pimem;help;todo;undo' {
            break
        }
        'pimem;help;todo;list' {
            break
        }
        'pimem;help;todo;clear' {
            break
        }
        'pimem;help;read' {
            [CompletionResult]::new('memory', 'memory', [CompletionResultType]::ParameterValue, 'Long-term notes: MEMORY.md')
            [CompletionResult]::new('scratchpad', 'scratchpad', [CompletionResultType]::ParameterValue, 'The checklist: SCRATCHPAD.md')
            [CompletionResult]::new('daily', 'daily', [CompletionResultType]::ParameterValue, 'The log of a day')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'The days that have a log, newest first')
            break
        }
        'pimem;help;read;memory' {
            break
        }
        'pimem;help;read;scratchpad' {
            break
        }
        'pimem;help;read;daily' {
            break
        }
        'pimem;help;read;list' {
            break
        }
        'pimem;help;session' {
            [CompletionResult]::new('index', 'index', [CompletionResultType]::ParameterValue, 'Summarize a session, in place of its earlier summary')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Find past sessions, as pimem search --in sessions does')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List past sessions, the newest first')
            break
        }
        'pimem;help;session;index' {
            break
        }
        'pimem;help;session;search' {
            break
        }
        'pimem;help;session;list' {
            break
        }
        'pimem;help;observe' {
            break
        }
        'pimem;help;reflect' {
            break
        }
        'pimem;help;extract' {
            break
        }
        'pimem;help;pin' {
            break
        }
        'pimem;help;unpin' {
            break
        }
        'pimem;help;forget' {
            break
        }
        'pimem;help;restore' {
            break
        }
        'pimem;help;undo' {
            break
        }
        'pimem;help;purge' {
            break
        }
        'pimem;help;edit' {
            break
        }
        'pimem;help;encrypt' {
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Seal the store; make its key if there is none')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show whether the store is sealed; exit code 1 if something of it is not sealed or cannot be opened. Also done when nothing else is asked for')
            [CompletionResult]::new('rotate', 'rotate', [CompletionResultType]::ParameterValue, 'Seal the store under a new key')
            [CompletionResult]::new('decrypt', 'decrypt', [CompletionResultType]::ParameterValue, 'Make the store plain again')
            [CompletionResult]::new('repair', 'repair', [CompletionResultType]::ParameterValue, 'Write store.json again where it is missing or damaged, by the key that opens the sealed lines')
            break
        }
        'pimem;help;encrypt;init' {
            break
        }
        'pimem;help;encrypt;status' {
            break
        }
        'pimem;help;encrypt;rotate' {
            break
        }
        'pimem;help;encrypt;decrypt' {
            break
        }
        'pimem;help;encrypt;repair' {
            break
        }
        'pimem;help;eval' {
            break
        }
        'pimem;help;dream' {
            break
        }
        'pimem;help;rebuild' {
            break
        }
        'pimem;help;export' {
            [CompletionResult]::new('jsonl', 'jsonl', [CompletionResultType]::ParameterValue, 'Write entries with their evidence, a JSON object a line')
            [CompletionResult]::new('pi', 'pi', [CompletionResultType]::ParameterValue, 'Write topics/ and memory-scores.json, as pi keeps them')
            [CompletionResult]::new('pi-memory', 'pi-memory', [CompletionResultType]::ParameterValue, 'Write MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them')
            [CompletionResult]::new('claude', 'claude', [CompletionResultType]::ParameterValue, 'Write a memory directory as Claude Code keeps it')
            [CompletionResult]::new('agents', 'agents', [CompletionResultType]::ParameterValue, 'Write entries as a block for AGENTS.md or CLAUDE.md')
            [CompletionResult]::new('embeddings', 'embeddings', [CompletionResultType]::ParameterValue, 'Write the vectors of all entries as JSON, as pi''s embeddings.json')
            break
        }
        'pimem;help;export;jsonl' {
            break
        }
        'pimem;help;export;pi' {
            break
        }
        'pimem;help;export;pi-memory' {
            break
        }
        'pimem;help;export;claude' {
            break
        }
        'pimem;help;export;agents' {
            break
        }
        'pimem;help;export;embeddings' {
            break
        }
        'pimem;help;import' {
            [CompletionResult]::new('jsonl', 'jsonl', [CompletionResultType]::ParameterValue, 'Import entries with their evidence, as pimem export jsonl writes them')
            [CompletionResult]::new('pi', 'pi', [CompletionResultType]::ParameterValue, 'Import the entries of another store, as pi and pimem keep them')
            [CompletionResult]::new('pi-memory', 'pi-memory', [CompletionResultType]::ParameterValue, 'Import MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them')
            [CompletionResult]::new('claude', 'claude', [CompletionResultType]::ParameterValue, 'Import Claude Code''s memory directory')
            [CompletionResult]::new('agents', 'agents', [CompletionResultType]::ParameterValue, 'Import the bullets of AGENTS.md, CLAUDE.md and the like')
            [CompletionResult]::new('embeddings', 'embeddings', [CompletionResultType]::ParameterValue, 'Import the vectors of entries from pi''s embeddings.json')
            break
        }
        'pimem;help;import;jsonl' {
            break
        }
        'pimem;help;import;pi' {
            break
        }
        'pimem;help;import;pi-memory' {
            break
        }
        'pimem;help;import;claude' {
            break
        }
        'pimem;help;import;agents' {
            break
        }
        'pimem;help;import;embeddings' {
            break
        }
        'pimem;help;sync' {
            break
        }
        'pimem;help;check' {
            break
        }
        'pimem;help;status' {
            break
        }
        'pimem;help;doctor' {
            break
        }
        'pimem;help;merge-driver' {
            break
        }
        'pimem;help;telemetry' {
            [CompletionResult]::new('summary', 'summary', [CompletionResultType]::ParameterValue, 'Show volume, rate of use by category and agent, and sizes (the default)')
            [CompletionResult]::new('log', 'log', [CompletionResultType]::ParameterValue, 'List records, newest last')
            [CompletionResult]::new('usage', 'usage', [CompletionResultType]::ParameterValue, 'Show in how many of the sessions that had it each entry was used')
            [CompletionResult]::new('never-used', 'never-used', [CompletionResultType]::ParameterValue, 'List entries that many sessions had and none used')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Run recorded prompts against today''s store with other thresholds')
            [CompletionResult]::new('tune', 'tune', [CompletionResultType]::ParameterValue, 'Propose recall.minScore and recall.limit by what was used')
            [CompletionResult]::new('clear', 'clear', [CompletionResultType]::ParameterValue, 'Delete all records')
            break
        }
        'pimem;help;telemetry;summary' {
            break
        }
        'pimem;help;telemetry;log' {
            break
        }
        'pimem;help;telemetry;usage' {
            break
        }
        'pimem;help;telemetry;never-used' {
            break
        }
        'pimem;help;telemetry;replay' {
            break
        }
        'pimem;help;telemetry;tune' {
            break
        }
        'pimem;help;telemetry;clear' {
            break
        }
        'pimem;help;hooks' {
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Add pimem''s hooks to the settings of agents')
            [CompletionResult]::new('uninstall', 'uninstall', [CompletionResultType]::ParameterValue, 'Remove pimem''s hooks from the settings of agents')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show which agents call pimem')
            [CompletionResult]::new('print', 'print', [CompletionResultType]::ParameterValue, 'Print what `install` would write to empty settings')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Run the installed commands as agents do, and look at their answers')
            break
        }
        'pimem;help;hooks;install' {
            break
        }
        'pimem;help;hooks;uninstall' {
            break
        }
        'pimem;help;hooks;status' {
            break
        }
        'pimem;help;hooks;print' {
            break
        }
        'pimem;help;hooks;test' {
            break
        }
        'pimem;help;mcp' {
            break
        }
        'pimem;help;config' {
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'List the settings that differ from their defaults')
            [CompletionResult]::new('get', 'get', [CompletionResultType]::ParameterValue, 'Print one setting')
            [CompletionResult]::new('set', 'set', [CompletionResultType]::ParameterValue, 'Change one setting in the project''s file, or in yours with --user')
            [CompletionResult]::new('unset', 'unset', [CompletionResultType]::ParameterValue, 'Take one setting out of the project''s file, or of yours with --user')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON schema of memory.json')
            [CompletionResult]::new('prompt', 'prompt', [CompletionResultType]::ParameterValue, 'Print the rules that a language model gets, to be copied and changed')
            [CompletionResult]::new('check-model', 'check-model', [CompletionResultType]::ParameterValue, 'Ask a language model for one word, to test its settings')
            break
        }
        'pimem;help;config;show' {
            break
        }
        'pimem;help;config;get' {
            break
        }
        'pimem;help;config;set' {
            break
        }
        'pimem;help;config;unset' {
            break
        }
        'pimem;help;config;schema' {
            break
        }
        'pimem;help;config;prompt' {
            break
        }
        'pimem;help;config;check-model' {
            break
        }
        'pimem;help;model' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the models: built in, installed, and those that can be downloaded')
            [CompletionResult]::new('pull', 'pull', [CompletionResultType]::ParameterValue, 'Install a model, or the ONNX Runtime library')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show a model, and whether it can serve')
            [CompletionResult]::new('use', 'use', [CompletionResultType]::ParameterValue, 'Choose the model of semantic search, in your own settings')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Delete an installed model')
            [CompletionResult]::new('embed', 'embed', [CompletionResultType]::ParameterValue, 'Serve texts from standard input: a JSON string a line, answered by an array of numbers. With a library and no directory, the answer is its version')
            break
        }
        'pimem;help;model;list' {
            break
        }
        'pimem;help;model;pull' {
            break
        }
        'pimem;help;model;status' {
            break
        }
        'pimem;help;model;use' {
            break
        }
        'pimem;help;model;remove' {
            break
        }
        'pimem;help;model;embed' {
            break
        }
        'pimem;help;completions' {
            break
        }
        'pimem;help;man' {
            break
        }
        'pimem;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
