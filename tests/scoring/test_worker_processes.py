"""Worker processes over a Redis of their own share a run, and one of them is killed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
N_ITEMS, CHUNK = 40, 5
DEADLINE = 240.0  # seconds after which a test gives up

pytestmark = [
    pytest.mark.database,
    pytest.mark.skipif(
        shutil.which("redis-server") is None, reason="redis-server is not installed"
    ),
]


class Site:
    """A scratch site: its environment, its processes, and rows of its database."""

    def __init__(self, folder: Path, database: str, port: int) -> None:
        self.folder = folder
        self.database = database
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.worker_settings",
            "VAR_DIR": str(folder),
            "DATABASE_URL": database,
            "SECRET_KEY": "of a test",
            "CELERY_BROKER_URL": f"redis://127.0.0.1:{port}/0",
            "WORKER_FOLDER": str(folder),
            "WORKER_CHUNK": str(CHUNK),
            "WORKER_STALE": "3600",  # however slow the machine is, nobody is thought lost by chance
        }

    def make(self) -> int:
        """Tables, a study and a run that waits for workers; the run's id."""
        made = subprocess.run(
            [sys.executable, "-m", "tests.worker_site", str(N_ITEMS)],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
        )
        assert made.returncode == 0, made.stderr
        return int(made.stdout)

    def worker(self, name: str) -> subprocess.Popen[bytes]:
        words = "worker -c 1 --prefetch-multiplier 1 --without-gossip --without-mingle"
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "tests.worker_site", *words.split()]
                + ["--without-heartbeat", "-n", f"{name}@localhost"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def rows(self, sql: str) -> list[tuple]:
        if self.database.startswith("sqlite"):
            path = self.database.removeprefix("sqlite:///")
            with closing(sqlite3.connect(path, timeout=60)) as connection, connection:
                return connection.execute(sql).fetchall()
        import psycopg

        with psycopg.connect(self.database) as connection:
            return connection.execute(sql).fetchall()

    def age_the_chunk_with(self, item: str) -> None:
        """As if its worker had not been heard of for a day."""
        heard = datetime.now(UTC) - timedelta(days=1)
        [aged] = self.rows(
            f"UPDATE scoring_runchunk SET heartbeat_at = '{heard:%Y-%m-%d %H:%M:%S.%f}' "
            f"WHERE REPLACE(REPLACE(REPLACE(CAST(items AS TEXT), '[', ','), ']', ','), ' ', '') "
            f"LIKE '%,{item},%' RETURNING id"
        )
        assert aged

    def scored(self) -> list[tuple[str, str]]:
        """(process, item) of every item, in the order of scoring."""
        return [tuple(line.split()) for line in (self.folder / "log").read_text().splitlines()]

    def wait_for(self, what: str, is_so) -> None:
        until = time.monotonic() + DEADLINE
        while not is_so():
            if time.monotonic() > until:
                logs = "\n".join(log.read_text() for log in self.folder.glob("*.log"))
                pytest.fail(f"Waited for {what}.\n{logs}")
            time.sleep(0.1)

    def state_at_the_end(self, run: int) -> str:
        sql = f"SELECT state FROM scoring_metricrun WHERE id = {run}"
        under_way = {"queued", "running"}
        self.wait_for("the end of the run", lambda: self.rows(sql)[0][0] not in under_way)
        return self.rows(sql)[0][0]


@pytest.fixture
def broker(tmp_path) -> Iterator[int]:
    """The port of a Redis that keeps nothing."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    server = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
        + ["--appendonly", "no", "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_for_port(port)
        yield port
    finally:
        server.terminate()
        server.wait(timeout=20)


def _wait_for_port(port: int) -> None:
    until = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


@pytest.fixture
def database(tmp_path) -> Iterator[str]:
    """A file of its own, or a database of its own on the PostgreSQL that the suite runs on."""
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith("postgres"):
        yield f"sqlite:///{tmp_path / 'site.sqlite3'}"
        return
    import psycopg

    name = f"workers_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def site(tmp_path, database, broker) -> Site:
    return Site(tmp_path, database, broker)


@pytest.fixture
def workers() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Filled by a test; none outlives it."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for worker in started:
        if worker.poll() is None:
            worker.kill()
        worker.wait(timeout=20)


def scores_an_item(site: Site, run: int) -> list[tuple[int, int]]:
    """How many items have how many scores."""
    of_items = f"SELECT COUNT(*) AS n FROM scoring_score WHERE run_id = {run} GROUP BY item_id"
    return site.rows(f"SELECT n, COUNT(*) FROM ({of_items}) AS counted GROUP BY n")


def test_two_processes_share_a_run_and_score_every_item_once(site, workers):
    run = site.make()
    workers += [site.worker("first"), site.worker("second")]
    assert site.state_at_the_end(run) == "done"
    scored = site.scored()
    assert len(scored) == N_ITEMS
    assert len({item for _, item in scored}) == N_ITEMS
    assert {process for process, _ in scored} == {str(worker.pid) for worker in workers}
    assert scores_an_item(site, run) == [(1, N_ITEMS)]


def test_a_run_ends_complete_when_one_of_its_processes_is_killed(site, workers):
    (site.folder / "hold").touch()
    run = site.make()
    workers += [site.worker("first"), site.worker("second")]
    site.wait_for("both in their second chunk", lambda: len(list(site.folder.glob("held-*"))) == 2)
    victim = workers[0]
    lost = [item for process, item in site.scored() if process == str(victim.pid)][CHUNK:]
    os.kill(victim.pid, signal.SIGKILL)
    victim.wait(timeout=60)
    site.age_the_chunk_with(lost[0])
    (site.folder / "hold").unlink()
    assert site.state_at_the_end(run) == "done"
    assert scores_an_item(site, run) == [(1, N_ITEMS)]
    times = Counter(item for _, item in site.scored())
    assert len(times) == N_ITEMS
    assert {item for item, n in times.items() if n > 1} == set(lost)
    assert len(lost) == 2, "of the chunk that it was killed in; the first chunk stays"
