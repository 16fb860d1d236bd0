"""All units by disagreement: listed from the stored report, some a page."""

import re

import numpy as np
import pytest

from scoring.analysis import disputed_units
from scoring.analysis.compute import analyse
from scoring.reports import units_page
from tests.scoring.report_study import (
    a_question,
    a_rater,
    a_researcher,
    a_study,
    an_item,
    rate,
)

URL = "/studies/weddings/report/"
UNITS = f"{URL}agreement/faithfulness/units/"
N = 30


@pytest.fixture
def study(db):
    """Thirty items rated by two people in Nepal, one more by a single person; one pair in Iran."""
    study = a_study(owner=a_researcher())
    asked = a_question(study, "faithfulness")
    first, second = (a_rater(study, f"NP-{n}", country="NP") for n in (1, 2))
    for number in range(N):
        item = an_item(study, f"n{number:02}", country="NP", system=("Lantern", "Moth")[number % 2])
        rate(first, item, {asked: 1 + number % 5})
        rate(second, item, {asked: 1 + (number * 3 + 1) % 5})
    rate(first, an_item(study, "alone", country="NP"), {asked: 3})
    shown = an_item(study, "i0", country="IR", system="Moth")
    for code in (1, 2):
        rate(a_rater(study, f"IR-{code}", country="IR"), shown, {asked: 4})
    return study


def names_in(response) -> list[str]:
    return re.findall(r"<p><a [^>]*><bdi>(.*?)</bdi>", response.content.decode())


def expected_order():
    """[(name, mean squared difference)] the greatest first, as the units were made."""
    apart = {
        f"n{number:02}": float((number % 5 - (number * 3 + 1) % 5) ** 2) for number in range(N)
    } | {"i0": 0.0}
    return sorted(apart.values(), reverse=True), apart


def test_every_unit_that_two_people_judged_is_in_order(study):
    order = analyse(study, replicates=0).disputes.questions[0].order
    figures, apart = expected_order()
    assert order.n_units == len(order.name) == N + 1
    assert order.n_alone == 1
    assert list(order.figure) == figures
    assert dict(zip(order.name, order.figure, strict=True)) == apart
    place = order.name.index("i0")
    assert (order.said[place], order.n_answers[place]) == (("4 \u00d7 2",), 2)
    place = order.name.index("n01")
    assert order.said[place] == ("2", "5")


def test_the_first_of_the_order_are_the_units_with_what_each_person_said(study):
    disputes = analyse(study, replicates=0).disputes.questions[0]
    assert [unit.name for unit in disputes.units] == list(disputes.order.name[:12])
    assert [unit.figure for unit in disputes.units] == list(disputes.order.figure[:12])


def test_of_very_many_units_the_first_are_listed_and_all_are_counted(study, monkeypatch):
    monkeypatch.setattr(disputed_units, "MOST_LISTED", 5)
    report = analyse(study, replicates=0)
    order = report.disputes.questions[0].order
    assert (order.n_units, len(order.name)) == (N + 1, 5)
    listing = units_page.unit_listing(report, "faithfulness", "1", lambda ids: {})
    assert "The first 5 of 31\u00a0units are listed." in listing.basis
    assert listing.page.paginator.count == 5


def test_agreement_leads_to_all_units_and_pages_go_through_every_one(opened):
    opened(f"{URL}agreement/")
    body = opened(f"{URL}agreement/").content.decode()
    assert f'href="{UNITS}">All 31\u00a0units</a>' in body
    first, second = opened(UNITS), opened(f"{UNITS}?page=2")
    assert (len(names_in(first)), len(names_in(second))) == (24, 7)
    figures, apart = expected_order()
    found = [apart[name] for name in (*names_in(first), *names_in(second))]
    assert found == figures
    assert "1 to 24 of 31" in first.content.decode()
    assert 'rel="next" href="?page=2"' in first.content.decode()
    assert "squared difference of two answers" in first.content.decode()
    assert "1\u00a0unit has a single answer" in first.content.decode()


def test_figures_and_answers_of_a_unit_are_those_of_the_report(opened):
    opened(f"{URL}agreement/")
    body = opened(UNITS).content.decode()
    card = body[body.index("<bdi>n04</bdi>") :]
    card = re.sub(r"<[^>]+>", " ", card[: card.index("</li>")])
    words = " ".join(card.split())
    assert words == f"n04 disagreement {np.var([5, 4], ddof=1) * 2:.2f} 4 5"


def test_the_list_is_of_the_chosen_data(opened):
    opened(f"{URL}agreement/?system=Moth")
    body = opened(f"{URL}agreement/?system=Moth").content.decode()
    assert f'href="{UNITS}?system=Moth">All 16\u00a0units</a>' in body
    listed = opened(f"{UNITS}?system=Moth")
    assert len(names_in(listed)) == 16
    assert "Model: Moth" in listed.content.decode()
    assert f'href="{URL}agreement/?system=Moth#q-faithfulness"' in listed.content.decode()


def test_before_there_is_a_report_the_list_leads_to_the_page_that_makes_one(opened):
    response = opened(f"{UNITS}?system=Moth")
    assert (response.status_code, response["Location"]) == (302, f"{URL}agreement/?system=Moth")


def test_a_question_that_the_report_has_not_is_not_found(opened):
    opened(f"{URL}agreement/")
    assert opened(f"{URL}agreement/novelty/units/").status_code == 404
    assert opened(f"{UNITS}?system=Kite").status_code == 404


def test_a_page_beyond_the_last_is_the_last(opened):
    opened(f"{URL}agreement/")
    assert len(names_in(opened(f"{UNITS}?page=99"))) == 7
    assert len(names_in(opened(f"{UNITS}?page=last"))) == 24


def test_a_page_of_units_takes_few_queries(opened, django_assert_max_num_queries):
    opened(f"{URL}agreement/")
    opened(f"{URL}agreement/")
    with django_assert_max_num_queries(35):
        opened(UNITS)


def test_a_stranger_learns_nothing_of_the_units(client, study):
    client.force_login(a_researcher("stranger"))
    assert client.get(UNITS).status_code == 404
