"""Requests over each kind of connection."""

import asyncio
import os
import ssl
import tempfile
import unittest

import gamed
from support import DaemonTest


class Requests:
    """The tests, which each kind of connection has."""

    def connect(self, **options):
        client = gamed.Client(self.address(), **options)
        self.addCleanup(client.close)
        return client

    def test_a_game_is_played(self):
        client = self.connect()
        client.send("startPlaying")
        client.send("chooseEpisode", {"episode": 2})
        change = client.send("chooseLevel", {"level": 3})
        self.assertEqual((change.from_.state, change.to.state), ("choosingLevel", "playingLevel"))
        self.assertEqual(change.to.data, {"episode": 2, "level": 3})
        self.assertEqual((change.event.name, change.event.args), ("chooseLevel", {"level": 3}))
        self.assertEqual([(effect.name, effect.entry) for effect in change.effects], [("presentGamePlay", change.entry)])
        status = client.status()
        self.assertEqual((status.state, status.seq, status.final), ("playingLevel", 4, False))
        self.assertIn("pause", status.accepts)
        self.assertEqual([timer.fires for timer in status.timers], ["timeUp", "tick"])
        fired = client.advance("90s").fired
        self.assertEqual((fired[-1].fires, fired[-1].at_ms), ("timeUp", 90_000))
        self.assertEqual(client.history(limit=1).records[0].to.state, "finishedLevel")

    def test_a_refusal_has_its_name_and_shows_who_was_first(self):
        client = self.connect()
        client.send("startPlaying")
        with self.assertRaises(gamed.NoTransition) as caught:
            client.send("startPlaying")
        self.assertEqual(caught.exception.data["last"]["event"], "startPlaying")
        with self.assertRaises(gamed.UnknownSession) as caught:
            client.status("mian")
        self.assertEqual(caught.exception.data["didYouMean"], ["main"])
        with self.assertRaises(gamed.UnknownEvent):
            client.send("start")
        with self.assertRaises(gamed.Invalid) as caught:
            client.send("chooseEpisode", {"episode": "two"})
        self.assertEqual(str(caught.exception), "invalid: expected an integer")
        with self.assertRaises(gamed.InvalidParams):
            client.call("send", {"what": 1})
        with self.assertRaises(gamed.MethodNotFound):
            client.call("sned")

    def test_a_session_is_opened_operated_and_closed(self):
        client = self.connect()
        opened = client.open("room-1", "quiz", settings={"question": "30s"}, labels={"team": "Owls"})
        self.assertEqual((opened.settings["question"], opened.labels), ("30s", {"team": "Owls"}))
        client.send("start", {"rounds": 2}, session="room-1")
        self.assertTrue(client.timer("timeUp", "pause", session="room-1").timers[0].paused)
        self.assertEqual(client.timer("timeUp", "set", to="5s", session="room-1").timers[0].remaining_ms, 5000)
        self.assertEqual(client.label({"team": "Foxes"}, session="room-1").kind, "label")
        self.assertEqual(client.say("Welcome", session="room-1", for_="30s").for_ms, 30_000)
        self.assertEqual(client.undo("room-1").kind, "undo")
        self.assertEqual(client.goto("lobby", session="room-1", reason="again").reason, "again")
        self.assertEqual([listed.session for listed in client.list("quiz").sessions], ["room-1"])
        self.assertEqual(client.close_session("room-1").state, "lobby")

    def test_an_event_for_an_ended_visit_is_stale(self):
        client = self.connect()
        entry = client.status().entry
        client.send("startPlaying")
        with self.assertRaises(gamed.Stale):
            client.send("returnHome", entry=entry)

    def test_the_same_id_is_executed_once(self):
        client = self.connect()
        first = client.send("startPlaying", id="k1")
        self.assertEqual(client.send("startPlaying", id="k1"), first)

    def test_the_daemon_says_what_it_is(self):
        hello = self.connect().hello()
        self.assertEqual((hello.name, hello.protocol, hello.clock), ("gamed", 1, "virtual"))
        self.assertIn("quiz", hello.flows)


class UnixTest(Requests, DaemonTest):
    def address(self):
        return self.daemon.path


class TCPTest(Requests, DaemonTest):
    def address(self):
        return self.daemon.tcp


class WebTest(Requests, DaemonTest):
    def address(self):
        return self.daemon.web


class TLSTest(DaemonTest):
    has_tls = True

    def test_the_certificate_is_checked(self):
        trusting = ssl.create_default_context(cafile=self.daemon.certificate)
        for address in [self.daemon.tcp, self.daemon.web]:
            with self.subTest(address):
                self.assertRegex(address, "^(tls|https)://")
                with self.assertRaises(gamed.ConnectionLost):
                    gamed.connect(address)
                with gamed.connect(address, tls=trusting) as client:
                    client.label({"address": address})
                    watch = client.watch()
                    self.assertEqual(next(watch).sessions[0].labels, {"address": address})
                    watch.close()

    def test_asyncio_speaks_tls(self):
        async def story(address):
            trusting = ssl.create_default_context(cafile=self.daemon.certificate)
            async with gamed.AsyncClient(address, tls=trusting) as client:
                self.assertEqual((await client.label({"address": address})).labels, {"address": address})

        for address in [self.daemon.tcp, self.daemon.web]:
            asyncio.run(story(address))


class ConnectingTest(DaemonTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.options = ("--tokens", os.path.join(folder.name, "tokens"))
        super().setUp()

    def test_a_missing_daemon_is_an_error_at_once(self):
        with self.assertRaises(gamed.ConnectionLost) as caught:
            gamed.connect("/nowhere/gamed.sock")
        self.assertFalse(caught.exception.may_have_happened)

    def test_an_address_without_a_meaning_is_refused(self):
        for address in ["ftp://host", "tcp://host", "http://"]:
            with self.assertRaises(ValueError):
                gamed.Client(address)

    def test_a_token_gives_its_rights_and_a_wrong_one_is_refused(self):
        with gamed.connect(self.daemon.path) as operator:
            token = operator.call("token", {"action": "add", "name": "hall"})["token"]
        for address in [self.daemon.tcp, self.daemon.web]:
            with gamed.connect(address, token=token) as client:
                self.assertEqual(client.status().state, "introduction")
            with self.assertRaises(gamed.Forbidden):
                with gamed.connect(address, token="0" * 64) as client:
                    client.status()


if __name__ == "__main__":
    unittest.main()
