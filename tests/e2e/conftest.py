"""A real browser on the live server, and a real Celery worker beside it."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.db import connection

from annotation.models import Assignment, Participation
from studies.lifecycle import launch_study
from studies.models import Item, Question, ScalePoint, Study
from tests.annotation.people import somebody
from tests.conftest import add_likert, picture

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 15_000  # milliseconds: a busy machine draws and plays slowly
SCREENSHOTS = os.environ.get("SCREENSHOTS")  # a folder: pictures of every step, to be looked at


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.keywords and CHROMIUM is None:
            item.add_marker(pytest.mark.skip(reason="NO CHROMIUM: BROWSER TESTS WERE NOT RUN"))


@pytest.fixture(scope="session")
def browser():
    # Playwright's loop runs in this thread, which Django takes for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


class Console:
    """What the browser complained about. ``expect`` names what a test provokes on purpose."""

    # Chromium reports every 422 as an error; to us it is a refused form, which we test.
    REFUSED_FORM = r"422 \(Unprocessable"
    DROPPED = ["htmx:afterRequest", "htmx:sendAbort"]

    def __init__(self):
        self.complaints: list[str] = []
        self.expected = [self.REFUSED_FORM]

    def expect(self, pattern: str) -> None:
        self.expected.append(pattern)

    def hear(self, page) -> None:
        page.on("console", self._message)
        page.on("pageerror", self._error)

    def turn_away(self, page) -> None:
        page.remove_listener("console", self._message)
        page.remove_listener("pageerror", self._error)

    def _message(self, message) -> None:
        if message.type != "error":
            return
        self.complaints.append(message.text)
        # A page that is left while it asks for its progress drops the request.
        if [text.partition(",")[0] for text in self.complaints[-2:]] == self.DROPPED:
            del self.complaints[-2:]

    def _error(self, error) -> None:
        self.complaints.append(str(error))

    def verdict(self) -> list[str]:
        return [text for text in self.complaints if not re.search("|".join(self.expected), text)]


@pytest.fixture
def console():
    heard = Console()
    yield heard
    assert heard.verdict() == [], "the browser complained"


@pytest.fixture
def open_page(browser, console):
    """``open_page(width, height)``: a page in a browser of its own. Its console errors fail."""
    contexts = []

    def opened(width: int = 1440, height: int = 900, **options):
        context = browser.new_context(
            viewport={"width": width, "height": height}, locale="en-GB", **options
        )
        contexts.append(context)
        context.on("page", console.hear)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        return page

    yield opened
    for context in contexts:
        context.close()
    if contexts:
        time.sleep(0.1)  # the drafts of pages that were just left come in before the data go


@dataclass
class Seat:
    """One person before the rating screen: their page, and what the database knows of them."""

    page: object
    person: Participation
    link: str

    def sit_down(self) -> "Seat":
        """Open the personal link, and wait until keys are taken: not in the first 300 ms."""
        self.page.goto(self.link)
        self.settle()
        return self

    def settle(self) -> None:
        self.page.wait_for_timeout(350)

    def question(self, key: str) -> Question:
        return Question.objects.get(study=self.person.study, key=key)

    def card(self, key: str):
        return self.page.locator(f"#q_{self.question(key).pk}")

    def point(self, key: str, value: int):
        return self.card(key).locator(f"input[value='{value}']")

    def answer(self, value: int = 2) -> None:
        """Choose one point on every line of the screen."""
        for card in self.page.locator("[data-card=likert]").all():
            card.locator(f"input[value='{value}']").check()

    def press_next(self) -> None:
        self.page.locator("[data-next]").click()

    def screen(self, n: int) -> Assignment:
        return self.person.assignments.get(n=n)

    def values(self, n: int) -> list[int]:
        """The points that are saved for the n-th screen, in the order of the questions."""
        rows = self.screen(n).ratings.filter(value__isnull=False).order_by("question__position")
        return list(rows.values_list("value", flat=True))

    def n_sent(self) -> int:
        return self.person.assignments.filter(submitted_at__isnull=False).count()

    def wait_until(self, holds: Callable[[], object]) -> None:
        """Wait for the server to have done something that the page does not show."""
        for _ in range(100):
            if holds():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError("it did not happen within 5 s")


@pytest.fixture
def seat(live_server, open_page):
    """``seat(study, width, height)``: somebody who has come as far as the first picture."""

    def taken(study: Study, width: int = 1440, height: int = 900, **options) -> Seat:
        person = somebody(study)
        page = open_page(width, height, **options)
        return Seat(page, person, f"{live_server.url}/a/{person.token}/")

    return taken


@pytest.fixture
def long_draft(draft_study) -> Study:
    """A draft with 4 lines and a rationale below a big picture."""
    add_likert(draft_study, "stereotypes", direction="lower")
    Question.objects.filter(study=draft_study, key="rationale").update(position=9)
    for item in Item.objects.filter(study=draft_study):
        item.media.save("large.png", ContentFile(picture("teal", (1024, 768))), save=False)
        item.width, item.height = 1024, 768
        item.save()
    return draft_study


@pytest.fixture
def long_study(long_draft, researcher) -> Study:
    launch_study(study=long_draft, by=researcher)
    long_draft.refresh_from_db()
    return long_draft


@pytest.fixture
def full_study(long_draft, researcher) -> Study:
    """A live study that uses what the pages have: the full consent, meanings of points too."""
    long_draft.consent_text = "Who we are.\n\nWhat we keep, and for how long."
    long_draft.save()
    for point in ScalePoint.objects.filter(question__key="faithfulness"):
        point.description = f"This is what {point.label.lower()} means here."
        point.save()
    launch_study(study=long_draft, by=researcher)
    long_draft.refresh_from_db()
    return long_draft


@pytest.fixture
def look():
    """``look(page, "name")``: a picture of the whole page, where SCREENSHOTS names a folder."""

    def looked(page, name: str, *, full_page: bool = True) -> None:
        if SCREENSHOTS:
            Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=f"{SCREENSHOTS}/{name}.png", full_page=full_page, caret="initial")

    return looked


@pytest.fixture
def worker():
    """A Celery worker on the test database and the embedded queue."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        url = f"sqlite:///{database['NAME']}"
    else:
        url = (
            f"postgres://{database['USER']}:{database['PASSWORD']}@"
            f"{database['HOST']}:{database['PORT']}/{database['NAME']}"
        )
    from config.serve import worker_command

    process = subprocess.Popen(
        worker_command(),
        cwd=ROOT,
        env=os.environ
        | {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": url,
            "VAR_DIR": str(settings.VAR_DIR),
            "MEDIA_ROOT": str(settings.MEDIA_ROOT),
            "SITE_URL": "http://127.0.0.1",
        },
    )
    time.sleep(0.5)
    assert process.poll() is None, "the worker did not start"
    yield process
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
