"""The client for asyncio."""

import asyncio
import unittest

import gamed
from support import DaemonTest


class AsyncioTest(DaemonTest):
    """Each test runs for each kind of connection."""

    def run_for_each(self, story):
        for address in [self.daemon.path, self.daemon.tcp, self.daemon.web]:
            with self.subTest(address):
                asyncio.run(asyncio.wait_for(story(address), 60))

    def test_tasks_share_a_client(self):
        async def story(address):
            async with gamed.AsyncClient(address) as client:
                changes = await asyncio.gather(*(client.label({name: address}) for name in "abcdefgh"))
                self.assertEqual([change.labels for change in changes], [{name: address} for name in "abcdefgh"])
                with self.assertRaises(gamed.NoTransition):
                    await client.send("pause")

        self.run_for_each(story)

    def test_a_task_watches_while_another_sends(self):
        async def story(address):
            async with gamed.AsyncClient(address) as client:
                watch = client.watch("main")
                snapshot = await watch.__anext__()
                change, sent = await asyncio.gather(watch.__anext__(), client.label({"from": address}))
                self.assertEqual((change.seq, change.labels), (snapshot.sessions[0].seq + 1, {"from": address}))
                self.assertEqual(change, sent)
                await watch.aclose()

        self.run_for_each(story)

    def test_a_cancelled_request_does_not_disturb_the_next(self):
        async def story(address):
            async with gamed.AsyncClient(address) as client:
                for _ in range(20):
                    request = asyncio.ensure_future(client.hello())
                    await asyncio.sleep(0.0005)
                    request.cancel()
                    self.assertEqual((await client.status()).session, "main")

        self.run_for_each(story)

    def test_a_send_whose_reply_was_lost_is_executed_once(self):
        relay = self.relay()

        async def story():
            async with gamed.AsyncClient(relay.path) as client:
                relay.loses_replies = 2
                self.assertEqual((await client.send("startPlaying")).seq, 2)
                self.assertEqual((await client.status()).seq, 2)

        asyncio.run(story())

    def test_a_cut_watch_continues(self):
        relay = self.relay()

        async def story():
            async with gamed.AsyncClient(relay.path) as client:
                watch = client.watch()
                await watch.__anext__()
                relay.cut()
                await client.send("startPlaying")
                self.assertEqual((await watch.__anext__()).seq, 2)
                await watch.aclose()

        asyncio.run(story())


if __name__ == "__main__":
    unittest.main()
