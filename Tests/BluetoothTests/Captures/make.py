"""Makes bumble.btsnoop: the capture of a central that Bumble runs, with two of Bumble's buzzers on Bumble's own link.
No code of gamed takes part, so the capture shows whether gamed reads what another implementation writes.

    .venv/bin/python Tests/BluetoothTests/Captures/make.py FILE
"""

import asyncio
import sys

from bumble.controller import Controller
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, Peer
from bumble.gatt import Characteristic, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.snoop import BtSnooper

PRESSES = 40


def device(link, name, address, snooper=None):
    host = Host()
    host.snooper = snooper
    host.controller = Controller(name, link=link, public_address=address)
    return Device(name=name, address=Address(address), host=host)


async def buzzer(link, number):
    made = device(link, f"Buzzer {number}", f"C0:00:00:00:00:0{number}")
    can = Characteristic.Properties
    button = Characteristic("FFF1", can.READ | can.NOTIFY, Characteristic.READABLE, bytes([0]))
    made.add_service(Service("FFF0", [button]))
    made.advertising_data = bytes(AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, made.name.encode())]))
    await made.power_on()
    await made.start_advertising(auto_restart=False)
    return made, button


async def main(path):
    link = LocalLink()
    with open(path, "wb") as output:
        central = device(link, "central", "F0:F1:F2:F3:F4:F5", BtSnooper(output))
        await central.power_on()
        buzzers = [await buzzer(link, number) for number in (1, 2)]
        await central.start_scanning(legacy=True)
        await asyncio.sleep(2.5)
        await central.stop_scanning()
        for number, (one, button) in enumerate(buzzers, 1):
            connection = await central.connect(Address(f"C0:00:00:00:00:0{number}"))
            peer = Peer(connection)
            await peer.request_mtu(100)
            await peer.discover_all()
            [seen] = peer.get_characteristics_by_uuid(UUID("FFF1"))
            await peer.read_value(seen)
            presses = asyncio.Queue()
            await peer.subscribe(seen, presses.put_nowait)
            for press in range(PRESSES):
                await one.notify_subscribers(button, bytes([press]))
            for _ in range(PRESSES):
                await presses.get()
            await connection.disconnect()


asyncio.run(asyncio.wait_for(main(sys.argv[1]), 60))
