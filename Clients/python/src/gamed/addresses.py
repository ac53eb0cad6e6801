"""The address of a daemon."""

import os
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Address:
    """The path of a UNIX socket, or a host with a port."""

    #: `unix`, `tcp`, `tls`, `http` or `https`.
    scheme: str
    #: The path of the UNIX socket; for HTTP, the path below which a proxy serves gamed, without a slash at the end.
    path: str = ""
    host: str = ""
    port: int = 0

    @property
    def is_web(self) -> bool:
        return self.scheme in ("http", "https")

    @property
    def has_tls(self) -> bool:
        return self.scheme in ("tls", "https")

    @property
    def authority(self) -> str:
        """The value of the header `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def __str__(self) -> str:
        return self.path if self.scheme == "unix" else f"{self.scheme}://{self.authority}{self.path}"


def parse(text: str) -> Address:
    """Reads `/run/gamed/gamed.sock`, `tcp://HOST:PORT`, `tls://HOST:PORT`, or an address of the web such as `https://HOST`."""
    if "://" not in text:
        return Address("unix", path=text[5:] if text.startswith("unix:") else text)
    url = urlsplit(text)
    port = url.port or {"http": 80, "https": 443}.get(url.scheme)
    if url.scheme not in ("tcp", "tls", "http", "https") or not url.hostname or not port:
        raise ValueError(f"{text}: expected a path, tcp://HOST:PORT, tls://HOST:PORT, http://HOST or https://HOST")
    return Address(url.scheme, url.path.rstrip("/"), url.hostname, port)


def default() -> str:
    """The socket that gamectl uses without an option: $GAMED_SOCKET, or the first of the usual paths that exists."""
    if "GAMED_SOCKET" in os.environ:
        return os.environ["GAMED_SOCKET"]
    folders = [os.environ.get("XDG_RUNTIME_DIR"), "/run/gamed"]
    paths = [os.path.join(folder, "gamed.sock") for folder in folders if folder]
    return next((path for path in paths if os.path.exists(path)), paths[-1])
