# Written by `make generate` from the program's tables; changes here are lost.
_gamed() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
    case $previous in
    --socket) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --listen) return ;;
    --tls-cert) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --tls-key) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --tls-client-ca) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --tokens) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --flow) mapfile -t COMPREPLY < <(compgen -W 'game startup registration onboarding permissions quiz' -- "$current"); return ;;
    --flows) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --clock) mapfile -t COMPREPLY < <(compgen -W 'real virtual' -- "$current"); return ;;
    --zone) return ;;
    --state-dir) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --store) return ;;
    --store-password-file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --archive) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --keep) return ;;
    --audit) mapfile -t COMPREPLY < <(compgen -W 'refusals' -- "$current"); return ;;
    --node) return ;;
    --advertise) return ;;
    --node-secret-file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --node-ca) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --node-cert) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --node-key) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --hold) return ;;
    --http) return ;;
    --http-host) return ;;
    --media) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --public) return ;;
    --http-proxy) return ;;
    --http-origin) return ;;
    --http-group) return ;;
    --http-mode) return ;;
    --metrics) return ;;
    --bluetooth) return ;;
    --btsnoop) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --outputs) mapfile -t COMPREPLY < <(compgen -W 'on off' -- "$current"); return ;;
    --limit) mapfile -t COMPREPLY < <(compgen -W 'clients= requests= requestsInAll= unixRequests= clientsPerPeer= idle= header= bluetoothAge= presses= stopped=' -- "$current"); return ;;
    --log-level) mapfile -t COMPREPLY < <(compgen -W 'error warning info debug' -- "$current"); return ;;
    --log-format) mapfile -t COMPREPLY < <(compgen -W 'text json journal' -- "$current"); return ;;
    --config) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    esac
    local options='--socket --listen --tls-cert --tls-key --tls-client-ca --insecure --tokens --flow --flows --no-main --clock --zone --state-dir --store --store-password-file --prepare --accept-weak-store --archive --keep --audit --accept-loss --node --advertise --node-secret-file --node-ca --node-cert --node-key --hold --http --http-host --media --public --http-proxy --http-origin --http-group --http-mode --metrics --bluetooth --btsnoop --outputs --limit --log-level --log-format --config --check --show-config --help --version'
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        return
    fi
}
complete -F _gamed gamed
