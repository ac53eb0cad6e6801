"""Passes file descriptors to the daemon that it must refuse, and more than it accepts. Prints wrong answers.

Usage: pass_file.py SOCKET DIRECTORY PID
"""

import array
import os
import socket
import sys

path, directory, pid = sys.argv[1:]


def ask(descriptors, line=b"backup\n"):
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(120)
    peer.connect(path)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
    peer.sendmsg([line], rights if descriptors else [])
    answer = b""
    while not answer.endswith(b"\n"):
        answer += peer.recv(4096)
    peer.close()
    return answer.decode()


def expect(answer, words):
    if words not in answer:
        print(f"{answer!r} lacks {words!r}")


full = os.path.join(directory, "full")
with open(full, "w") as file:
    file.write("mine")
flaw = "expected an empty one"
expect(ask([os.open(full, os.O_RDWR)]), flaw)
expect(ask([os.open(os.path.join(directory, "w"), os.O_WRONLY | os.O_CREAT)]), flaw)
expect(ask([os.pipe()[1]]), flaw)
expect(ask([os.open("/dev/null", os.O_RDWR)]), flaw)
expect(ask([os.open(directory, os.O_RDONLY)]), flaw)
expect(ask([]), "no file came with the request")
expect(ask([os.pipe()[0]], b"ping\nbackup\n"), "pong")
# The daemon closes unexpected descriptors: several in one message, and many over connections that stay open.
before = len(os.listdir(f"/proc/{pid}/fd"))
ends = [os.pipe()[0] for _ in range(20)]
for count in (1, 2, 3, 20):
    for _ in range(20):
        expect(ask(ends[:count], b"ping\n"), "pong")
silent = []
for _ in range(40):
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    peer.sendmsg([b"#"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", ends[:3]))])
    silent.append(peer)
expect(ask([], b"ping\n"), "pong")
after = len(os.listdir(f"/proc/{pid}/fd"))
if after > before + len(silent) + 2:
    print(f"{before} descriptors were open, {after} are, and {len(silent)} connections")
expect(ask([os.open(os.path.join(directory, "copy"), os.O_RDWR | os.O_CREAT)]), '"verified":true')
expect(open(full).read(), "mine")
