"""A TCP proxy whose connections a script can cut or freeze."""

import socket
import threading


class Proxy:
    """Forwards connections to a server. A cut connection is closed; a frozen one stays open, but transfers nothing."""

    def __init__(self, host, port):
        self.server = (host, port)
        self.pairs = set()
        self.frozen = set()
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
                server = socket.create_connection(self.server)
            except OSError:
                client.close()
                continue
            pair = (client, server)
            with self.lock:
                self.pairs.add(pair)
            for source, target in (pair, pair[::-1]):
                threading.Thread(target=self.copy, args=(pair, source, target), daemon=True).start()

    def copy(self, pair, source, target):
        try:
            while data := source.recv(65536):
                if pair not in self.frozen:
                    target.sendall(data)
        except OSError:
            pass
        self.end(pair)

    def end(self, pair):
        with self.lock:
            self.pairs.discard(pair)
        for one in pair:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def cut(self):
        self.is_cut = True
        self.drop()

    def drop(self):
        """Closes the present connections, and accepts new ones."""
        for pair in list(self.pairs):
            self.end(pair)

    def freeze(self):
        """Transfers nothing more on the present connections, and accepts new ones."""
        self.frozen |= self.pairs

    def restore(self):
        self.is_cut = False
