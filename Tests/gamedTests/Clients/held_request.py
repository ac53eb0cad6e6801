"""A node holds a request, because it cannot reach the database. Meanwhile another node acquires the session, and a client repeats
the request there. When the node reaches the database again, it must not execute the request a second time.

Usage: held_request.py GAMED URL FOLDER

Prints `ok`, or what is wrong.
"""
import argparse
import asyncio
import json
import os
import subprocess
import sys

# cluster.py runs its test only as a program.
from cluster import Connection, Node, write_flows

# So many other requests displace the answer to the first one.
OTHERS = 1100


async def shards(node):
    connection = Connection(node)
    nodes = (await connection.ask("nodes", timeout=10))["result"]
    connection.close()
    return {each["node"]: each["shards"] for each in nodes["nodes"]}, nodes["missing"]


async def session_of(node, other):
    """The name of a new session whose owner is `node`."""
    connection = Connection(node)
    await connection.ask("hello", timeout=10, redirects=True)
    for number in range(100):
        reply = await connection.ask("open", timeout=10, session=f"h{number}", flow="marks")
        if "result" in reply:
            connection.close()
            return f"h{number}"
    raise AssertionError("the node owns no session")


async def mark(node, session, tag, timeout=240):
    connection = Connection(node)
    try:
        return await connection.ask(
            "send", timeout=timeout, session=session, id=tag, event="mark", args={"tag": tag})
    finally:
        connection.close()


async def main():
    parser = argparse.ArgumentParser()
    for name in ("gamed", "url", "folder"):
        parser.add_argument(name)
    options = parser.parse_args()
    # A busy machine needs some time for the other requests, and the request must be held for so long.
    options.hold = "300s"
    subprocess.run([f"{os.path.dirname(os.path.abspath(__file__))}/node-certificates", options.folder], check=True)
    write_flows(options.folder)
    nodes = [Node(name, options) for name in "ab"]
    await nodes[1].connect_through_proxy()
    try:
        for node in nodes:
            node.start()
        while True:
            try:
                shares, missing = await shards(nodes[0])
                if missing == 0 and len(shares) == 2 and max(shares.values()) <= 128:
                    break
            except (OSError, json.JSONDecodeError):
                pass
            await asyncio.sleep(0.1)
        session = await session_of(nodes[1], nodes[0])
        # The node's lease ends after three seconds, and the other node acquires its shards.
        to_and_from_database = nodes[1].database_proxy.is_open
        for event in to_and_from_database:
            event.clear()
        await asyncio.sleep(3.5)
        held = asyncio.create_task(mark(nodes[1], session, "held"))
        await asyncio.sleep(0.2)
        assert not held.done(), f"not held: {held.result()}"
        repeated = await mark(nodes[0], session, "held")
        assert repeated["result"]["seq"] == 2, repeated
        connection = Connection(nodes[0])
        for number in range(OTHERS):
            await connection.ask("send", timeout=60, session=session, id=f"o{number}", event="mark", args={"tag": f"o{number}"})
        connection.close()
        assert not held.done(), f"not held any more: {held.result()}"
        for event in to_and_from_database:
            event.set()
        reply = await held
        assert reply.get("error", {}).get("message") == "stale", reply
        connection = Connection(nodes[0])
        status = (await connection.ask("status", timeout=10, session=session))["result"]
        connection.close()
        assert status["seq"] == OTHERS + 2, status
        print("ok")
    finally:
        for node in nodes:
            node.kill()


try:
    asyncio.run(main())
except AssertionError as error:
    sys.exit(f"{error}")
