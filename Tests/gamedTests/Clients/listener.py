"""Connects Bumble's host to our controller: it finds a buzzer, connects, discovers its services by every GATT
procedure, subscribes, and prints the notifications, one in each line, so that a test can compare them.

    listener.py TRANSPORT NAME COUNT

TRANSPORT is the address of our controller, in Bumble's form; NAME the device; COUNT the number of presses to wait for.
"""

import asyncio
import sys

from bumble.core import UUID
from bumble.device import Device, Peer
from bumble.hci import Address
from bumble.transport import open_transport


async def find(device, name):
    found = asyncio.get_running_loop().create_future()

    def heard(advertisement):
        text = advertisement.data.get(9) or advertisement.data.get(8)
        if text is not None and not found.done():
            text = text if isinstance(text, str) else text.decode()
            if text == name:
                found.set_result(advertisement.address)

    device.on("advertisement", heard)
    await device.start_scanning(legacy=True)
    address = await found
    await device.stop_scanning()
    return address


async def main(transport, name, count):
    async with await open_transport(transport) as hci:
        device = Device.with_hci("listener", Address("F0:F1:F2:F3:F4:F5"), hci.source, hci.sink)
        await device.power_on()
        address = await find(device, name)
        print("found", address.to_string(False), flush=True)
        connection = await device.connect(address)
        peer = Peer(connection)
        print("mtu", await peer.request_mtu(100), flush=True)
        await peer.discover_all()
        for service in peer.services:
            characteristics = " ".join(one.uuid.to_hex_str() for one in service.characteristics)
            print("service", service.uuid.to_hex_str(), characteristics, flush=True)
        by_uuid = await peer.discover_service(UUID("FFF0"))
        print("by uuid", len(by_uuid), flush=True)
        [title] = peer.get_characteristics_by_uuid(UUID("2A00"))
        print("name", (await peer.read_value(title)).decode(), flush=True)
        [battery] = peer.get_characteristics_by_uuid(UUID("2A19"))
        print("battery", (await peer.read_value(battery))[0], flush=True)
        [button] = peer.get_characteristics_by_uuid(UUID("FFF1"))
        presses = asyncio.Queue()
        await peer.subscribe(button, presses.put_nowait)
        print("subscribed", flush=True)
        for _ in range(count):
            print("press", (await presses.get()).hex(), flush=True)
        await connection.disconnect()
        print("ended", flush=True)


asyncio.run(asyncio.wait_for(main(sys.argv[1], sys.argv[2], int(sys.argv[3])), 60))
