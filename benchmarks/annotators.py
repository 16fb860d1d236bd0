"""Annotators on raw sockets: they answer each screen as soon as they have it, or after a think.

Just enough HTTP/1.1 for the servers here, because a client shares the processors with the server:
this one takes a sixth of a millisecond a request, a usual library several times that.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode


@dataclass
class Tally:
    """What the annotators saw: seconds of each POST, and how many screens were acknowledged."""

    times: list[float] = field(default_factory=list)
    counting: bool = False
    drafts: int = 0
    acknowledged: int = 0
    reply_bytes: int = 0
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Seen:
    """``server`` and ``client`` are processor time in seconds."""

    tally: Tally
    seconds: float
    server: float
    client: float


class Browser:
    """One connection that keeps the cookie: just enough HTTP/1.1 for this server."""

    def __init__(self, port: int):
        self.port, self.cookie = port, ""
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, address: str, fields: dict | None = None):
        """Status, headers and body as text; opens the connection anew where it was closed."""
        body = urlencode(fields).encode() if fields is not None else b""
        head = f"{method} {address} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        if self.cookie:
            head += f"Cookie: {self.cookie}\r\n"
        if fields is not None:
            head += "HX-Request: true\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            head += f"Content-Length: {len(body)}\r\n"
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(f"{head}\r\n".encode() + body)
        try:
            raw = await self.reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            self.writer.close()
            self.writer = None
            return await self.ask(method, address, fields)
        return await self._reply(raw.decode("latin-1"))

    async def _reply(self, raw: str):
        first, *lines = raw.split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
            value = value.strip()
            if value.startswith("csrftoken="):
                self.cookie = value.split(";")[0]
        text = await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection", "") == "close" and self.writer is not None:
            self.writer.close()
            self.writer = None
        return int(first.split(" ")[1]), headers, text.decode()


async def first_screen(port: int, token: str) -> tuple[Browser, str]:
    """Somebody who has opened their first page, and that page."""
    browser = Browser(port)
    address, page = f"/a/{token}/now/", ""
    while not page:
        status, headers, page = await browser.ask("GET", address)
        if status in (301, 302):
            address, page = headers["location"], ""
    return browser, page


async def rate(
    browser: Browser, page: str, tally: Tally, until: float, think: float, drafts: bool
) -> None:
    """One person: read a screen, think, perhaps save a draft, send, and so on to the code."""
    if think:
        await asyncio.sleep(random.uniform(0, think))
    while time.monotonic() < until:
        fields, address = answers(page)
        if not fields:
            return
        if think:
            await asyncio.sleep(think * random.uniform(0.7, 1.3))
        if drafts:
            await browser.ask("POST", f"{address}draft/", fields | {"counter": "1"})
            tally.drafts += 1
        start = time.monotonic()
        status, headers, page = await browser.ask("POST", address, fields)
        if status != 200:
            tally.failures.append(f"{status} {address}")
            return
        tally.acknowledged += 1
        tally.reply_bytes = max(tally.reply_bytes, len(page.encode()))
        if tally.counting:
            tally.times.append(time.monotonic() - start)


_HIDDEN = re.compile(r'type="hidden" name="([^"]+)" value="([^"]*)"')
_RADIO = re.compile(r'type="radio" name="([^"]+)" value="([^"]+)"')
_ACTION = re.compile(r'id="answers" method="post" action="([^"]+)"')


def answers(page: str) -> tuple[dict[str, str], str]:
    """Every scale answered (a line with a number to choose too), and where to send it."""
    action = _ACTION.search(page)
    if action is None:
        return {}, ""
    form = page[action.start() : page.index("</form>", action.start())]
    scales: dict[str, list[str]] = {}
    for name, value in _RADIO.findall(form):
        scales.setdefault(name, []).append(value)
    chosen = {name: random.choice(values) for name, values in scales.items()}
    return {**dict(_HIDDEN.findall(form)), **chosen}, action[1]


def processor_seconds(process: subprocess.Popen) -> float:
    """Of the server and its workers."""
    tick, used = os.sysconf("SC_CLK_TCK"), 0.0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if process.pid in (int(folder.name), int(fields[1])):
            used += (int(fields[11]) + int(fields[12])) / tick
    return used


async def measure(
    arguments: argparse.Namespace, port: int, tokens: list[str], process: subprocess.Popen
) -> Seen:
    """What was seen, without the warm-up."""
    tally = Tally()
    # A server that is asked for the first time loads half of itself: that is not rating.
    arrived = [await first_screen(port, token) for token in tokens]
    until = time.monotonic() + arguments.warm_up + arguments.seconds
    people = [
        asyncio.create_task(rate(browser, page, tally, until, arguments.think, arguments.drafts))
        for browser, page in arrived
    ]
    await asyncio.sleep(arguments.warm_up)
    start, before, own = time.monotonic(), processor_seconds(process), time.process_time()
    tally.counting, tally.drafts = True, 0
    await asyncio.sleep(max(until - time.monotonic(), 0))
    seconds, used = time.monotonic() - start, processor_seconds(process) - before
    own = time.process_time() - own
    tally.counting = False
    await asyncio.gather(*people)
    return Seen(tally, seconds, used, own)


def wait_for(port: int) -> None:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("The web server did not start.")
