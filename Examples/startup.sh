#!/bin/sh
# Does the outside work of the flow `startup`, in place of a real app: the flow asks with an effect, and
# this answers with an event.
#
#   gamed --flow startup &
#   Examples/startup.sh [SOCKET] &
#   gamectl send deepLink link=app://door/7
#   gamectl send didLaunch
#   gamectl wait --state needsLogin
#   gamectl send loginRequested
#
# It reads all of the session's changes, also those before it came: what was asked for meanwhile is
# answered then. An answer that comes too late is refused by the flow, and does no harm.
set -eu
socket=${1:-}

directory=$(mktemp -d)
mkfifo "$directory/changes"
gamectl ${socket:+--socket "$socket"} --json watch since=0 >"$directory/changes" &
watch=$!
trap 'kill $watch 2>/dev/null || :; rm -r "$directory"' EXIT
trap 'exit 0' INT TERM

# An answer is known by the change that asked for it: given twice, it counts once.
answer() {
    echo "$1"
    shift
    gamectl ${socket:+--socket "$socket"} send "id=answer-$seq" "$@" || :
}

# Effects come in the order in which they were asked for, a change a line.
while read -r change; do
    seq=${change#*'"seq":'}
    seq=${seq%%,*}
    case $change in
    *'"effects":[{"name":"loadSession"'*)
        answer "loading the session: there is none" hydrateSucceeded hasSession=false
        ;;
    *'"effects":[{"name":"authenticate"'*)
        answer "logging in" loginSucceeded userID="${LOGIN:-ann}"
        ;;
    *'"effects":[{"name":"openLink"'*)
        echo "opening a link"
        ;;
    esac
done <"$directory/changes"
