"""Programs that sign in with a token, and a worker that works when it is told to."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from accounts.models import User
from accounts.tokens import make_token
from studies.importing import work
from studies.models import ImportUpload, Study
from tests.studies.people import a_researcher


@pytest.fixture(autouse=True)
def _uploads_in_a_scratch_folder(settings, tmp_path):
    settings.VAR_DIR = tmp_path / "var"


@pytest.fixture(autouse=True)
def _nobody_has_asked_yet():
    """Brakes count in the cache."""
    cache.clear()


def signed_in(user: User) -> APIClient:
    """A client with a token of its own."""
    client = APIClient()
    number = user.api_tokens.count() + 1
    _, text = make_token(user=user, name=f"test {number}")
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return client


@pytest.fixture
def mira(db) -> User:
    """A researcher with the rights of one, and nothing more."""
    return a_researcher("mira")


@pytest.fixture
def api(mira) -> APIClient:
    return signed_in(mira)


@pytest.fixture
def study(mira) -> Study:
    return Study.objects.create(
        owner=mira, title="Greetings", slug="greetings", public_title="Pictures"
    )


@pytest.fixture
def mine(draft_study, mira) -> Study:
    """The draft that lacks nothing but its launch, owned by the one who asks."""
    draft_study.owner = mira
    draft_study.save()
    return draft_study


def let_the_worker_work() -> None:
    """Until nothing waits: a check that was confirmed ahead leaves something to write."""
    waiting = ImportUpload.objects.filter(heartbeat_at=None, state__in=["checking", "writing"])
    while pks := list(waiting.values_list("pk", flat=True)):
        for pk in pks:
            work.run_import(pk)


def problem(response, kind: str, status: int) -> dict:
    """The problem document of a refusal, its outside checked."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    data = response.json()
    assert (data["type"], data["status"]) == (f"urn:concord:problem:{kind}", status)
    assert data["detail"]
    return data
