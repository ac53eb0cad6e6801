"""Sends TLS records without application data, as a hostile client would, with tlslite-ng.

Usage: tls_floods.py HOST:PORT FLOOD SECONDS

Sends MAX_RECORDS records of the kind FLOOD, one of the keys of FLOODS. Prints `closed` if the server ends the connection
meanwhile or within SECONDS afterwards, otherwise `open`.
"""

import socket
import sys

from tlslite.api import HandshakeSettings, TLSConnection
from tlslite.constants import AlertDescription, AlertLevel, CipherSuite, KeyUpdateMessageType
from tlslite.errors import BaseTLSException
from tlslite.messages import Alert, ApplicationData, ClientHello, NewSessionTicket1_0

MAX_RECORDS = 200


def send(connection, message):
    for _ in connection._sendMsg(message, randomizeFirstBlock=False):
        pass


def key_update(kind):
    def send_key_update(connection):
        for _ in connection.send_keyupdate_request(kind):
            pass
    return send_key_update


def key_update_and_data(connection):
    """Sends a key update and a comment line, which is application data that the server does not answer."""
    key_update(KeyUpdateMessageType.update_not_requested)(connection)
    connection.write(b"#\n")


def client_hello(connection):
    hello = ClientHello()
    hello.create((3, 3), bytearray(32), bytearray(0),
                 [CipherSuite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256], extensions=[])
    send(connection, hello)


def empty_record(connection):
    send(connection, ApplicationData().create(bytearray(0)))


def warning(connection):
    send(connection, Alert().create(AlertDescription.user_canceled, AlertLevel.warning))


def ticket(connection):
    send(connection, NewSessionTicket1_0().create(300, bytearray(32)))


# The version of TLS, and the function that sends one record of the flood.
FLOODS = {
    "key updates": ((3, 4), key_update(KeyUpdateMessageType.update_not_requested)),
    "key updates that request another": ((3, 4), key_update(KeyUpdateMessageType.update_requested)),
    "key updates with data": ((3, 4), key_update_and_data),
    "empty records over TLS 1.3": ((3, 4), empty_record),
    "empty records over TLS 1.2": ((3, 3), empty_record),
    "warnings over TLS 1.3": ((3, 4), warning),
    "warnings over TLS 1.2": ((3, 3), warning),
    "client hellos over TLS 1.2": ((3, 3), client_hello),
    "tickets over TLS 1.2": ((3, 3), ticket),
}


def connect(address, version):
    """Returns the TLS connection, and a second socket of its TCP connection. If tlslite closes the first socket, the second
    socket stays open."""
    host, port = address.rsplit(":", 1)
    tcp_socket = socket.create_connection((host, int(port)), timeout=60)
    settings = HandshakeSettings()
    settings.minVersion = settings.maxVersion = version
    connection = TLSConnection(tcp_socket)
    connection.handshakeClientCert(settings=settings, serverName="localhost")
    return connection, tcp_socket.dup()


def is_closed_within(tcp_socket, seconds):
    """Whether the server ends the connection within this time. Bytes that it has sent before are ignored."""
    tcp_socket.settimeout(seconds)
    try:
        while tcp_socket.recv(65536):
            pass
        return True
    except socket.timeout:
        return False
    except OSError:
        return True


def main():
    address, name, seconds = sys.argv[1:]
    version, flood = FLOODS[name]
    connection, tcp_socket = connect(address, version)
    try:
        for _ in range(MAX_RECORDS):
            flood(connection)
    except (OSError, BaseTLSException):
        # Sending failed. If tlslite cannot send a handshake message, it reads the last data that the server sent. It raises an
        # exception for an alert, for the end of the connection, or for a record that it cannot read. The TCP socket shows
        # whether the server has closed the connection.
        pass
    print("closed" if is_closed_within(tcp_socket, float(seconds)) else "open")


main()
