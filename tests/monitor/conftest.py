import pytest

from annotation.assignment import claim_next_unit
from annotation.models import Participation
from tests.annotation.people import send, somebody


@pytest.fixture
def rated(live_study):
    """``rated(3)``: somebody who has sent three screens and waits before the fourth."""

    def by(n: int, value: int = 2) -> Participation:
        person = somebody(live_study)
        for _ in range(n):
            send(live_study, claim_next_unit(participation=person), value)
        claim_next_unit(participation=person)
        person.refresh_from_db()
        return person

    return by


@pytest.fixture
def signed_in(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def address(live_study):
    """``address("people/")``: below the study's."""
    return lambda rest="": f"/studies/{live_study.slug}/{rest}"
