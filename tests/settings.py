"""Settings for the test suite: the product's own, on a test database, static files unhashed."""

import os
import tempfile
from pathlib import Path

_scratch = (
    Path(tempfile.gettempdir())
    / f"concord-tests-{os.environ.get('PYTEST_XDIST_WORKER', os.getpid())}"
)
os.environ.setdefault("VAR_DIR", str(_scratch))
os.environ["SITE_URL"] = "http://testserver"

from config.settings import *  # noqa: E402, F403
from config.settings import (  # noqa: E402
    ALLOWED_HOSTS,
    DATABASES,
    INSTALLED_APPS,
    STATIC_ROOT,
    STORAGES,
    VAR_DIR,
)

STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # whitenoise looks there
ALLOWED_HOSTS = [*ALLOWED_HOSTS, "testserver"]
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# The live server of the tests serves static files only where the app goes by its own name.
INSTALLED_APPS = [
    "django.contrib.staticfiles" if app == "config.static_files.UsedStaticFiles" else app
    for app in INSTALLED_APPS
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Real concurrent connections need a file.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
    # The suite's data need not survive a power cut.
    DATABASES["default"]["OPTIONS"]["init_command"] = (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
    )
