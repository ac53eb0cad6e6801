"""Passes file descriptors to the daemon: some that it must refuse, and more than it accepts. Prints wrong answers.

Usage: pass_file.py SOCKET DIRECTORY PID
"""

import array
import os
import socket
import sys

path, directory, pid = sys.argv[1:]


def send_with_descriptors(descriptors, lines=b"backup\n"):
    """Sends the lines with the descriptors, and returns their answers."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(120)
    connection.connect(path)
    control_message = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
    connection.sendmsg([lines], control_message if descriptors else [])
    answer = b""
    while answer.count(b"\n") < lines.count(b"\n"):
        answer += connection.recv(4096)
    connection.close()
    return answer.decode()


def expect(answer, expected):
    if expected not in answer:
        print(f"{answer!r} lacks {expected!r}")


full_path = os.path.join(directory, "full")
with open(full_path, "w") as file:
    file.write("mine")
refusal = "expected an empty one"
expect(send_with_descriptors([os.open(full_path, os.O_RDWR)]), refusal)
expect(send_with_descriptors([os.open(os.path.join(directory, "w"), os.O_WRONLY | os.O_CREAT)]), refusal)
expect(send_with_descriptors([os.pipe()[1]]), refusal)
expect(send_with_descriptors([os.open("/dev/null", os.O_RDWR)]), refusal)
expect(send_with_descriptors([os.open(directory, os.O_RDONLY)]), refusal)
expect(send_with_descriptors([]), "no file came with the request")
both_answers = send_with_descriptors([os.pipe()[0]], b"ping\nbackup\n")
expect(both_answers, "pong")
expect(both_answers, refusal)
# The daemon must close all descriptors that no request takes. This also applies if a message passes several descriptors, and if
# the connection stays open. Otherwise the number of the daemon's open descriptors grows.
before = len(os.listdir(f"/proc/{pid}/fd"))
pipe_ends = [os.pipe()[0] for _ in range(20)]
for count in (1, 2, 3, 20):
    for _ in range(20):
        expect(send_with_descriptors(pipe_ends[:count], b"ping\n"), "pong")
open_connections = []
for _ in range(40):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    connection.sendmsg([b"#"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", pipe_ends[:3]))])
    open_connections.append(connection)
expect(send_with_descriptors([], b"ping\n"), "pong")
after = len(os.listdir(f"/proc/{pid}/fd"))
if after > before + len(open_connections) + 2:
    print(f"{before} descriptors were open; now {after} are open, with {len(open_connections)} more connections")
expect(send_with_descriptors([os.open(os.path.join(directory, "copy"), os.O_RDWR | os.O_CREAT)]), '"verified":true')
expect(open(full_path).read(), "mine")
