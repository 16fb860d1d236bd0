"""Exclusions in the report: what is left out, and every number with and without it."""

from __future__ import annotations

import csv
import io

import pytest

from annotation.quality.exclusions import exclude
from annotation.ratings import Layer, rating_table
from scoring.analysis.codec import from_json, to_json
from scoring.analysis.compute import analyse
from scoring.reports.sensitivity_page import sections
from scoring.stats.agreement import Coefficient
from scoring.stats.bootstrap import bootstrap_agreement
from scoring.stats.counts import code_ratings
from scoring.stats.scale import declare_scale
from studies.lifecycle import launch_study
from studies.models import QualityRule
from tests.annotation.people import rate_all, somebody

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated(live_study):
    """Three people; the third answers everything with 5."""
    people = [somebody(live_study) for _ in range(3)]
    for number, person in enumerate(people):
        _rate(live_study, person, number)
    return people


def _rate(study, person, number):
    from annotation.assignment import claim_next_unit
    from tests.annotation.people import send

    while (assignment := claim_next_unit(participation=person)) is not None:
        value = 5 if number == 2 else 1 + (assignment.n * (2 + number) + assignment.unit_id) % 4
        send(study, assignment, value)


def alpha(study, layer: Layer):
    table = rating_table(study, layer)
    asked = table.question == 0
    scale = declare_scale(level="ordinal", categories=[1, 2, 3, 4, 5])
    ratings = code_ratings(
        unit=table.unit[asked],
        rater=table.rater[asked],
        category=table.value[asked] - 1,
        scale=scale,
    )
    (result,) = bootstrap_agreement(
        ratings=ratings,
        coefficients=[Coefficient("krippendorff_alpha", "ordinal")],
        replicates=0,
        seed=1,
    )
    return result.value


def test_without_exclusions_there_are_no_layers(live_study, rated):
    report = analyse(live_study, replicates=0)
    assert (report.layers, report.exclusions, report.rules) == ((), (), ())
    numbers, left_out = sections(report, {})
    assert numbers.finding == "Nothing is left out."
    assert (numbers.tables, left_out.tables) == ((), ())


def test_each_layer_has_the_numbers_of_its_own_ratings(live_study, rated):
    exclude(participation=rated[2], reason="All alike.", rule="straight", reopen=False)
    exclude(
        participation=rated[0],
        assignment=rated[0].assignments.get(n=1),
        reason="A slip.",
        reopen=False,
    )
    report = from_json(to_json(analyse(live_study, replicates=0)))
    assert [layer.layer for layer in report.layers] == ["all", "after-rules", "after-all"]
    assert [layer.ratings for layer in report.layers] == [18, 12, 11]
    assert [layer.raters for layer in report.layers] == [3, 2, 2]
    for layer in report.layers:
        assert layer.answers[0].alpha.value == alpha(live_study, Layer(layer.layer))
    assert report.layers[2].answers[0].alpha.value == report.questions[0].groups[0].alpha.value
    assert report.data.ratings == 11
    assert len({layer.answers[0].alpha.value for layer in report.layers}) == 3


def test_a_rating_that_is_left_out_twice_is_counted_once(live_study, rated):
    person = rated[2]
    first = person.assignments.get(n=1)
    exclude(participation=person, assignment=first, reason="A slip.", reopen=False)
    exclude(participation=person, reason="All alike.", rule="straight", reopen=False)
    report = analyse(live_study, replicates=0)
    left = report.overview.left_out
    assert (left.ratings_by_rule, left.ratings_by_hand) == (6, 0)
    assert left.ratings_by_rule + report.data.ratings == report.layers[0].ratings


def test_the_page_says_who_is_left_out_by_what_and_why(live_study, rated):
    QualityRule.objects.create(study=live_study, kind="straight", threshold=0.9, action="exclude")
    exclude(participation=rated[2], reason="All alike.", rule="straight")
    numbers, left_out = sections(analyse(live_study, replicates=0), {})
    row = [cell.replace("\xa0", " ") for cell in left_out.tables[0].rows[0].cells]
    assert row[:4] == [
        rated[2].code,
        "all answers, 6 ratings",
        "rule: Same answer throughout",
        "All alike.",
    ]
    assert row[5] == "given to others"
    heads = [column.title.replace("\xa0", " ") for column in numbers.tables[0].columns]
    assert heads[2] == "Without exclusions (18 ratings, 3 annotators)"
    assert heads[4] == "After all (12 ratings, 2 annotators)"
    assert left_out.points == (
        "Same answer throughout: excludes from 90 % of the answers on; declared after ratings had "
        "begun",
    )


def test_a_rule_that_stood_before_the_first_rating_is_said_to(draft_study, researcher):
    QualityRule.objects.create(study=draft_study, kind="checks", threshold=2)
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    rate_all(draft_study, somebody(draft_study))
    report = analyse(draft_study, replicates=0)
    assert [(rule.kind, rule.in_time) for rule in report.rules] == [("checks", True)]
    numbers, left_out = sections(report, {})
    assert numbers.tables == ()
    assert "declared before the first rating" in left_out.points[0]


def test_the_csv_leaves_out_what_is_excluded_unless_it_is_asked_for(client, live_study, rated):
    exclude(participation=rated[2], reason="All alike.", rule="straight")
    client.force_login(live_study.owner)

    def rows(query=""):
        reply = client.get(f"/studies/weddings/export/ratings.csv{query}")
        return list(csv.DictReader(io.StringIO(reply.getvalue().decode())))

    assert {row["rater"] for row in rows()} == {rated[0].code, rated[1].code}
    everything = rows("?layer=all")
    assert {row["excluded"] for row in everything if row["rater"] == rated[2].code} == {"rule"}
    assert {row["excluded"] for row in everything if row["rater"] != rated[2].code} == {""}
    assert {row["rater"] for row in rows("?layer=after-rules")} == {rated[0].code, rated[1].code}
    assert client.get("/studies/weddings/export/ratings.csv?layer=some").status_code == 404
