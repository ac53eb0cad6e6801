# Written by `make generate` from the program's tables; changes here are lost.
# Offers the words that gamectl itself names, and files in place of the line `:files`.
_gamectl_words() {
    local line=${COMP_LINE:0:COMP_POINT} word before breaks
    local -a typed=("${COMP_WORDS[@]:0:COMP_CWORD+1}")
    # bash takes some characters, such as `=`, for the ends of words, so the words are read from the line.
    if [[ -n $line ]]; then
        read -ra typed <<<"$line"
        [[ $line == *[[:space:]] ]] && typed+=('')
    fi
    # What is before the last of these characters stands already.
    breaks=${COMP_WORDBREAKS//[^=:]/}
    [[ -n $breaks ]] && before=${typed[-1]%"${typed[-1]##*[$breaks]}"}
    while IFS=$'\t' read -r word _; do
        case $word in
        :files) compopt -o filenames 2>/dev/null; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
        *) COMPREPLY+=("${word#"$before"}") ;;
        esac
    done < <("${COMP_WORDS[0]}" complete -- "${typed[@]:1}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
}
_gamectl() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
    case $previous in
    --socket) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --session) _gamectl_words; return ;;
    --timeout) _gamectl_words; return ;;
    --state) _gamectl_words; return ;;
    --within) _gamectl_words; return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W 'mermaid dot scxml svg png' -- "$current"); return ;;
    --to) _gamectl_words; return ;;
    --moves) _gamectl_words; return ;;
    --flow) _gamectl_words; return ;;
    --state-dir) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --store) _gamectl_words; return ;;
    --as) _gamectl_words; return ;;
    --role) mapfile -t COMPREPLY < <(compgen -W 'observe play' -- "$current"); return ;;
    --event) _gamectl_words; return ;;
    --opens) mapfile -t COMPREPLY < <(compgen -W 'players wall overlay' -- "$current"); return ;;
    --for) _gamectl_words; return ;;
    --config) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    esac
    local options='--socket --session --json --timeout --help --version'
    local verb= index
    for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
        --socket|--session|--timeout|--state|--within|--format|--to|--moves|--flow|--state-dir|--store|--as|--role|--event|--opens|--for|--config) ((index++)) ;;
        -*) ;;
        *) verb=${COMP_WORDS[index]}; break ;;
        esac
    done
    case $verb in
    token) options+=' --url' ;;
    outputs) options+=' --yes' ;;
    sources) options+=' --watch' ;;
    invite) options+=' --as --role --event --once --opens --for' ;;
    config) options+=' --config' ;;
    wait) options+=' --state --within' ;;
    doctor) options+=' --config' ;;
    lint) options+=' --moves --complete' ;;
    test) options+=' --coverage' ;;
    races) options+=' --moves --complete' ;;
    paths) options+=' --to --scenario --moves --complete' ;;
    graph) options+=' --format' ;;
    replay) options+=' --flow' ;;
    journal) options+=' --yes --state-dir --store --dry-run --check' ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        return
    fi
    if [[ -z $verb ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'hello ping auth send status list open close watch timer goto advance describe history backup token bluetooth label say move flows undo outputs sources nodes invite screens stats leaderboard alerts reload presses clients config pause resume follow top wait doctor lint test races paths graph flow replay journal restore' -- "$current")
    else
        _gamectl_words
    fi
}
complete -F _gamectl gamectl
