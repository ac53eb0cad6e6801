"""Connects a host to a controller that gamed simulates. The host belongs to Bumble, a Bluetooth stack in Python. The host finds
a buzzer, connects, discovers the buzzer's services with several GATT procedures, and subscribes. Prints a line for each step
and each notification; a test compares the lines.

    listener.py TRANSPORT NAME COUNT

TRANSPORT is the address of the controller in Bumble's syntax, NAME the device's name, and COUNT the number of presses to
wait for.
"""

import asyncio
import sys

from bumble.core import UUID
from bumble.device import Device, Peer
from bumble.hci import Address
from bumble.transport import open_transport


async def find_address(device, name):
    found_address = asyncio.get_running_loop().create_future()

    def receive_advertisement(advertisement):
        # 9 and 8 are the types of the complete and of the shortened name.
        text = advertisement.data.get(9) or advertisement.data.get(8)
        if text is not None and not found_address.done():
            text = text if isinstance(text, str) else text.decode()
            if text == name:
                found_address.set_result(advertisement.address)

    device.on("advertisement", receive_advertisement)
    await device.start_scanning(legacy=True)
    address = await found_address
    await device.stop_scanning()
    return address


async def main(transport, name, count):
    async with await open_transport(transport) as controller:
        device = Device.with_hci("listener", Address("F0:F1:F2:F3:F4:F5"), controller.source, controller.sink)
        await device.power_on()
        address = await find_address(device, name)
        print("found", address.to_string(False), flush=True)
        connection = await device.connect(address)
        peer = Peer(connection)
        print("mtu", await peer.request_mtu(100), flush=True)
        await peer.discover_all()
        for service in peer.services:
            characteristics = " ".join(characteristic.uuid.to_hex_str() for characteristic in service.characteristics)
            print("service", service.uuid.to_hex_str(), characteristics, flush=True)
        services = await peer.discover_service(UUID("FFF0"))
        print("by uuid", len(services), flush=True)
        [name_characteristic] = peer.get_characteristics_by_uuid(UUID("2A00"))
        print("name", (await peer.read_value(name_characteristic)).decode(), flush=True)
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
