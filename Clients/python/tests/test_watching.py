"""Watches, and how they continue after a lost connection."""

import contextlib
import json
import os
import socket
import tempfile
import threading
import unittest

import gamed
from support import DaemonTest


class Watching:
    """The tests, which each kind of connection has."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.options = ("--state-dir", os.path.join(folder.name, "state"))
        super().setUp()
        self.client = gamed.connect(self.daemon.path)
        self.addCleanup(self.client.close)

    def watch(self, *arguments, address=None, **options):
        client = gamed.Client(address or self.address())
        self.addCleanup(client.close)
        watch = client.watch(*arguments, **options)
        self.addCleanup(watch.close)
        return watch

    def test_a_watch_has_a_snapshot_and_then_each_change(self):
        watch = self.watch()
        snapshot = next(watch)
        self.assertEqual([session.state for session in snapshot.sessions], ["introduction"])
        self.client.send("startPlaying")
        change = next(watch)
        self.assertIsInstance(change, gamed.Change)
        self.assertEqual((change.seq, change.to.state), (2, "choosingEpisode"))

    def test_a_watch_of_all_sessions_has_those_that_are_opened_later(self):
        watch = self.watch("*")
        next(watch)
        self.client.open("room-1", "quiz")
        self.assertEqual((next(watch).session, self.client.status("room-1").state), ("room-1", "lobby"))

    def test_topics_select_beats_and_refusals(self):
        self.client.goto("playingLevel", {"episode": 1, "level": 1})
        watch = self.watch(topics=["beats", "refusals"])
        next(watch)
        self.client.advance("1s")
        beat = next(watch)
        self.assertIsInstance(beat, gamed.Beat)
        self.assertEqual((beat.event.name, beat.timers[0].remaining_ms), ("tick", 89_000))
        with self.assertRaises(gamed.NoTransition):
            self.client.send("startPlaying")
        refused = next(watch)
        self.assertEqual((refused.event.name, refused.error["message"]), ("startPlaying", "noTransition"))

    def test_a_watch_ends_when_the_session_is_closed(self):
        watch = self.watch()
        next(watch)
        self.client.close_session("main")
        self.assertEqual([change.kind for change in watch], ["close"])

    def test_a_watch_continues_after_a_restart_of_the_daemon(self):
        for target in ["main", "*"]:
            with self.subTest(target):
                watch = self.watch(target)
                next(watch)
                self.client.label({"round": "before"})
                self.assertEqual(next(watch).labels, {"round": "before"})
                self.daemon.kill()
                self.restart()
                self.client.label({"round": target})
                self.client.label({"_note": target})
                # A restart of the daemon is no change of a session.
                self.assertEqual([next(watch).labels, next(watch).labels], [{"round": target}, {"_note": target}])

    def test_a_watch_begins_again_if_the_daemon_has_lost_its_data(self):
        watch = self.watch()
        first = next(watch)
        self.client.send("startPlaying")
        next(watch)
        self.daemon.kill()
        index = self.daemon.command.index("--state-dir")
        del self.daemon.command[index : index + 2]
        self.restart()
        again = next(watch)
        self.assertIsInstance(again, gamed.Snapshot)
        self.assertNotEqual(again.instance, first.instance)
        self.assertEqual(again.sessions[0].state, "introduction")

    def test_a_watch_of_an_unknown_session_is_refused(self):
        with self.assertRaises(gamed.UnknownSession):
            next(self.watch("mian"))

    def test_a_watch_gives_up_after_the_time_for_repeating(self):
        watch = self.watch(retry_for=0.1)
        next(watch)
        self.daemon.kill()
        self.addCleanup(self.daemon.start)
        with self.assertRaises(gamed.ConnectionLost):
            next(watch)

    def restart(self):
        """Starts the daemon again, at the same addresses."""
        for option, address in [("--listen", self.daemon.tcp), ("--http", self.daemon.web)]:
            self.daemon.command[self.daemon.command.index(option) + 1] = address.split("//")[1]
        self.daemon.start()


class LineWatchTest(Watching, DaemonTest):
    def address(self):
        return self.daemon.path

    def test_a_cut_watch_has_what_happened_meanwhile_once(self):
        relay = self.relay()
        for target in ["main", "*"]:
            with self.subTest(target):
                watch = self.watch(target, address=relay.path)
                next(watch)
                found = []
                for number in range(20):
                    if number % 4 == 1:
                        relay.cut()
                    self.client.label({"number": f"{target} {number}"})
                    if number % 4 == 3:
                        found += [next(watch).labels["number"] for _ in range(4)]
                self.assertEqual(found, [f"{target} {number}" for number in range(20)])

    def test_a_watch_begins_after_a_given_change(self):
        self.client.send("startPlaying")
        self.client.send("chooseEpisode", {"episode": 1})
        watch = self.watch(since=1)
        next(watch)
        self.assertEqual([next(watch).seq, next(watch).seq], [2, 3])

    def test_changes_that_the_daemon_no_longer_has_are_a_gap(self):
        watch = self.watch(since=1000)
        next(watch)
        gap = next(watch)
        self.assertIsInstance(gap, gamed.Gap)
        self.assertEqual(gap.sessions[0].seq, 1)
        self.client.send("startPlaying")
        self.assertEqual(next(watch).seq, 2)


class ScriptedDaemon:
    """Answers the requests of one client after the other with prepared lines. `requests` are those that it has received."""

    def __init__(self, path, connections):
        self.requests = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        threading.Thread(target=self._serve, args=(connections,), daemon=True).start()

    def _serve(self, connections):
        for replies in connections:
            client = self.listener.accept()[0]
            with client, client.makefile("rw", encoding="utf-8", newline="\n") as lines:
                for result, notifications in replies:
                    request = json.loads(lines.readline())
                    self.requests.append((request["method"], request["params"].get("since")))
                    reply = {"jsonrpc": "2.0", "id": request["id"], "result": result}
                    for message in [reply, *notifications]:
                        lines.write(json.dumps(message) + "\n")
                    lines.flush()


class NodesTest(unittest.TestCase):
    """With several nodes, a watch of all sessions continues at a cursor."""

    def change(self, pos, seq):
        params = {
            "session": "room-1", "seq": seq, "pos": pos, "entry": 1, "kind": "label", "event": None,
            "source": {"kind": "unix"}, "from": None, "to": None, "effects": [], "atMs": 0, "time": ""}
        return {"jsonrpc": "2.0", "method": "change", "params": params}

    def test_a_change_after_the_cursor_comes_once_and_a_silence_renews_the_cursor(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        hello = {"instance": "i", "store": "postgresql"}
        heartbeat = {"jsonrpc": "2.0", "method": "heartbeat", "params": {"pos": 6, "atMs": 0, "time": ""}}
        snapshot = {"sessions": [], "more": False, "pos": 1}
        daemon = ScriptedDaemon(os.path.join(folder.name, "s"), [
            [(hello, []), ({**snapshot, "cursor": "c1"}, [self.change(5, 1)])],
            [(hello, []), ({**snapshot, "cursor": "c2"}, [self.change(5, 1), self.change(6, 2), heartbeat]),
             ({**snapshot, "cursor": "c3"}, [])],
            [(hello, []), ({**snapshot, "cursor": "c4"}, [self.change(7, 3)])]])
        self.addCleanup(daemon.listener.close)
        with contextlib.closing(gamed.Client(os.path.join(folder.name, "s")).watch("*")) as watch:
            self.assertIsInstance(next(watch), gamed.Snapshot)
            self.assertEqual([next(watch).seq for _ in range(3)], [1, 2, 3])
        self.assertEqual([since for method, since in daemon.requests if method == "watch"], [None, "c1", None, "c3"])


class WebWatchTest(Watching, DaemonTest):
    def address(self):
        return self.daemon.web


if __name__ == "__main__":
    unittest.main()
