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
from config.settings import ALLOWED_HOSTS, DATABASES, STATIC_ROOT, STORAGES, VAR_DIR  # noqa: E402

STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # whitenoise looks there
ALLOWED_HOSTS = [*ALLOWED_HOSTS, "testserver"]
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Real concurrent connections need a file.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
    # The suite's data need not survive a power cut.
    DATABASES["default"]["OPTIONS"]["init_command"] = (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
    )
