"""A Bluetooth controller that floods hosts: flood.py SOCKET.

It reports devices with new names as fast as the socket accepts them, and does not answer commands. It prints `ready`, and
`taken` each time that it has sent another 4 MiB.
"""

import random
import socket
import sys


def advertising_report(device_number):
    """The HCI packet of an LE Advertising Report with a random address."""
    name = f"Buzzer {device_number}".encode()
    advertising_data = bytes([2, 1, 6, len(name) + 1, 9]) + name
    event = bytes([2, 1, 0, 1]) + random.randbytes(6) + bytes([len(advertising_data)]) + advertising_data + b"\xc4"
    return bytes([4, 0x3E, len(event)]) + event


def main(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    sent_bytes = 0
    while True:
        host, _ = listener.accept()
        try:
            while True:
                reports = b"".join(advertising_report(random.randrange(10**6)) for _ in range(1000))
                host.sendall(reports)
                sent_bytes += len(reports)
                if sent_bytes > 4 << 20:
                    print("taken", flush=True)
                    sent_bytes = 0
        except OSError:
            host.close()


main(sys.argv[1])
