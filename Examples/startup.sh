#!/bin/sh
# Does the outside work of the flow `startup`, in place of a real app: the flow asks with an effect, and
# this answers with an event.
#
#   gamed --flow startup &
#   Examples/startup.sh [SOCKET]
#   gamectl send deepLink link=app://door/7; gamectl send didLaunch; gamectl send loginRequested
#
# It reads all of the session's changes, also those before it came: what was asked for meanwhile is
# answered then. An answer that comes too late is refused by the flow, and does no harm.
set -eu
socket=${1:-}

ctl() { gamectl ${socket:+--socket "$socket"} "$@"; }

# Effects come in the order in which they were asked for, a change a line.
ctl --json watch since=0 | while read -r change; do
    # An answer is known by the change that asked for it: given twice, it counts once.
    seq=${change#*'"seq":'}
    id=id=answer-${seq%%,*}
    case $change in
    *'"effects":[{"name":"loadSession"'*)
        echo "loading the session: there is none"
        ctl send "$id" hydrateSucceeded hasSession=false || true
        ;;
    *'"effects":[{"name":"authenticate"'*)
        echo "logging in"
        ctl send "$id" loginSucceeded userID="${LOGIN:-ann}" || true
        ;;
    *'"effects":[{"name":"openLink"'*)
        echo "opening a link"
        ;;
    esac
done
