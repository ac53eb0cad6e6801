# Written by `make generate` from the program's tables; changes here are lost.
_gamectl() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
    case $previous in
    --socket) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --session) return ;;
    --timeout) return ;;
    --state) return ;;
    --within) return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W 'mermaid dot scxml svg png' -- "$current"); return ;;
    --to) return ;;
    --moves) return ;;
    --flow) return ;;
    --state-dir) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --store) return ;;
    --as) return ;;
    --role) mapfile -t COMPREPLY < <(compgen -W 'observe play' -- "$current"); return ;;
    --event) return ;;
    --for) return ;;
    esac
    local options='--socket --session --json --timeout --help --version'
    local verb= index
    for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
        --socket|--session|--timeout|--state|--within|--format|--to|--moves|--flow|--state-dir|--store|--as|--role|--event|--for) ((index++)) ;;
        -*) ;;
        *) verb=${COMP_WORDS[index]}; break ;;
        esac
    done
    case $verb in
    token) options+=' --url' ;;
    sources) options+=' --watch' ;;
    invite) options+=' --as --role --event --once --for' ;;
    wait) options+=' --state --within' ;;
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
    case $verb in
    '') mapfile -t COMPREPLY < <(compgen -W 'hello ping auth send status list open close watch timer goto advance describe history backup token bluetooth label say move flows undo outputs sources nodes invite screens stats leaderboard alerts reload follow wait lint test races paths graph flow replay journal restore' -- "$current") ;;
    advance) mapfile -t COMPREPLY < <(compgen -W 'toNext' -- "$current") ;;
    describe) mapfile -t COMPREPLY < <(compgen -W 'game startup registration onboarding permissions quiz' -- "$current") ;;
    backup) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    token) mapfile -t COMPREPLY < <(compgen -W 'add remove list' -- "$current") ;;
    bluetooth) mapfile -t COMPREPLY < <(compgen -W 'press drop return sleep' -- "$current") ;;
    stats) mapfile -t COMPREPLY < <(compgen -W 'game startup registration onboarding permissions quiz' -- "$current") ;;
    leaderboard) mapfile -t COMPREPLY < <(compgen -W 'game startup registration onboarding permissions quiz' -- "$current") ;;
    lint) mapfile -t COMPREPLY < <(compgen -f -W 'game startup registration onboarding permissions quiz' -- "$current") ;;
    test) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    races) mapfile -t COMPREPLY < <(compgen -f -W 'game startup registration onboarding permissions quiz' -- "$current") ;;
    paths) mapfile -t COMPREPLY < <(compgen -f -W 'game startup registration onboarding permissions quiz' -- "$current") ;;
    graph) mapfile -t COMPREPLY < <(compgen -f -W 'game startup registration onboarding permissions quiz' -- "$current") ;;
    flow) mapfile -t COMPREPLY < <(compgen -f -W 'check new schema list move' -- "$current") ;;
    replay) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    journal) mapfile -t COMPREPLY < <(compgen -f -W 'check convert copy export forget prune stats' -- "$current") ;;
    restore) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    esac
}
complete -o filenames -F _gamectl gamectl
