# Completions of pimem for bash. What fits is answered by the program, so that this file need not
# change with it.

_pimem() {
    local line=${COMP_LINE:0:COMP_POINT} words=() blank word head= sign value about i
    # bash divides words at = and : too. As typed, they are divided by blanks.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=${line%%[![:space:]]*}
        line=${line#"$blank"}
        word=${COMP_WORDS[i]}
        if ((i == COMP_CWORD)); then word=$line; fi
        line=${line#"$word"}
        if ((i > 0)) && [[ -z $blank ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
    done
    word=${words[${#words[@]} - 1]}
    # bash replaces only what follows the last such sign.
    for sign in = :; do
        if [[ $COMP_WORDBREAKS == *"$sign"* && ${word%"${word##*"$sign"}"} == "$head"* ]]; then
            head=${word%"${word##*"$sign"}"}
        fi
    done
    words=("${words[@]//[\"\'\\]/}")
    COMPREPLY=()
    local texts=()
    while IFS=$'\t' read -r value about; do
        case $value in
            :files) compopt -o default 2>/dev/null ;;
            :directories) compopt -o dirnames 2>/dev/null ;;
            *)
                COMPREPLY+=("${value#"$head"}")
                texts+=("$about")
                ;;
        esac
    done < <(command pimem __complete "${words[@]}" 2>/dev/null </dev/null)
    # Where ids are listed and none is put in place, each has its text.
    if ((${#COMPREPLY[@]} > 1)) && [[ $COMP_TYPE == 33 || $COMP_TYPE == 63 || $COMP_TYPE == 64 ]]; then
        for i in "${!COMPREPLY[@]}"; do
            if [[ ${COMPREPLY[i]} =~ ^[0-9a-f]{7,16}$ && -n ${texts[i]} ]]; then
                value="${COMPREPLY[i]}  ${texts[i]}"
                COMPREPLY[i]=${value:0:${COLUMNS:-80} - 2}
            fi
        done
    fi
}

complete -o nosort -F _pimem pimem 2>/dev/null || complete -F _pimem pimem
