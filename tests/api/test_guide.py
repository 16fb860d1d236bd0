"""What docs/api.md shows works as it stands there."""

from __future__ import annotations

import functools
import http.server
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.db import connection

from accounts.tokens import make_token
from studies.models import Study
from tests.api.conftest import let_the_worker_work
from tests.importing.conftest import png
from tests.studies.people import a_researcher

pytestmark = pytest.mark.django_db(transaction=True)
GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "api.md").read_text("utf-8")


def blocks(language: str, heading: str) -> list[str]:
    section = GUIDE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


@pytest.fixture
def worker():
    """One that works beside the site."""
    over = threading.Event()

    def work() -> None:
        while not over.wait(0.1):
            let_the_worker_work()
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    over.set()
    thread.join()


@pytest.fixture
def folder(tmp_path) -> Path:
    made = tmp_path / "media-of-the-guide"
    made.mkdir()
    for name, colour in (("np-1.png", "red"), ("in-1.png", "green")):
        (made / name).write_bytes(png(colour))
    return made


@pytest.fixture
def media(folder):
    """The folder at an address."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def environment(live_server, settings) -> dict[str, str]:
    settings.SITE_URL = live_server.url
    _, token = make_token(user=a_researcher("mira"), name="guide")
    return {"CONCORD": live_server.url, "TOKEN": token, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


def test_the_python_of_the_guide_makes_and_launches_a_study(environment, worker, media, settings):
    settings.IMPORT_FROM_PRIVATE_ADDRESSES = True
    (script,) = blocks("python", "The same in Python")
    told = subprocess.run(
        [sys.executable, "-c", script],
        env=environment | {"MEDIA": media},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert "items done {'created': 2, 'updated': 0, 'unchanged': 0, 'refused': 0}" in told.stdout
    study = Study.objects.get()
    assert (study.state, study.preset, study.items.count()) == ("live", "cultivate", 2), told.stdout
    assert study.entry_link in told.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_curl_of_the_guide_makes_and_launches_a_study(environment, worker, folder):
    (table,) = blocks("csv", "A study with curl")
    (folder / "items.csv").write_text(table)
    make, panels, items, descriptors, launch = blocks("sh", "A study with curl")
    done = '"state":"done"'
    one = f"until concord $STUDY/imports/ | grep -q '{done}'; do sleep 0.1; done\n"
    both = one.replace(done, f"{done}.*{done}")
    told = subprocess.run(
        ["bash", "-c", make + panels + items + one + descriptors + both + launch],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    study = Study.objects.get()
    assert study.state == "live", told.stdout[-3000:]
    assert study.contact == "Ana, ana@example.org"
    assert set(study.items.values_list("external_id", flat=True)) == {"np-1", "in-1"}
