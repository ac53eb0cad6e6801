"""A program that does not know the secret of the nodes, at the address of a node that has ended. It passes what a node sends
there to another address, and the answers back.

Usage: node_relay.py ADDRESS TARGET

Prints `>` and each line that the node sends, and `<` and each line that the target answers. Ends when one side closes the
connection, or when the target has accepted the connection.
"""

import socket
import sys
import threading


def split(address):
    host, _, port = address.rpartition(":")
    return host, int(port)


def relay(mark, source, target, ended):
    """Passes on the lines of a connection until it ends."""
    with source.makefile("rb") as lines:
        for line in lines:
            print(mark, line.decode().rstrip(), flush=True)
            try:
                target.sendall(line)
            except OSError:
                break
            if b'"ready"' in line:
                break
    ended.set()


listener = socket.create_server(split(sys.argv[1]))
listener.settimeout(30)
print("listens", flush=True)
node, _ = listener.accept()
target = socket.create_connection(split(sys.argv[2]))
ended = threading.Event()
for arguments in ((">", node, target, ended), ("<", target, node, ended)):
    threading.Thread(target=relay, args=arguments, daemon=True).start()
ended.wait(20)
