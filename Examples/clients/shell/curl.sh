#!/bin/sh
# A buzzer: `TOKEN=… curl.sh URL PLAYER` presses once, and prints the state after each change.
auth="Authorization: Bearer $TOKEN"
states() {
    sed -u -n -e 's/.*"error":{"code":[0-9-]*,"message":"\([^"]*\)".*/\1/p' \
        -e 's/.*"to":{"state":"\([A-Za-z]*\)".*/\1/p'
}
curl -sS -w "\n" -H "$auth" --data-urlencode "player=$2" "$1/v1/send/main/buzz" | states
curl -sSN -H "$auth" "$1/v1/events?session=main" | states
