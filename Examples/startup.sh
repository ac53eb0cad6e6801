#!/bin/sh
# Carries out the effects of the flow `startup`, in place of a real app, and responds with events.
#
#   gamed --flow startup &
#   Examples/startup.sh [SOCKET] &
#   gamectl send deepLink link=app://door/7
#   gamectl send didLaunch
#   gamectl wait --state needsLogin
#   gamectl send loginRequested
#
# This script reads all changes since the session was opened, so that it also responds to effects that were requested before its
# own start. Each response names the entry of its effect, so that a late response is refused as stale. This holds even if the
# session has entered the effect's state again.
set -eu
socket=${1:-}

directory=$(mktemp -d)
mkfifo "$directory/changes"
gamectl ${socket:+--socket "$socket"} --json watch since=0 >"$directory/changes" &
watch=$!
trap 'kill $watch 2>/dev/null || :; rm -r "$directory"' EXIT
trap 'exit 0' INT TERM

# answer TEXT EVENT [ARGUMENT…]: prints the text and sends the event. The id is made from the number of the change, so that a
# repeated response changes nothing.
answer() {
    echo "$1"
    shift
    gamectl ${socket:+--socket "$socket"} send "id=answer-$seq" "entry=$entry" "$@" || :
}

# Each line is a change, in the order of their numbers. A change of this flow has at most one effect that needs a response.
while read -r change; do
    seq=${change#*'"seq":'}
    seq=${seq%%,*}
    entry=${change#*'"entry":'}
    entry=${entry%%,*}
    case $change in
    *'"effects":[{"name":"loadSession"'*)
        answer "loading the session: there is none" hydrateSucceeded hasSession=false
        ;;
    *'"effects":[{"name":"authenticate"'*)
        answer "logging in" loginSucceeded userID="${LOGIN:-ann}"
        ;;
    *'"effects":[{"name":"validateToken"'*)
        answer "validating the token" tokenAccepted userID="${LOGIN:-ann}"
        ;;
    *'"to":{"state":"syncing"'*)
        answer "synchronizing" syncAcknowledged
        ;;
    *'"effects":[{"name":"openLink"'*)
        echo "opening a link"
        ;;
    esac
done <"$directory/changes"
