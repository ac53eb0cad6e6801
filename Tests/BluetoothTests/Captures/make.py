"""Makes bumble.btsnoop: a capture of the HCI packets of a central with two buzzers, all simulated by Bumble.
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


def make_device(link, name, address, snooper=None):
    host = Host()
    host.snooper = snooper
    host.controller = Controller(name, link=link, public_address=address)
    return Device(name=name, address=Address(address), host=host)


async def make_buzzer(link, number):
    device = make_device(link, f"Buzzer {number}", f"C0:00:00:00:00:0{number}")
    properties = Characteristic.Properties
    button = Characteristic("FFF1", properties.READ | properties.NOTIFY, Characteristic.READABLE, bytes([0]))
    device.add_service(Service("FFF0", [button]))
    device.advertising_data = bytes(AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, device.name.encode())]))
    await device.power_on()
    await device.start_advertising(auto_restart=False)
    return device, button


async def main(path):
    link = LocalLink()
    with open(path, "wb") as output:
        central = make_device(link, "central", "F0:F1:F2:F3:F4:F5", BtSnooper(output))
        await central.power_on()
        buzzers = [await make_buzzer(link, number) for number in (1, 2)]
        await central.start_scanning(legacy=True)
        await asyncio.sleep(2.5)
        await central.stop_scanning()
        for number, (device, button) in enumerate(buzzers, 1):
            connection = await central.connect(Address(f"C0:00:00:00:00:0{number}"))
            peer = Peer(connection)
            await peer.request_mtu(100)
            await peer.discover_all()
            [characteristic] = peer.get_characteristics_by_uuid(UUID("FFF1"))
            await peer.read_value(characteristic)
            presses = asyncio.Queue()
            await peer.subscribe(characteristic, presses.put_nowait)
            for press in range(PRESSES):
                await device.notify_subscribers(button, bytes([press]))
            for _ in range(PRESSES):
                await presses.get()
            await connection.disconnect()


asyncio.run(asyncio.wait_for(main(sys.argv[1]), 60))
