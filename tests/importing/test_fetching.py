"""Media by address: once, bounded, and never from inside the network."""

from __future__ import annotations

import contextlib
import http.server
import socket
import ssl
import threading
from functools import partial

import pytest

from studies.importing import fetching
from studies.importing.fetching import FetchFailed, fetch
from tests.importing.conftest import png

# Made for this test alone, for 127.0.0.1; it opens nothing.
SELF_SIGNED = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkUC4Xn9XilCZrO0A
JtSIYuMXRqYKW4pUcujFDQ/b8YWhRANCAARH+dHxDkCGo0fohIoSiXulYSHbX3Di
mrtIP7orooOgShlLWnF4wfzsj/zfnFlQjlJuUq3ys9MqRBEs9s2WW9C8
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBlzCCATygAwIBAgIUflyKcR0kOiYytzD9cKOqD7DROoMwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMc2VsZi5leGFtcGxlMCAXDTI2MTEzMDAyNTY0N1oYDzIxMjYx
MTA2MDI1NjQ3WjAXMRUwEwYDVQQDDAxzZWxmLmV4YW1wbGUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAARH+dHxDkCGo0fohIoSiXulYSHbX3DimrtIP7orooOgShlL
WnF4wfzsj/zfnFlQjlJuUq3ys9MqRBEs9s2WW9C8o2QwYjAdBgNVHQ4EFgQUB6lw
6reQ7++h3nvXWhWQVHrJLAQwHwYDVR0jBBgwFoAUB6lw6reQ7++h3nvXWhWQVHrJ
LAQwDwYDVR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMC
A0kAMEYCIQDMrNnJ13lFds/RAYwX03rKIBtL4xWuy36hosMPlDuwWgIhAJ5SoGcy
8hSInIxIerL8yjTVeQEtT3EmidEv2D+PPWGU
-----END CERTIFICATE-----
"""


class _Site(http.server.BaseHTTPRequestHandler):
    """Serves what ``pages`` says: path -> (status, headers, body)."""

    def __init__(self, *args, pages, asked, **kwargs):
        self.pages, self.asked = pages, asked
        super().__init__(*args, **kwargs)

    def do_GET(self):
        self.asked.append(self.path)
        status, headers, body = self.pages.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        """Quiet."""


@pytest.fixture
def site():
    """A web site on this machine: a dictionary of pages, with ``address`` and ``asked``."""

    class Pages(dict):
        address = ""
        asked: list[str]

    pages = Pages()
    pages.asked = []
    handler = partial(_Site, pages=pages, asked=pages.asked)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    pages.address = f"http://127.0.0.1:{server.server_port}"
    yield pages
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_file_is_fetched_whole(site, tmp_path):
    site["/a.png"] = (200, {}, png())
    fetch(f"{site.address}/a.png", tmp_path / "a", max_bytes=10_000, private_allowed=True)
    assert (tmp_path / "a").read_bytes() == png()


def test_redirects_are_followed_and_bounded(site, tmp_path):
    site["/a.png"] = (302, {"Location": "/b.png"}, b"")
    site["/b.png"] = (200, {}, b"here")
    fetch(f"{site.address}/a.png", tmp_path / "a", max_bytes=99, private_allowed=True)
    assert (tmp_path / "a").read_bytes() == b"here"
    site["/b.png"] = (302, {"Location": "/a.png"}, b"")
    with pytest.raises(FetchFailed, match="More than 5 redirects"):
        fetch(f"{site.address}/a.png", tmp_path / "a", max_bytes=99, private_allowed=True)


@pytest.mark.parametrize("headers", [{}, {"Content-Length": "1000"}])
def test_more_than_allowed_is_not_read(site, tmp_path, headers):
    site["/a"] = (200, headers, b"x" * 1000)
    with pytest.raises(FetchFailed, match="larger than"):
        fetch(f"{site.address}/a", tmp_path / "a", max_bytes=100, private_allowed=True)


def test_a_connection_that_breaks_off_is_named(site, tmp_path):
    site["/a"] = (200, {"Content-Length": "1000"}, b"x" * 10)
    with pytest.raises(FetchFailed, match="broke off|does not answer"):
        fetch(f"{site.address}/a", tmp_path / "a", max_bytes=5000, private_allowed=True)


def test_another_answer_than_200_is_named(site, tmp_path):
    with pytest.raises(FetchFailed, match="answered 404"):
        fetch(f"{site.address}/none", tmp_path / "a", max_bytes=100, private_allowed=True)


def test_what_takes_too_long_is_given_up(site, tmp_path, monkeypatch):
    monkeypatch.setattr(fetching, "TOTAL_SECONDS", -1.0)
    site["/a"] = (200, {}, b"x")
    with pytest.raises(FetchFailed, match="took longer"):
        fetch(f"{site.address}/a", tmp_path / "a", max_bytes=100, private_allowed=True)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.9",
        "172.16.0.1",
        "169.254.169.254",
        "0.0.0.0",
        "100.64.0.1",
        "::1",
        "fe80::1",
        "fd00::1",
        "::ffff:10.0.0.1",
        "2002:7f00:1::",
        "64:ff9b::7f00:1",
        "224.0.0.1",
    ],
)
def test_private_addresses_are_refused(tmp_path, monkeypatch, address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    answer = [(family, socket.SOCK_STREAM, 6, "", (address, 80))]
    monkeypatch.setattr(fetching.socket, "getaddrinfo", lambda *args, **kwargs: answer)
    with pytest.raises(FetchFailed, match="private network"):
        fetch("http://innocent.example/a.png", tmp_path / "a", max_bytes=100)


def test_a_host_with_one_private_address_among_public_ones_is_refused(tmp_path, monkeypatch):
    answer = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80))
        for address in ("93.184.216.34", "127.0.0.1")
    ]
    monkeypatch.setattr(fetching.socket, "getaddrinfo", lambda *args, **kwargs: answer)
    with pytest.raises(FetchFailed, match="private network"):
        fetch("http://innocent.example/a.png", tmp_path / "a", max_bytes=100)


def test_a_redirect_into_the_network_is_refused(site, tmp_path, monkeypatch):
    site["/a"] = (302, {"Location": "http://inside.example/secret"}, b"")
    real = socket.getaddrinfo

    def look_up(host, port, *args, **kwargs):
        inside = host == "inside.example"
        return real("127.0.0.1" if inside else host, port, *args, **kwargs)

    judged = []
    monkeypatch.setattr(fetching.socket, "getaddrinfo", look_up)
    monkeypatch.setattr(
        fetching, "_is_public", lambda ip: len(judged) == 0 and not judged.append(ip)
    )
    with pytest.raises(FetchFailed, match="private network"):
        fetch(f"{site.address}/a", tmp_path / "a", max_bytes=100)
    assert site.asked == ["/a"]


def test_the_connection_goes_to_the_address_that_was_judged(site, tmp_path, monkeypatch):
    """A name that is looked up a second time may lead elsewhere: it is looked up once."""
    asked = []
    real = socket.getaddrinfo

    def look_up(host, port, *args, **kwargs):
        if host == "site.example":
            asked.append(host)
            host = "127.0.0.1"
        return real(host, port, *args, **kwargs)

    monkeypatch.setattr(fetching.socket, "getaddrinfo", look_up)
    site["/a"] = (200, {}, b"here")
    port = site.address.rpartition(":")[2]
    fetch(f"http://site.example:{port}/a", tmp_path / "a", max_bytes=9, private_allowed=True)
    assert asked == ["site.example"]


@pytest.mark.parametrize("moved", ["file:///etc/passwd", "ftp://x.org/a", "//"])
def test_a_redirect_to_another_kind_of_address_is_refused(site, tmp_path, moved):
    site["/a"] = (302, {"Location": moved}, b"")
    with pytest.raises(FetchFailed):
        fetch(f"{site.address}/a", tmp_path / "a", max_bytes=100, private_allowed=True)


@pytest.fixture
def trickling():
    """A server that never ends: it sends one byte of its headers every 50 ms."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        stopped = threading.Event()

        def serve():
            connection, _ = listening.accept()
            with connection:
                try:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
                    while not stopped.wait(0.05):
                        connection.sendall(b"x")
                except OSError:
                    return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/a"
        stopped.set()
        thread.join()


def test_a_server_that_sends_a_byte_now_and_then_is_cut_off(trickling, tmp_path, monkeypatch):
    monkeypatch.setattr(fetching, "TOTAL_SECONDS", 0.5)
    with pytest.raises(FetchFailed, match="took longer"):
        fetch(trickling, tmp_path / "a", max_bytes=100, private_allowed=True)


def test_the_next_address_of_a_host_is_tried_where_the_first_does_not_answer(
    site, tmp_path, monkeypatch
):
    site["/a"] = (200, {}, b"here")
    port = int(site.address.rpartition(":")[2])
    with socket.socket() as closed:
        closed.bind(("127.0.0.2", port))  # bound, and nobody listens
        answer = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in ("127.0.0.2", "127.0.0.1")
        ]
        monkeypatch.setattr(fetching.socket, "getaddrinfo", lambda *args, **kwargs: answer)
        monkeypatch.setattr(
            fetching.socket,
            "create_connection",
            lambda address, timeout: _connected(address, timeout),
        )
        fetch(f"http://site.example:{port}/a", tmp_path / "a", max_bytes=9, private_allowed=True)
    assert (tmp_path / "a").read_bytes() == b"here"


def _connected(address, timeout):
    """Without a look-up, which the test has replaced."""
    reached = socket.socket()
    reached.settimeout(timeout)
    reached.connect(address)
    return reached


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path):
    (tmp_path / "own.pem").write_text(SELF_SIGNED)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "own.pem")

    def serve():
        connection, _ = listening.accept()
        with connection, contextlib.suppress(OSError), tls.wrap_socket(connection, True) as safe:
            safe.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}/a"
        with pytest.raises(FetchFailed, match="does not answer .*certificate"):
            fetch(url, tmp_path / "a", max_bytes=100, private_allowed=True)
        thread.join()
