"""A controller that floods hosts: it reports devices with new names as fast as the socket accepts them, and does not
answer commands. flood.py SOCKET. Prints `ready`, and `taken` once hosts have read 4 MiB."""

import random
import socket
import sys


def report(number):
    name = f"Buzzer {number}".encode()
    data = bytes([2, 1, 6, len(name) + 1, 9]) + name
    body = bytes([2, 1, 0, 1]) + random.randbytes(6) + bytes([len(data)]) + data + b"\xc4"
    return bytes([4, 0x3E, len(body)]) + body


def main(path):
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen()
    print("ready", flush=True)
    sent = 0
    while True:
        host, _ = listening.accept()
        try:
            while True:
                flood = b"".join(report(random.randrange(10**6)) for _ in range(1000))
                host.sendall(flood)
                sent += len(flood)
                if sent > 4 << 20:
                    print("taken", flush=True)
                    sent = 0
        except OSError:
            host.close()


main(sys.argv[1])
