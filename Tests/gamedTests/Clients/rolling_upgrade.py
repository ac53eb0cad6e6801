"""Upgrades three nodes under load from an older gamed to this one, goes back, upgrades again and switches the format of rows.

Usage: rolling_upgrade.py OLD_GAMED NEW_GAMED NEW_GAMECTL URL FOLDER

Markers (see cluster.py) send events with tags all the time. Nodes of both builds run side by side: one node after the other ends
and is started again with the other build. After the switch, an old node that returns must not own a shard. In the end the
histories are compared with what was sent. Prints the counts as JSON.
"""
import argparse
import asyncio
import json
import os
import signal
import subprocess
import time

import histories
from cluster import Connection, Marker, Node, history, write_flows


async def restart_all(nodes, gamed):
    """Starts each node again with another build, one after the other."""
    for node in nodes:
        node.signal(signal.SIGTERM)
        while node.process.poll() is None:
            await asyncio.sleep(0.02)
        assert node.process.returncode == 0, f"{node.name} ended with {node.process.returncode}"
        node.options = argparse.Namespace(**{**vars(node.options), "gamed": gamed})
        node.start()
        await node.wait_for_equal_shares()
        # Both builds serve for some time.
        await asyncio.sleep(1)


async def old_node_returns(options, nodes):
    """Starts an old node after the switch, and returns how many shards it gets."""
    old = Node("d", argparse.Namespace(**{**vars(options), "gamed": options.old}))
    # The certificate of another node: any certificate of the authority proves a node.
    old.CERTIFICATES = tuple((option, file.format("a")) for option, file in Node.CERTIFICATES)
    old.start()
    most = 0
    for _ in range(80):
        connection = Connection(nodes[0])
        listed = (await connection.ask("nodes", timeout=10))["result"]["nodes"]
        connection.close()
        most = max([most] + [node["shards"] for node in listed if node["node"] == "d"])
        await asyncio.sleep(0.1)
    old.kill()
    return most


async def main():
    parser = argparse.ArgumentParser()
    for name in ("old", "new", "gamectl", "url", "folder"):
        parser.add_argument(name)
    options = parser.parse_args()
    options.gamed = options.old
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([f"{here}/node-certificates", options.folder], check=True)
    write_flows(options.folder)
    nodes = [Node(name, options) for name in "abc"]
    for node in nodes:
        node.start()
    for node in nodes:
        await node.wait_for_equal_shares()
    operations = histories.Operations(time.monotonic)
    names = [f"m{number}" for number in range(8)]
    markers = [Marker(name, nodes, operations) for name in names * 2]
    is_over = False
    tasks = [asyncio.create_task(marker.play(lambda: is_over)) for marker in markers]
    await asyncio.sleep(1)
    for gamed in (options.new, options.old, options.new):
        await restart_all(nodes, gamed)
    refused = subprocess.run([options.gamectl, "--socket", nodes[0].socket, "nodes", "switch"], capture_output=True, text=True)
    switched, deadline = refused, time.monotonic() + 900
    # Old nodes were live within the last ten minutes, so the switch is refused for so long.
    while switched.returncode != 0 and time.monotonic() < deadline:
        await asyncio.sleep(10)
        switched = subprocess.run(
            [options.gamectl, "--socket", nodes[0].socket, "nodes", "switch"], capture_output=True, text=True)
    await asyncio.sleep(2)
    shards_of_old = await old_node_returns(options, nodes)
    await asyncio.sleep(1)
    is_over = True
    await asyncio.gather(*tasks)
    played = {name: await history(name, nodes) for name in names}
    counts = {
        "sent": len(operations.operations), **histories.differences(operations.operations, played),
        "planted": histories.planted(operations.operations, played), "firstSwitch": refused.stderr.strip(),
        "switch": switched.returncode, "shardsOfOldNode": shards_of_old}
    for node in nodes:
        node.process.terminate()
    counts["badEnds"] = sum(node.process.wait() != 0 for node in nodes)
    print(json.dumps(counts))


if __name__ == "__main__":
    asyncio.run(main())
