"""Fetching media by address: once, bounded in size and time, and never from inside the network.

An address in a table is a wish of whoever wrote the table. The host's addresses are looked up here
and the connection goes to the very address that was judged, so that a name cannot lead elsewhere a
moment later; every redirect is judged anew. Django-free.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import SplitResult, quote, urljoin, urlsplit

MAX_REDIRECTS = 5
CONNECT_SECONDS = 10.0
TOTAL_SECONDS = 120.0
MAX_ADDRESSES = 3  # of one host that are tried
_CHUNK = 64 * 1024
_NAT64 = ipaddress.ip_network("64:ff9b::/96")  # RFC 6052: an IPv4 address inside
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_HEADERS = {"User-Agent": "Concord import", "Accept": "*/*", "Accept-Encoding": "identity"}


class FetchFailed(Exception):
    """The file did not come. What is wrong, and what to do."""

    def __init__(self, sentence: str, fix: str) -> None:
        super().__init__(f"{sentence}. {fix}")
        self.sentence = sentence
        self.fix = fix


def fetch(url: str, target: Path, *, max_bytes: int, private_allowed: bool = False) -> None:
    """Write what stands at ``url`` into ``target``.

    Raises FetchFailed for an address inside a private network (unless ``private_allowed``), for
    another answer than 200, for more than ``max_bytes``, and for what takes too long.
    """
    deadline = time.monotonic() + TOTAL_SECONDS
    for _ in range(MAX_REDIRECTS + 1):
        try:
            moved = _get(url, target, deadline, max_bytes, private_allowed)
        except (OSError, http.client.HTTPException, ValueError) as error:
            if time.monotonic() >= deadline:
                raise _too_slow() from error
            raise FetchFailed(
                f"The address does not answer ({_reason(error)})", "Try it in a browser."
            ) from error
        if moved is None:
            return
        url = urljoin(url, moved)
    raise FetchFailed(
        f"More than {MAX_REDIRECTS} redirects", "Give the address of the file itself."
    )


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, socket.gaierror):
        return "no such host"
    return str(error)[:120] or type(error).__name__


def _get(
    url: str, target: Path, deadline: float, max_bytes: int, private_allowed: bool
) -> str | None:
    """Fetch; the new address of a redirect, or None when the file is there."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise FetchFailed("The address leads to something that is no web page", "Mend it.")
    connection = _connection(parts, private_allowed)
    with contextlib.closing(connection), _no_longer_than(deadline, connection):
        path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
        query = f"?{quote(parts.query, safe='/%:@!$&()*+,;=~-._?')}" if parts.query else ""
        connection.request("GET", path + query, headers=_HEADERS)
        answer = connection.getresponse()
        if answer.status in _REDIRECTS and (moved := answer.getheader("Location")):
            return moved
        if answer.status != 200:
            raise FetchFailed(f"The server answered {answer.status}", "Try it in a browser.")
        said = answer.getheader("Content-Length", "")
        if said.isdecimal() and int(said) > max_bytes:
            raise _too_large(max_bytes)
        got = _save(answer, target, deadline, max_bytes)
        if said.isdecimal() and got < int(said):
            raise FetchFailed("The connection broke off before the end", "Check again.")
    return None


@contextlib.contextmanager
def _no_longer_than(deadline: float, connection: _Pinned | _PinnedHTTPS) -> Iterator[None]:
    """Cut the connection at the deadline, wherever it stands: a server that sends a byte now and
    then, in its headers too, never meets the time-out of a single read."""
    timer = threading.Timer(max(0.0, deadline - time.monotonic()), connection.cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _save(answer: http.client.HTTPResponse, target: Path, deadline: float, max_bytes: int) -> int:
    got = 0
    with target.open("wb") as out:
        while chunk := answer.read1(_CHUNK):
            got += len(chunk)
            if got > max_bytes:
                raise _too_large(max_bytes)
            out.write(chunk)
    if time.monotonic() >= deadline:  # cut, which looks like an end
        raise _too_slow()
    return got


def _connection(parts: SplitResult, private_allowed: bool) -> _Pinned | _PinnedHTTPS:
    """A connection to an address of the host that may be asked."""
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not private_allowed and not all(_is_public(address) for address in addresses):
        raise FetchFailed(
            "The address leads into a private network, which is not fetched from",
            "Bring the file in a ZIP.",
        )
    if parts.scheme == "https":
        return _PinnedHTTPS(host, port, addresses)
    return _Pinned(host, port, addresses)


def _is_public(address: str) -> bool:
    ip = ipaddress.ip_address(address.partition("%")[0])
    # An IPv6 address may carry an IPv4 one inside.
    inner = getattr(ip, "ipv4_mapped", None) or getattr(ip, "sixtofour", None)
    teredo = getattr(ip, "teredo", None)
    if ip.version == 6 and ip in _NAT64:
        inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return (
        ip.is_global
        and not ip.is_multicast
        and (inner is None or inner.is_global)
        and (teredo is None or teredo[1].is_global)
    )


class _Cuttable:
    """A connection to one of the addresses that were judged, which another thread can cut."""

    _plain: socket.socket | None = None

    def reach(self, addresses: list[str], port: int) -> socket.socket:
        """The first of a host's addresses that answers."""
        failure = OSError("the host has no address")
        for address in addresses[:MAX_ADDRESSES]:
            try:
                plain = socket.create_connection((address, port), CONNECT_SECONDS)
            except OSError as error:
                failure = error
            else:
                # A second handle: the first one is given up to TLS.
                self._plain = plain.dup()
                return plain
        raise failure

    def cut(self) -> None:
        if self._plain is not None:
            with contextlib.suppress(OSError):  # closed already
                self._plain.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        super().close()  # type: ignore[misc]
        if self._plain is not None:
            self._plain.close()


class _Pinned(_Cuttable, http.client.HTTPConnection):
    def __init__(self, host: str, port: int, addresses: list[str]) -> None:
        super().__init__(host, port, timeout=CONNECT_SECONDS)
        self._addresses = addresses

    def connect(self) -> None:
        self.sock = self.reach(self._addresses, self.port)


class _PinnedHTTPS(_Cuttable, http.client.HTTPSConnection):
    def __init__(self, host: str, port: int, addresses: list[str]) -> None:
        self._tls = ssl.create_default_context()
        super().__init__(host, port, timeout=CONNECT_SECONDS, context=self._tls)
        self._addresses = addresses

    def connect(self) -> None:
        plain = self.reach(self._addresses, self.port)
        self.sock = self._tls.wrap_socket(plain, server_hostname=self.host)


def _too_slow() -> FetchFailed:
    return FetchFailed(
        f"It took longer than {TOTAL_SECONDS:.0f} seconds", "Bring the file in a ZIP."
    )


def _too_large(max_bytes: int) -> FetchFailed:
    return FetchFailed(
        f"The file is larger than {max_bytes // 2**20} MB", "Make it smaller, and check again."
    )
