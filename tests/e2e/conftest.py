"""A real browser on the live server, and a real Celery worker beside it."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

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
SCREENSHOTS = os.environ.get("SCREENSHOTS")  # a folder: pictures of every step, to be looked at


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.keywords and CHROMIUM is None:
            item.add_marker(pytest.mark.skip(reason="NO CHROMIUM: BROWSER TESTS WERE NOT RUN"))


@pytest.fixture(scope="session")
def browser():
    # Playwright's loop runs in this thread, which Django takes for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def open_page(browser):
    """``open_page(width, height)``: a page in a browser of its own. Its console errors fail."""
    contexts, complaints = [], []

    def complain(kind: str, text: str) -> None:
        # Chromium reports every 422 as an error; to us it is a refused form, which we test.
        if kind == "error" and "422 (Unprocessable" not in text:
            complaints.append(text)

    def opened(width: int = 1440, height: int = 900, **options):
        context = browser.new_context(
            viewport={"width": width, "height": height}, locale="en-GB", **options
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: complain(message.type, message.text))
        page.on("pageerror", lambda error: complain("error", str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == [], "the browser complained"


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
