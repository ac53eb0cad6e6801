"""A buzzer without a radio: Bumble's controller for gamed, and a device with one button, the Enter key.

    python3 -m venv venv && venv/bin/pip install bumble
    venv/bin/python buzzer.py unix-server:/tmp/hall.hci
    gamed --bluetooth hci:unix:/tmp/hall.hci --config room.conf

and in room.conf:

    map device="My buzzer" service=FFF0 characteristic=FFF1 value=01 event=startPlaying
"""

import asyncio
import sys

from bumble.controller import Controller
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport import open_transport

NAME, ADDRESS = "My buzzer", "C0:00:00:00:00:01"


def make_buzzer(link):
    """Makes a device with one button, and connects it to the link."""
    host = Host()
    host.controller = Controller(NAME, link=link, public_address=ADDRESS)
    device = Device(name=NAME, address=Address(ADDRESS), host=host)
    properties = Characteristic.Properties
    button = Characteristic("FFF1", properties.READ | properties.NOTIFY, Characteristic.READABLE, bytes([0]))
    device.add_service(Service("FFF0", [button]))
    advertising_fields = [(AdvertisingData.FLAGS, bytes([6])), (AdvertisingData.COMPLETE_LOCAL_NAME, NAME.encode())]
    device.advertising_data = bytes(AdvertisingData(advertising_fields))
    return device, button


async def main(transport):
    link = LocalLink()
    hci_transport = await open_transport(transport)
    # This controller gets no public address. gamed connects with the public address, but Bumble's link names the random address
    # as the sender of data. The buzzer drops the data if these two addresses differ. In this program, both addresses are
    # 00:00:00:00:00:00.
    controller = Controller("for gamed", host_source=hci_transport.source, host_sink=hci_transport.sink, link=link)
    device, button = make_buzzer(link)
    await device.power_on()
    await device.start_advertising(auto_restart=True)
    print(f"{NAME} at {transport}; Enter presses it, Ctrl-D quits", flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        await device.notify_subscribers(button, bytes([1]))
    # Until here, this reference keeps the controller alive.
    del controller


asyncio.run(main(*sys.argv[1:]))
