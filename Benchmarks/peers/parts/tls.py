"""TLS, beside `openssl s_server` with the same certificate.

A handshake: `openssl s_time` connects again and again, without resuming. A send: one client with one request in flight on one
connection; gamed gets a POST that changes the state, and `s_server -rev` sends the line back with its characters reversed.
Client and server share a core.
"""
import re
import socket
import ssl
import subprocess
import time

from shared.processes import LAST_CORE, Server, cpu_nanoseconds, free_port, pinned

from ..rows import Row, require
from ..servers.gamed import Gamed, sends
from .web import CONFIG

TITLE = "TLS (openssl s_server), server CPU, one core"
ROWS = [
    Row("a handshake", "us", "gamed handshake", "openssl handshake", peer="s_server"),
    Row("a send, 1 in flight", "us", "gamed send", "openssl send", peer="s_server"),
    Row("a send, against one without TLS", "us", "gamed send", "gamed plain", peer="gamed itself"),
    Row("a send, elapsed time", "us", "gamed elapsed", "openssl elapsed", peer="s_server"),
]


def make_certificate(bench):
    key, certificate = bench.new_path(".key"), bench.new_path(".pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout",
         key, "-out", certificate, "-subj", "/CN=localhost"], check=True, stderr=subprocess.DEVNULL)
    return key, certificate


def handshake(bench, server, address):
    """The server's CPU time for a handshake in microseconds."""
    before = cpu_nanoseconds(server.pid)
    done = subprocess.run(
        pinned(["openssl", "s_time", "-connect", address, "-new", "-time", str(bench.count(2, 1))], LAST_CORE),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
    count = re.search(r"^(\d+) connections in \d+ real seconds", done, re.MULTILINE)
    if not count or int(count[1]) == 0:
        raise RuntimeError(f"openssl s_time: {done[-300:]}")
    return (cpu_nanoseconds(server.pid) - before) / int(count[1]) / 1000


def read_reply(client):
    """Reads a line, or a reply of HTTP with its body."""
    reply, length = b"", None
    while True:
        piece = client.recv(1 << 16)
        if not piece:
            raise RuntimeError(f"the connection has ended after {reply[:300]}")
        reply += piece
        if not reply.startswith(b"HTTP"):
            if reply.endswith(b"\n"):
                return reply
            continue
        if length is None and (end := reply.find(b"\r\n\r\n")) >= 0:
            length = end + 4 + int(re.search(rb"(?i)content-length: *(\d+)", reply[:end])[1])
        if length is not None and len(reply) >= length:
            return reply


def exchange(server, address, requests, count, is_encrypted=True):
    """Sends the requests in turn over one connection, each after the reply to the last one. Returns the server's CPU time and
    the elapsed time for a request in microseconds."""
    host, port = address.rsplit(":", 1)
    client = socket.create_connection((host, int(port)))
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if is_encrypted:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        client = context.wrap_socket(client)
    with client:
        before = began = None
        for number in range(count + 1):
            client.sendall(requests[number % len(requests)])
            reply = read_reply(client)
            if reply.startswith(b"HTTP") and (b" 200 " not in reply[:20] or b'"error":' in reply):
                raise RuntimeError(f"{address}: {reply[:300]}")
            # The first request is a warm-up.
            before, began = before or cpu_nanoseconds(server.pid), began or time.monotonic_ns()
        return (cpu_nanoseconds(server.pid) - before) / count / 1000, (time.monotonic_ns() - began) / count / 1000


def post(address, body):
    head = f"POST /v1/rpc HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return (head + body).encode()


def measure(bench):
    bench.version("OpenSSL", [require("openssl", "openssl"), "version"])
    key, certificate = make_certificate(bench)

    def s_server(*options):
        port = free_port()
        return Server(["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", certificate, "-key", key, "-quiet", *options],
                      f"127.0.0.1:{port}", core=LAST_CORE, folder=bench.folder)

    with s_server("-www") as shaking, s_server("-rev") as reversing, \
            Gamed(bench, "--http", "127.0.0.1:0", config=CONFIG) as plain, \
            Gamed(bench, "--http", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key, config=CONFIG) as gamed:
        # An odd number of requests follows the warm-up, so that each run ends where it began.
        count = bench.count(201, 5)
        while True:
            bodies, samples = sends("main"), {}
            samples["gamed handshake"] = handshake(bench, gamed, gamed.web)
            samples["openssl handshake"] = handshake(bench, shaking, shaking.address)
            samples["gamed send"], samples["gamed elapsed"] = exchange(
                gamed, gamed.web, [post(gamed.web, body) for body in bodies], count)
            samples["openssl send"], samples["openssl elapsed"] = exchange(
                reversing, reversing.address, [body.encode() + b"\n" for body in bodies], count)
            samples["gamed plain"], _ = exchange(plain, plain.web, [post(plain.web, body) for body in bodies], count, False)
            yield samples
