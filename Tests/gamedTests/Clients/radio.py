"""Simulates four buzzers with Bumble, and the controller through which the daemon reaches them. Each line of standard input
is a command: `press N VALUE`, `drop N`, `return N`, or `all VALUE`, which presses all buzzers.

    radio.py TRANSPORT [legacy]

TRANSPORT is the address at which the daemon's controller listens, in Bumble's syntax: `unix-server:PATH` or
`tcp-server:HOST:PORT`. With `legacy` the controller does not support Extended Advertising.
"""

import asyncio
import sys

from bumble.controller import Controller
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, Service
from bumble.hci import Address, LeFeatureMask
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport import open_transport

COUNT = 4


class Buzzer:
    """A simulated device with two characteristics: its button, and the level of its battery."""

    def __init__(self, link, number):
        self.name = f"Buzzer {number}"
        self.address = f"C0:00:00:00:00:0{number}"
        controller = Controller(self.name, link=link, public_address=self.address)
        host = Host()
        host.controller = controller
        self.device = Device(name=self.name, address=Address(self.address), host=host)
        properties = Characteristic.Properties
        self.button = Characteristic("FFF1", properties.READ | properties.NOTIFY, Characteristic.READABLE, bytes([0]))
        self.device.add_service(Service("FFF0", [self.button]))
        battery = Characteristic("2A19", properties.READ, Characteristic.READABLE, bytes([77]))
        self.device.add_service(Service("180F", [battery]))
        self.device.advertising_data = bytes(
            AdvertisingData(
                [
                    (AdvertisingData.FLAGS, bytes([6])),
                    (AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode()),
                ]
            )
        )
        self.connection = None
        self.device.on("connection", self.on_connection)

    def on_connection(self, connection):
        self.connection = connection
        connection.on("disconnection", lambda reason: asyncio.ensure_future(self.on_disconnection()))

    async def on_disconnection(self):
        self.connection = None

    async def start(self):
        await self.device.power_on()
        await self.advertise()

    async def advertise(self):
        if not self.device.is_advertising:
            await self.device.start_advertising(auto_restart=False)

    async def press(self, value):
        await self.device.notify_subscribers(self.button, bytes([value]))

    async def drop(self):
        """Disconnects, and does not advertise until `advertise` is called."""
        if self.device.is_advertising:
            await self.device.stop_advertising()
        if self.connection:
            await self.connection.disconnect()


async def execute(line, buzzers):
    command, *arguments = line.split()
    numbers = [int(argument) for argument in arguments]
    if command == "all":
        await asyncio.gather(*(buzzer.press(numbers[0]) for buzzer in buzzers))
        return
    buzzer = buzzers[numbers[0] - 1]
    if command == "press":
        await buzzer.press(numbers[1])
    elif command == "drop":
        await buzzer.drop()
    elif command == "return":
        await buzzer.advertise()


async def main(transport, *options):
    link = LocalLink()
    transport_pipes = await open_transport(transport)
    controller = Controller("ours", host_source=transport_pipes.source, host_sink=transport_pipes.sink, link=link)
    if "legacy" in options:
        controller.le_features &= ~LeFeatureMask.LE_EXTENDED_ADVERTISING
    buzzers = [Buzzer(link, number + 1) for number in range(COUNT)]
    for buzzer in buzzers:
        await buzzer.start()
    print("ready", flush=True)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := (await reader.readline()).decode():
        await execute(line, buzzers)


asyncio.run(main(*sys.argv[1:]))
