#!/bin/sh
# A buzzer: `nc.sh SOCKET PLAYER` presses once, and prints the state after each change.
# Without -N, nc keeps the connection open after its input has ended.
printf 'send buzz player="%s"\nwatch\n' "$2" | nc -U "$1" |
    sed -u -n -e 's/^ERR \([A-Za-z]*\).*/\1/p' \
        -e 's/.*"to":{"state":"\([A-Za-z]*\)".*/\1/p'
