"""Wherever people of the demo stand, it is said that nobody gave these ratings."""

import pytest

from annotation.models import Participation
from annotation.quality.exclusions import exclude
from annotation.quality.review import review
from tests.annotation.people import rate_all, somebody

pytestmark = pytest.mark.django_db


@pytest.fixture
def simulated(client, live_study):
    person = somebody(live_study)
    rate_all(live_study, person)
    Participation.objects.filter(pk=person.pk).update(simulated=True)
    person.flags.create(kind="fast", sentence="6 of 6 screens were very fast.")
    client.force_login(live_study.owner)
    return person


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/people/",
        "/find/?q=NP-01",
        "/studies/weddings/monitor/",
        "/studies/weddings/monitor/panels/",
        "/studies/weddings/people/",
        "/studies/weddings/people/NP-01/",
        "/studies/weddings/people/NP-01/exclude/",
        "/studies/weddings/people/NP-01/units/2/exclude/",
        "/studies/weddings/quality/",
        "/studies/weddings/quality/disagreements/",
        "/needs/",
    ],
)
def test_a_page_on_simulated_people_says_so(client, simulated, address):
    assert ">Simulated" in client.get(address).content.decode()


def test_an_exclusion_of_one_does_too(client, live_study, simulated):
    review(live_study)
    exclude(participation=simulated, reason="Made up.")
    page = client.get("/studies/weddings/quality/").content.decode()
    assert ">Simulated<" in page.split('id="excluded-head"')[1]


def test_people_who_are_real_are_not_marked(client, live_study, simulated):
    Participation.objects.update(simulated=False)
    for address in ("/people/", "/studies/weddings/quality/", "/studies/weddings/monitor/"):
        assert "Simulated" not in client.get(address).content.decode(), address
