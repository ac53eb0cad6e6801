"""Uses gamed behind a proxy with TLS: proxied.py PORT CA_FILE TOKEN SOCKET GAMECTL. The proxy serves gamed at
https://room.example:PORT/ and below /rooms/. The clients connect from several loopback addresses. Prints `ok proxied`.
"""

import contextlib
import http.client
import json
import re
import socket
import ssl
import subprocess
import sys
import urllib.parse

HOST = "room.example"
STREAMS = 100


def check(condition, failure):
    if not condition:
        sys.exit(f"not ok proxied: {failure}")


class Proxy:
    def __init__(self, port, authority, token, gamed_socket, gamectl):
        self.port, self.token = int(port), token
        self.gamed_socket, self.gamectl_path = gamed_socket, gamectl
        self.context = ssl.create_default_context(cafile=authority)
        self.context.set_alpn_protocols(["http/1.1"])
        self.origin = f"https://{HOST}:{port}"

    def connect(self, source="127.0.0.2"):
        """A connection to the proxy from this address."""
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=60, source_address=(source, 0))
        connection = http.client.HTTPConnection(HOST, self.port)
        connection.sock = self.context.wrap_socket(plain, server_hostname=HOST)
        return connection

    def ask(self, method, path, body=None, headers=None, source="127.0.0.2"):
        """The status, the headers and the body of the answer to a request."""
        with contextlib.closing(self.connect(source)) as connection:
            all_headers = {"Host": f"{HOST}:{self.port}", **(headers or {})}
            if body is not None:
                all_headers.setdefault("Content-Type", "application/json")
            connection.request(method, path, None if body is None else json.dumps(body), all_headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()

    def call(self, prefix, rpc_method, params, source="127.0.0.2", **headers):
        message = {"jsonrpc": "2.0", "id": 1, "method": rpc_method, "params": params}
        given = {"Authorization": f"Bearer {self.token}", **headers}
        status, _, body = self.ask("POST", f"{prefix}/v1/rpc", message, given, source)
        check(status == 200, f"{rpc_method} through {prefix}/ has the status {status}: {body}")
        return json.loads(body)["result"]

    def gamectl(self, *words):
        command = [self.gamectl_path, "--json", "--socket", self.gamed_socket, *words]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    # Event streams

    def stream(self, prefix, last_id=None):
        connection = self.connect()
        headers = {"Host": f"{HOST}:{self.port}", "Authorization": f"Bearer {self.token}"}
        if last_id:
            headers["Last-Event-ID"] = last_id
        connection.request("GET", f"{prefix}/v1/events?session=main", headers=headers)
        response = connection.getresponse()
        check(response.status == 200, f"a stream has the status {response.status}")
        check("no-store" in response.headers["Cache-Control"], "a stream may be stored")
        return connection, response


def next_event(response):
    """The id, the name and the data of the next event."""
    fields = {}
    while True:
        line = response.readline().decode().rstrip("\n")
        if line == "" and "event" in fields:
            return fields.get("id"), fields["event"], json.loads(fields["data"])
        name, _, value = line.partition(": ")
        if name:
            fields[name] = value


def check_pages(proxy, prefix):
    """Everything that a page names is there, also below a path."""
    seen = set()
    waiting = [f"{proxy.origin}{prefix}{page}" for page in ("/", "/play/main", "/join", "/stats", "/leaderboard/game")]
    while waiting:
        url = waiting.pop().partition("#")[0]
        if url in seen:
            continue
        seen.add(url)
        parts = urllib.parse.urlsplit(url)
        check(parts.path.startswith(f"{prefix}/"), f"{url} is not below {prefix}/")
        status, _, body = proxy.ask("GET", parts.path)
        check(status == 200, f"{url} has the status {status}")
        names = []
        if parts.path.endswith(".js"):
            names = re.findall(r'from "(\.[^"]+)"', body)
        elif "<html" in body:
            names = re.findall(r'(?:src|href)="([^"#]+)"', body)
        waiting += [urllib.parse.urljoin(url, name) for name in names]
    check(len(seen) > 60, f"only {len(seen)} files were found")


def check_login(proxy, prefix):
    path, body = f"{prefix}/v1/login", {"token": proxy.token}
    status, headers, answer = proxy.ask("POST", path, body, {"Origin": proxy.origin, "Gamed-Page": "desk"})
    check(status == 200, f"a login has the status {status}: {answer}")
    cookie = headers["Set-Cookie"]
    check("; Secure" in cookie, f"the cookie is not Secure: {cookie}")
    status, _, answer = proxy.ask("POST", path, body, {"Origin": proxy.origin.replace("https", "http")})
    check(status == 403 and "Origin: http://" in answer, f"another scheme has the status {status}: {answer}")
    name_and_value = cookie.partition(";")[0]
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"Cookie": name_and_value, "Gamed-Page": "desk", "Origin": proxy.origin}
    status, _, _ = proxy.ask("POST", f"{prefix}/v1/rpc", message, headers)
    check(status == 200, f"a call with the cookie has the status {status}")


def check_addresses(proxy, prefix):
    """A change names the client and not the proxy, and a client cannot give itself another address."""
    for source in ("127.0.0.2", "127.0.0.4"):
        params = {"state": "introduction"}
        change = proxy.call(prefix, "goto", params, source, **{"X-Forwarded-For": "192.0.2.9"})
        address = change["source"]["peer"]["address"]
        check(address == source, f"the client {source} is recorded as {address}")


def check_streams(proxy, prefix):
    connection, response = proxy.stream(prefix)
    _, name, _ = next_event(response)
    check(name == "snapshot", f"a stream begins with {name}")
    # A proxy that waits for more before it passes an event on would let the next read fail.
    proxy.gamectl("goto", "help")
    last_id, name, change = next_event(response)
    check(name == "change" and change["to"]["state"] == "help", f"the stream has {name}")
    connection.close()
    missed = proxy.gamectl("goto", "introduction")["seq"]
    connection, response = proxy.stream(prefix, last_id)
    events = [next_event(response) for _ in range(2)]
    check(events[1][2].get("seq") == missed, f"the stream does not continue: {events}")
    connection.close()


def check_many_streams(proxy):
    streams = [proxy.stream("") for _ in range(STREAMS)]
    for _, response in streams:
        next_event(response)
    seq = proxy.gamectl("goto", "help")["seq"]
    for _, response in streams:
        check(next_event(response)[2]["seq"] == seq, "one of many streams lacks a change")
    for connection, _ in streams:
        connection.close()


def check_joining(proxy, prefix):
    """Wrong codes of one client do not keep others from joining."""
    guesser = "127.0.0.5" if prefix else "127.0.0.3"
    for _ in range(6):
        status, _, _ = proxy.ask("POST", f"{prefix}/join", {"code": "000000"}, source=guesser)
    check(status == 429, f"the sixth wrong code has the status {status}")
    code = proxy.gamectl("invite", "main")["code"]
    status, headers, answer = proxy.ask("POST", f"{prefix}/join", {"code": code}, {"Origin": proxy.origin})
    check(status == 200, f"another client has the status {status}: {answer}")
    check("; Secure" in headers["Set-Cookie"], "a guest's cookie is not Secure")


def main(arguments):
    proxy = Proxy(*arguments)
    for prefix in ("", "/rooms"):
        check_pages(proxy, prefix)
        check_login(proxy, prefix)
        check_addresses(proxy, prefix)
        check_streams(proxy, prefix)
        check_joining(proxy, prefix)
    check_many_streams(proxy)
    print("ok proxied")


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit("usage: proxied.py PORT CA_FILE TOKEN SOCKET GAMECTL")
    main(sys.argv[1:])
