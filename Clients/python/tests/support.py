"""A daemon for the tests, and a relay that cuts connections."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

#: The program under test: $GAMED, or the first in the PATH.
PROGRAM = os.environ.get("GAMED") or shutil.which("gamed")
CONFIGURATION = "allow source:tcp operate\nallow source:web operate\nallow source:unix operate\n"


class Daemon:
    """A daemon in a folder of its own, on the virtual clock. It can be killed and started again."""

    def __init__(self, *options, has_tls=False):
        self.folder = tempfile.mkdtemp(prefix="gamed-python-")
        self.path = os.path.join(self.folder, "socket")
        configuration = os.path.join(self.folder, "gamed.conf")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION)
        listeners = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"]
        if has_tls:
            listeners += self.make_certificate()
        self.command = [
            PROGRAM, "--socket", self.path, "--config", configuration, "--clock", "virtual", *listeners, *options]
        self.start()

    def make_certificate(self):
        """Makes a certificate that signs itself, and returns the options for it."""
        self.certificate, key = (os.path.join(self.folder, name) for name in ("cert.pem", "key.pem"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "1", "-subj", "/CN=gamed", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", self.certificate],
            check=True, stderr=subprocess.DEVNULL)
        return ["--tls-cert", self.certificate, "--tls-key", key]

    def start(self):
        """Starts the daemon, and reads the addresses at which it listens."""
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)
        log = ""
        for line in self.process.stderr:
            log += line
            if "listens at" in line:
                break
        else:
            raise AssertionError(f"the daemon does not start: {log}")
        kind, address = re.search(r"lines over (TCP|TLS) at (\S+)", log).groups()
        self.tcp = f"{kind.lower()}://{address}"
        self.web = re.search(r"web at (\S+?)/?[, \n]", log).group(1)

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait()
        self.process.stderr.close()

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder)


def cut_connection(*ends):
    """Ends a connection. The sockets stay open, because threads read them."""
    for end in ends:
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Relay:
    """
    Relays connections to a daemon's UNIX socket, and cuts them.

    While `loses_replies` is positive, the next reply is not passed on: the connection is cut in its place, and the number
    becomes smaller by one.
    """

    def __init__(self, daemon):
        self.target = daemon.path
        self.path = os.path.join(daemon.folder, "relay")
        self.loses_replies = 0
        self.connections = []
        self.count = 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            daemon = socket.socket(socket.AF_UNIX)
            try:
                daemon.connect(self.target)
            except OSError:
                client.close()
                continue
            self.count += 1
            self.connections.append((client, daemon))
            for source, sink, is_reply in [(client, daemon, False), (daemon, client, True)]:
                threading.Thread(target=self._pass, args=(source, sink, is_reply), daemon=True).start()

    def _pass(self, source, sink, is_reply):
        try:
            while data := source.recv(65536):
                if is_reply and self.loses_replies > 0:
                    self.loses_replies -= 1
                    break
                sink.sendall(data)
        except OSError:
            pass
        cut_connection(source, sink)

    def cut(self):
        """Cuts all connections."""
        for pair in self.connections:
            cut_connection(*pair)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()
        for pair in self.connections:
            for end in pair:
                end.close()


class DaemonTest(unittest.TestCase):
    """A test with a daemon."""

    options = ()
    has_tls = False

    def setUp(self):
        self.daemon = Daemon(*self.options, has_tls=self.has_tls)
        self.addCleanup(self.daemon.remove)

    def relay(self):
        relay = Relay(self.daemon)
        self.addCleanup(relay.close)
        return relay
