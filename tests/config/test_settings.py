"""The environment configures the site; what cannot work is refused in a sentence."""

import json
import os
import subprocess
import sys

import pytest
from django.conf import settings as tested

READ = """
import json, config.settings as s
names = ["ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE",
         "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS", "DEBUG", "SITE_URL", "SECURE_SITE"]
print(json.dumps({n: getattr(s, n) for n in names}
      | {"proxy": getattr(s, "SECURE_PROXY_SSL_HEADER", None),
         "engine": s.DATABASES["default"]["ENGINE"], "media": str(s.MEDIA_ROOT)}))
"""


def run(tmp_path, *command: str, **environment: str) -> subprocess.CompletedProcess:
    kept = {"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path)}
    return subprocess.run(
        [sys.executable, *command],
        cwd=tested.BASE_DIR,
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def read(tmp_path, **environment: str) -> dict:
    done = run(tmp_path, "-c", READ, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_without_environment_it_is_an_embedded_site(tmp_path):
    found = read(tmp_path)
    assert found["engine"].endswith("sqlite3")
    assert (found["DEBUG"], found["SECURE_SITE"], found["proxy"]) == (False, False, None)
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600


def test_https_makes_it_a_production_site(tmp_path):
    found = read(
        tmp_path,
        SITE_URL="https://concord.example.org/",
        SECRET_KEY="k" * 60,
        ALLOWED_HOSTS="a.example.org, b.example.org,",
        DATABASE_URL="postgres://u:p%40@db/concord",
        BEHIND_PROXY="1",
        MEDIA_ROOT="media",
    )
    assert found["ALLOWED_HOSTS"] == ["concord.example.org", "a.example.org", "b.example.org"]
    assert found["CSRF_TRUSTED_ORIGINS"] == ["https://concord.example.org"]
    assert found["SESSION_COOKIE_SECURE"] and found["CSRF_COOKIE_SECURE"]
    assert found["SECURE_SSL_REDIRECT"] and found["SECURE_HSTS_SECONDS"] > 0
    assert found["proxy"] == ["HTTP_X_FORWARDED_PROTO", "https"]
    assert found["engine"].endswith("postgresql")
    assert os.path.isabs(found["media"])


def test_a_production_site_passes_the_deployment_check(tmp_path):
    key = "a-long-key-of-many-different-letters-0123456789-ABCDEFGHIJKLMN-xyz"
    command = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    done = run(tmp_path, *command, SITE_URL="https://concord.example.org", SECRET_KEY=key)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"SITE_URL": "concord.example.org"}, "write it like https://concord.example.org"),
        ({"SITE_URL": "https://"}, "write it like https://concord.example.org"),
        ({"SITE_URL": "https://a.org/concord"}, "without a path"),
        ({"SITE_URL": "https://a.org:port"}, "write it like https://concord.example.org"),
        ({"SITE_URL": "https://a.org"}, "SECRET_KEY is not set."),
        ({"DEBUG": "maybe"}, "DEBUG is 'maybe'; write 1 or 0."),
        ({"DATABASE_URL": "nonsense"}, "write it like postgres://"),
        ({"DATABASE_URL": "mysql://u:p@h/n"}, "names no database that is known here"),
        ({"DATABASE_URL": "postgres://u:p@h:x/n"}, "DATABASE_URL cannot be read"),
        ({"CELERY_BROKER_URL": "redis"}, "write it like redis://host/0"),
        ({"LOG_LEVEL": "loud"}, "LOG_LEVEL is 'LOUD'; write one of DEBUG, INFO"),
    ],
)
def test_a_setting_that_cannot_work_is_refused_in_words(tmp_path, environment, words):
    done = run(tmp_path, "-c", "import config.settings", **environment)
    assert done.returncode == 1
    assert words in done.stderr.strip().splitlines()[-1]
    assert "u:p@" not in done.stderr


@pytest.mark.parametrize("port", ["many", "0", "70000", "-1"])
def test_a_port_that_is_none_is_refused_in_words(tmp_path, port):
    done = run(tmp_path, "-m", "config.serve", PORT=port)
    assert done.returncode == 1
    assert done.stderr == f"PORT is {port!r}; write a number like 8000.\n"
