"""The description of the API: complete, valid, with an example of every refusal, and readable."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from api.problems import KINDS
from tests.api.conftest import problem

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
TYPES = {kind.type: kind for kind in KINDS.values()}


@pytest.fixture(scope="module")
def schema() -> dict:
    return SchemaGenerator().get_schema(request=None, public=True)


@pytest.fixture(scope="module")
def operations(schema) -> dict[str, dict]:
    return {
        f"{method} {path}": operation
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    }


def test_the_schema_is_valid_and_made_without_a_warning(schema):
    validate_schema(schema)
    command = [sys.executable, "manage.py", "spectacular", "--validate", "--fail-on-warn"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith("openapi: 3.")


def test_every_endpoint_says_what_it_does_and_what_it_refuses(operations):
    assert len(operations) >= 26
    for name, operation in operations.items():
        assert operation["summary"], name
        codes = set(operation["responses"])
        assert {"401", "403", "429"} <= codes, name
        assert ("404" in codes) == ("{" in name), name
        if "requestBody" in operation:
            assert {"400", "415", "422"} <= codes, name


def test_every_refusal_has_an_example_of_its_kind(operations):
    seen = set()
    for name, operation in operations.items():
        for code, response in operation["responses"].items():
            if int(code) < 400:
                continue
            body = response["content"]["application/problem+json"]
            assert body["examples"], f"{name} {code}"
            for example in body["examples"].values():
                value = example["value"]
                assert TYPES[value["type"]].status == value["status"] == int(code)
                assert value["detail"]
                seen.add(TYPES[value["type"]].name)
    # The two others are the server's own: no endpoint is meant by them.
    assert seen == KINDS.keys() - {"method", "not-acceptable"}


def test_every_body_has_an_example(operations):
    without = [
        name
        for name, operation in operations.items()
        if "requestBody" in operation
        and "examples" not in operation["requestBody"]["content"]["application/json"]
    ]
    assert without == []


def test_no_address_of_the_api_is_left_out(schema):
    from api.urls import urlpatterns

    own = {row.name for row in urlpatterns} - {"schema", "nowhere"}
    assert len(schema["paths"]) == len(own)


def test_the_schema_is_served_to_those_who_may_use_the_api(api, client):
    problem(client.get("/api/v1/schema/"), "not-signed-in", 401)
    response = api.get("/api/v1/schema/")
    assert response.status_code == 200
    assert response.json()["info"]["title"] == "Concord"


def test_the_documentation_asks_for_a_sign_in_and_loosens_the_policy_for_styles_only(mira):
    assert Client().get("/api/v1/docs/").status_code == 302
    browser = Client()
    browser.force_login(mira)
    response = browser.get("/api/v1/docs/")
    policy = response["Content-Security-Policy"]
    assert "style-src 'self' 'unsafe-inline'" in policy
    assert "img-src 'self' data:" in policy
    assert "script-src 'self'" in [part.strip() for part in policy.split(";")]
    page = response.content.decode()
    assert "<script>" not in page
    assert "https://" not in page
    script = browser.get("/api/v1/docs/?script=")
    assert script["Content-Type"].startswith("application/javascript")
    assert "/api/v1/schema/" in script.content.decode()


def test_only_the_documentation_has_an_exception_from_the_policy():
    users = [
        str(path.relative_to(ROOT))
        for folder in ("accounts", "annotation", "api", "config", "demo", "scoring", "studies")
        for path in (ROOT / folder).rglob("*.py")
        if "csp.decorators" in path.read_text()
    ]
    assert users == ["config/csp_views.py"]
