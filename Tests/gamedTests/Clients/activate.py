#!/usr/bin/python3
"""Starts a program as the service manager does: with listening sockets that it has opened.

    activate.py NAME=ADDRESS … -- PROGRAM …

ADDRESS is HOST:PORT or the path of a UNIX socket. The program gets the sockets from descriptor 3 on, in this order.
An ADDRESS `dgram` is a socket that does not listen. The file of an ADDRESS PATH=gone is removed.
"""
import os
import socket
import sys


def listening(address):
    if address == "dgram":
        return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    if "/" in address:
        path, _, state = address.partition("=")
        opened = socket.socket(socket.AF_UNIX)
        opened.bind(path)
        if state == "gone":
            os.unlink(path)
    else:
        host, port = address.rsplit(":", 1)
        opened = socket.socket(socket.AF_INET)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, int(port)))
    opened.listen(64)
    return opened


def main():
    split = sys.argv.index("--")
    pairs = [word.split("=", 1) for word in sys.argv[1:split]]
    # Copies above the descriptors at which the program expects them.
    sockets = [os.dup2(listening(address).detach(), 100 + index) for index, (_, address) in enumerate(pairs)]
    for index, descriptor in enumerate(sockets):
        os.dup2(descriptor, 3 + index)
        os.close(descriptor)
    os.environ["LISTEN_PID"] = str(os.getpid())
    os.environ["LISTEN_FDS"] = str(len(sockets))
    os.environ["LISTEN_FDNAMES"] = ":".join(name for name, _ in pairs)
    program = sys.argv[split + 1:]
    os.execv(program[0], program)


main()
