"""Redis, and its messages."""
from shared.processes import LAST_CORE, Server, connect

from ..rows import require

# A transition, as a game on Redis would make it: the guard is the present state; state and number of changes are in the
# session's hash; the deadline of the state's countdown is in a sorted set, and a worker would look there for what is due; the
# change is published.
#
# What it lacks compared with gamed's `send`: the flow is in the caller, which names the states; nobody fires the timer; the
# change has no sender, no time and no effects; refusals are not recorded, steps cannot be undone.
TRANSITION = """
if redis.call('HGET', KEYS[1], 'state') ~= ARGV[1] then return redis.error_reply('noTransition') end
local seq = redis.call('HINCRBY', KEYS[1], 'seq', 1)
redis.call('HSET', KEYS[1], 'state', ARGV[2])
if ARGV[3] == '' then redis.call('ZREM', KEYS[2], KEYS[1]) else redis.call('ZADD', KEYS[2], ARGV[3], KEYS[1]) end
redis.call('PUBLISH', KEYS[3], seq .. ' ' .. ARGV[1] .. ' ' .. ARGV[2])
return seq
"""


class Redis(Server):
    """A server that writes nothing to the disk, at a UNIX socket."""

    def __init__(self, bench, *options, core=LAST_CORE, first_seconds=60):
        program = require("redis-server", "redis-server")
        bench.version("Redis", [program, "--version"])
        address = bench.new_path(".sock")
        command = [program, "--port", "0", "--unixsocket", address, "--save", "", "--maxclients", "11000", *options]
        super().__init__(command, address, core=core, folder=bench.folder, first_seconds=first_seconds)

    def ask(self, *words):
        """Sends a command, and returns the first line of the reply, and the rest of it if it has come at once."""
        with connect(self.address) as client:
            client.sendall((command(*words) + "\n").encode())
            reply = client.recv(1 << 16).decode()
        if reply.startswith("-"):
            raise RuntimeError(f"{words[:2]}: {reply}")
        return reply

    def load_transition(self):
        """Loads the script of the transition, and returns its digest."""
        return self.ask("SCRIPT", "LOAD", TRANSITION).splitlines()[1]


def command(*words):
    """A command in Redis' protocol, without the last newline, which the load programs write. A `%d` has seven digits there."""
    text = f"*{len(words)}\r\n"
    for word in words:
        length = len(str(word).replace("%d", "0000000").encode())
        text += f"${length}\r\n{word}\r\n"
    return text[:-1]


def transitions(digest, session):
    """The two transitions that gamed's `sends` make: the deadline of help is in 30 seconds, introduction has none."""
    def transition(old, new, deadline):
        return command("EVALSHA", digest, 3, session, "deadlines", f"changes:{session}", old, new, deadline)

    return [transition("introduction", "help", "1764170000000"), transition("help", "introduction", "")]


def open_sessions(bench, server, count):
    """Makes the hashes of sessions, or takes them back to their first state."""
    bench.load(server, min(200, count), count, [command("HSET", "s%d", "flow", "game", "state", "introduction", "seq", "1")],
               "-s", count)
