# Written by `make generate` from the program's tables; changes here are lost.
_gamed() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
    case $previous in
    --socket) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --listen) return ;;
    --tls-cert) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --tls-key) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --tls-client-ca) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --tokens) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --flow) mapfile -t COMPREPLY < <(compgen -W 'game startup registration onboarding permissions quiz' -- "$current"); return ;;
    --flows) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --clock) mapfile -t COMPREPLY < <(compgen -W 'real virtual' -- "$current"); return ;;
    --zone) return ;;
    --state-dir) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --store) return ;;
    --store-password-file) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --keep) return ;;
    --audit) mapfile -t COMPREPLY < <(compgen -W 'refusals' -- "$current"); return ;;
    --node) return ;;
    --advertise) return ;;
    --node-secret-file) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --node-ca) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --node-cert) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --node-key) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --hold) return ;;
    --http) return ;;
    --http-host) return ;;
    --media) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --public) return ;;
    --http-proxy) return ;;
    --http-origin) return ;;
    --http-group) return ;;
    --http-mode) return ;;
    --bluetooth) return ;;
    --btsnoop) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --outputs) mapfile -t COMPREPLY < <(compgen -W 'on off' -- "$current"); return ;;
    --limit) mapfile -t COMPREPLY < <(compgen -W 'clients= requests= requestsInAll= unixRequests= clientsPerPeer= idle= header= bluetoothAge= presses= stopped=' -- "$current"); return ;;
    --config) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    esac
    local options='--socket --listen --tls-cert --tls-key --tls-client-ca --insecure --tokens --flow --flows --no-main --clock --zone --state-dir --store --store-password-file --prepare --accept-weak-store --keep --audit --accept-loss --node --advertise --node-secret-file --node-ca --node-cert --node-key --hold --http --http-host --media --public --http-proxy --http-origin --http-group --http-mode --bluetooth --btsnoop --outputs --limit --config --check --help --version'
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        return
    fi
}
complete -o filenames -F _gamed gamed
