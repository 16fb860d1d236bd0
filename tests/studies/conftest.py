"""A draft of somebody who is a researcher and nothing more, and the browser they are signed in."""

import pytest

from tests.studies.people import a_researcher


@pytest.fixture
def study(draft_study):
    draft_study.owner = a_researcher("olga")
    draft_study.save()
    return draft_study


@pytest.fixture
def olga(client, study):
    client.force_login(study.owner)
    return client
