"""Requests whose reply was lost are repeated with their ids."""

import os
import tempfile
import threading
import time
import unittest

import gamed
from support import DaemonTest


class RepeatingTest(DaemonTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.options = ("--state-dir", os.path.join(folder.name, "state"))
        super().setUp()

    def connect(self, address, **options):
        client = gamed.connect(address, **options)
        self.addCleanup(client.close)
        return client

    def test_a_send_whose_reply_was_lost_is_executed_once(self):
        relay = self.relay()
        client = self.connect(relay.path)
        relay.loses_replies = 3
        change = client.send("startPlaying")
        self.assertEqual((change.seq, change.to.state), (2, "choosingEpisode"))
        self.assertEqual(relay.count, 4)
        self.assertEqual(client.status().seq, 2)

    def test_a_request_waits_for_a_daemon_that_starts_again(self):
        client = self.connect(self.daemon.path)
        client.send("startPlaying", id="first")
        self.daemon.kill()
        restart = threading.Thread(target=lambda: (time.sleep(0.3), self.daemon.start()))
        restart.start()
        try:
            self.assertEqual(client.send("chooseEpisode", {"episode": 1}).seq, 3)
        finally:
            restart.join()
        self.assertEqual(client.send("startPlaying", id="first").seq, 2)

    def test_a_request_without_an_id_is_not_repeated(self):
        relay = self.relay()
        client = self.connect(relay.path)
        relay.loses_replies = 1
        with self.assertRaises(gamed.ConnectionLost) as caught:
            client.advance("1s")
        self.assertTrue(caught.exception.may_have_happened)
        self.assertEqual(client.advance("1s").now_ms, 2000)

    def test_after_the_time_for_repeating_the_error_says_that_the_request_may_have_happened(self):
        relay = self.relay()
        client = self.connect(relay.path, retry_for=0.2)
        relay.loses_replies = 1000
        with self.assertRaises(gamed.ConnectionLost) as caught:
            client.send("startPlaying")
        self.assertTrue(caught.exception.may_have_happened)
        relay.loses_replies = 0
        self.assertEqual(client.status().seq, 2)

    def test_a_refusal_is_not_repeated(self):
        relay = self.relay()
        client = self.connect(relay.path)
        with self.assertRaises(gamed.NoTransition):
            client.send("pause")
        self.assertEqual(relay.count, 1)

    def test_ids_are_repeated_no_longer_than_the_daemon_knows_them(self):
        with self.assertRaises(ValueError):
            gamed.Client(self.daemon.path, retry_for=600)

    def test_threads_share_a_client(self):
        client = self.connect(self.daemon.path)
        replies = []
        threads = [
            threading.Thread(target=lambda name=name: replies.append((name, client.label({name: name}).labels)))
            for name in "abcdefgh"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(replies), [(name, {name: name}) for name in "abcdefgh"])


if __name__ == "__main__":
    unittest.main()
