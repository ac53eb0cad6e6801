"""A broker, and a client of MQTT that can do what the benchmarks need."""
import socket
import subprocess
import time

from .processes import connect, free_port


def mqtt_string(value):
    return len(value).to_bytes(2, "big") + value.encode()


def mqtt_packet(first_byte, body):
    length, encoded_length = len(body), b""
    while True:
        encoded_length += bytes([length & 0x7F | (0x80 if length > 0x7F else 0)])
        length >>= 7
        if length == 0:
            return bytes([first_byte]) + encoded_length + body


def connect_mqtt(port, *filters):
    """Connects to the broker, and subscribes to the topic filters."""
    client = socket.create_connection(("127.0.0.1", port))
    # CONNECT: protocol level 4, clean session, no keep-alive. The answer is CONNACK.
    client.sendall(mqtt_packet(0x10, mqtt_string("MQTT") + b"\x04\x02\x00\x00" + mqtt_string(f"bench{time.time_ns()}")))
    client.recv(4)
    for filter in filters:
        # SUBSCRIBE with packet identifier 1 and QoS 0. The answer is SUBACK.
        client.sendall(mqtt_packet(0x82, b"\x00\x01" + mqtt_string(filter) + b"\x00"))
        client.recv(5)
    return client


def publish(topic, payload):
    """The packet of a message with QoS 0."""
    return mqtt_packet(0x30, mqtt_string(topic) + payload)


def send_at_rate(send, rate, seconds):
    """Calls `send(first, count)` so that `rate` events a second are sent, and returns how many were sent."""
    sent, start = 0, time.monotonic()
    while (elapsed := time.monotonic() - start) < seconds:
        due = int(elapsed * rate) - sent
        if due > 0:
            send(sent, due)
            sent += due
        time.sleep(0.002)
    return sent


class Mosquitto:
    """The broker, without a log. Ends with the `with` block."""

    PROGRAM = "/usr/sbin/mosquitto"

    def __init__(self):
        self.port = free_port()
        self.process = subprocess.Popen([self.PROGRAM, "-p", str(self.port)], stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                connect(f"127.0.0.1:{self.port}").close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("mosquitto does not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
