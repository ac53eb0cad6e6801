"""A TCP proxy whose connections a script can cut, freeze or hold."""

import socket
import threading


class WebProxy:
    """Forwards connections to a server.

    A cut connection is closed. A frozen connection stays open, but the proxy drops the bytes that it receives on it. On a held
    connection, the proxy keeps the received bytes until `release` is called, and then transfers them.
    """

    def __init__(self, host, port):
        self.server_address = (host, port)
        # Each pair has the sockets of one connection: to the client and to the server.
        self.pairs = set()
        self.frozen = set()
        self.held = set()
        self.released = threading.Event()
        self.is_cut = False
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            if self.is_cut:
                client.close()
                continue
            try:
                server = socket.create_connection(self.server_address)
            except OSError:
                client.close()
                continue
            pair = (client, server)
            with self.lock:
                self.pairs.add(pair)
            for source, target in (pair, pair[::-1]):
                threading.Thread(target=self.transfer, args=(pair, source, target), daemon=True).start()

    def transfer(self, pair, source, target):
        try:
            while data := source.recv(65536):
                if pair in self.held:
                    self.released.wait()
                if pair not in self.frozen:
                    target.sendall(data)
        except OSError:
            pass
        self.close(pair)

    def close(self, pair):
        with self.lock:
            self.pairs.discard(pair)
        for end in pair:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def cut(self):
        self.is_cut = True
        self.drop()

    def drop(self):
        """Closes the present connections. Unlike `cut`, it lets the proxy accept new ones."""
        for pair in list(self.pairs):
            self.close(pair)

    def freeze_connections(self):
        """Transfers nothing more on the present connections, and accepts new ones."""
        self.frozen |= self.pairs

    def hold_connections(self):
        """Keeps the bytes of the present connections until `release` is called, and accepts new connections."""
        self.released.clear()
        self.held |= self.pairs

    def release(self):
        self.held.clear()
        self.released.set()

    def restore(self):
        self.is_cut = False
