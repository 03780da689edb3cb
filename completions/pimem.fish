# Completions of pimem for fish. What fits is answered by the program, so that this file need not
# change with it.

function __pimem_complete
    command -q pimem; or return
    # Without quotes, which may be open.
    set -l last (commandline -ct | string replace -ra -- '["\'\\\\]' '')
    set -l answer (command pimem __complete (commandline -opc) "$last" 2>/dev/null </dev/null)
    set -l head (string match -r -- '^--[^=]*=' $last)
    set -l path (string replace -r -- '^--[^=]*=' '' $last)
    switch "$answer[1]"
        case :files
            __fish_complete_path "$path" | string replace -r -- '^' "$head"
        case :directories
            __fish_complete_directories "$path" '' | string replace -r -- '^' "$head"
        case '*'
            string join -- \n $answer
    end
end

complete -c pimem -f -k -a '(__pimem_complete)'
