"""What a metric leaves out of a question: as many on its list as the page counts, each with why."""

import re

import pytest

from scoring.analysis.compute import analyse
from scoring.models import ReportSnapshot, Score
from scoring.reports import left_out_page
from studies.models import Item
from tests.scoring.report_study import (
    a_question,
    a_rater,
    a_researcher,
    a_run,
    a_study,
    an_item,
    rate,
)

URL = "/studies/weddings/report/"
PAGE = f"{URL}metrics/"
ALIGN = f"{PAGE}faithfulness/ahead-ahead_align/left-out/"


@pytest.fixture
def study(db):
    """Ten items a country, of which the last is unrated; of the scores some are undefined, and one
    item is not in the run."""
    study = a_study(owner=a_researcher())
    asked = a_question(study, "faithfulness")
    scores = {"ahead_align": {}, "ahead_hal": {}}
    for country in ("NP", "IR"):
        people = [a_rater(study, f"{country}-{n}", country=country) for n in (1, 2)]
        for number in range(10):
            item = an_item(
                study, f"{country}{number}", country=country, system=("Lantern", "Moth")[number % 2]
            )
            scores["ahead_hal"][item] = number / 10
            if number != 4:
                undefined = number < (3 if country == "NP" else 1)
                scores["ahead_align"][item] = None if undefined else (number * 3 % 7) / 7
            for place, person in enumerate(people if number < 9 else ()):
                rate(person, item, {asked: 1 + (number + place * number) % 5})
    a_run(study, scores)
    return study


@pytest.fixture
def ready(opened):
    """The report on everything is finished."""
    opened(PAGE)
    opened(PAGE)


def listed(response) -> list[tuple[str, str]]:
    """[(item, reason)] of a page of the list."""
    body = response.content.decode()
    table = body[body.index("<tbody>") : body.index("</tbody>")] if "<tbody>" in body else ""
    rows = re.findall(r"<bdi>(.*?)</bdi>.*?<td>([^<]*)</td>\s*</tr>", table, flags=re.S)
    return [(name, reason) for name, reason in rows]


def links_of(response) -> dict[str, int]:
    """{address of a list: the count that leads to it} on the page on metrics against people."""
    body = response.content.decode()
    found = re.findall(r'<a class="leads" href="([^"]*)">([\d,]+)<', body)
    return {address.replace("&amp;", "&"): int(n.replace(",", "")) for address, n in found}


@pytest.mark.parametrize("query", ["", "panel=NP", "system=Lantern", "panel=IR&system=Moth"])
def test_the_list_has_as_many_items_as_the_page_counts(opened, query):
    opened(f"{PAGE}?{query}")
    counted = links_of(opened(f"{PAGE}?{query}"))
    assert any(ALIGN in address for address in counted)
    for address, n in counted.items():
        assert len(listed(opened(address))) == n
    (snapshot,) = ReportSnapshot.objects.filter(selection=query)
    for question in snapshot.report["against"]["questions"]:
        for row in question["rows"]:
            n = sum(part["items"] for part in row["left_out"])
            assert n == sum(len(part["item"]) for part in row["left_out"])
            assert not n or n in counted.values()


def test_counted_and_left_out_together_are_all_items(study):
    (question,) = analyse(study, replicates=0).against.questions
    for row in question.rows:
        pooled = row.level("pooled", "spearman").correlation
        assert pooled.n_items + sum(part.items for part in row.left_out) == 20


def test_each_item_says_why_it_is_left_out_and_leads_to_its_page(opened, ready):
    response = opened(ALIGN)
    sentences = {
        part["reason"]: part["sentence"]
        for row in ReportSnapshot.objects.get().report["against"]["questions"][0]["rows"]
        for part in row["left_out"]
    }
    why = dict(listed(response))
    undefined, unrated = sentences["no_prediction"], "No counted rating yet."
    absent = "The item was not part of the metric&#x27;s run."
    assert why == {
        **dict.fromkeys(["NP0", "NP1", "NP2", "IR0"], undefined),
        **dict.fromkeys(["NP4", "IR4"], absent),
        **dict.fromkeys(["NP9", "IR9"], unrated),
    }
    body = response.content.decode()
    for item in Item.objects.filter(external_id__in=why):
        assert f'href="/admin/studies/item/{item.pk}/change/"' in body
    assert "8 of 20\u00a0items could not be paired." in body


def test_the_list_leads_back_to_what_the_page_showed(opened, ready):
    query = "question=faithfulness&level=pooled"
    (address, *_) = links_of(opened(f"{PAGE}?{query}"))
    assert address.endswith(f"?{query}")
    body = opened(address).content.decode()
    assert f'href="{PAGE}?{query.replace("&", "&amp;")}"' in body


def test_nothing_left_out_is_a_plain_zero(opened, study):
    for number, country in ((9, "NP"), (9, "IR")):
        item = study.items.get(external_id=f"{country}{number}")
        rate(a_rater(study, f"{country}-late", country=country), item, {study.questions.get(): 2})
    opened(PAGE)
    addresses = links_of(opened(PAGE))
    assert len(addresses) == 1
    assert "ahead_align" in next(iter(addresses))


def test_of_very_many_the_first_are_stored_and_all_are_counted(opened, monkeypatch):
    monkeypatch.setattr("scoring.analysis.against.MOST_LISTED", 2)
    opened(PAGE)
    assert links_of(opened(PAGE))[ALIGN] == 8
    response = opened(ALIGN)
    assert len(listed(response)) == 6
    said = "8 of 20\u00a0items could not be paired. The first 6 are listed."
    assert said in response.content.decode()


def test_long_lists_have_pages(opened, ready, monkeypatch):
    monkeypatch.setattr(left_out_page, "UNITS_A_PAGE", 5)
    first, second = opened(ALIGN), opened(f"{ALIGN}?page=2")
    assert 'rel="next" href="?page=2"' in first.content.decode()
    names = [name for page in (first, second) for name, _ in listed(page)]
    assert (len(names), len(set(names))) == (8, 8)


def test_an_item_that_was_deleted_since_is_named_without_a_link(opened, ready, study):
    (item,) = Item.objects.filter(external_id="NP9")
    number = item.pk
    Score.objects.filter(item=item).delete()
    item.units.all().delete()
    item.delete()
    body = opened(ALIGN).content.decode()
    assert f"/item/{number}/" not in body
    assert re.search(r"<bdi>NP9</bdi> <span[^>]*>deleted since", body)


def test_what_the_report_has_not_is_not_found(opened, ready):
    for address in (
        f"{PAGE}realism/ahead-ahead_align/left-out/",
        f"{PAGE}faithfulness/clip/left-out/",
        f"{ALIGN}?panel=FR",
        f"{ALIGN}?level=country",
    ):
        assert opened(address).status_code == 404


def test_before_there_is_a_report_the_list_leads_to_the_page_that_makes_one(opened):
    response = opened(f"{ALIGN}?panel=NP")
    assert (response.status_code, response["Location"]) == (302, f"{PAGE}?panel=NP")


def test_a_page_of_the_list_takes_few_queries(opened, ready, django_assert_max_num_queries):
    with django_assert_max_num_queries(45):
        opened(ALIGN)


def test_a_stranger_learns_nothing_of_the_items(client, study):
    client.force_login(a_researcher("stranger"))
    assert client.get(ALIGN).status_code == 404
