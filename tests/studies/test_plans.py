"""The analysis plan: fixed with a date, changed only with a record."""

from __future__ import annotations

import html

import pytest

from scoring.analysis.planned import LEVELS, METHODS
from scoring.stats.coefficients import COEFFICIENTS as KNOWN
from studies.lifecycle import launch_study
from studies.models.plan import COEFFICIENTS, CORRELATION_LEVELS, CORRELATIONS
from studies.plans import PlanFixed, change_plan, fix_plan, plan_of
from studies.refusals import WrongState

pytestmark = pytest.mark.django_db


@pytest.fixture
def planned(draft_study, researcher):
    change_plan(
        study=draft_study,
        by=researcher,
        coefficients=["krippendorff_alpha"],
        targets={"HAL": ["hallucination"]},
    )
    return draft_study


def test_a_plan_is_fixed_with_date_and_name(planned, researcher):
    plan = fix_plan(study=planned, by=researcher)
    assert plan.is_fixed
    assert plan.fixed_by == researcher


def test_fixing_it_again_keeps_the_first_date(planned, researcher):
    first = fix_plan(study=planned, by=researcher).fixed_at
    assert fix_plan(study=planned, by=researcher).fixed_at == first


def test_an_empty_plan_cannot_be_fixed(draft_study, researcher):
    with pytest.raises(WrongState, match="names no agreement coefficient"):
        fix_plan(study=draft_study, by=researcher)


def test_a_fixed_plan_changes_with_a_reason_only(planned, researcher):
    fix_plan(study=planned, by=researcher)
    with pytest.raises(PlanFixed, match="Say why you change it"):
        change_plan(study=planned, by=researcher, coefficients=["gwet_ac2"])
    assert plan_of(planned).coefficients == ["krippendorff_alpha"]
    assert plan_of(planned).is_fixed


def test_a_change_opens_the_plan_and_is_recorded(planned, researcher):
    fixed_at = fix_plan(study=planned, by=researcher).fixed_at
    change_plan(study=planned, by=researcher, reason="A reviewer asked.", coefficients=["gwet_ac2"])
    plan = plan_of(planned)
    assert not plan.is_fixed
    (record,) = plan.history
    assert record["was"] == {"coefficients": ["krippendorff_alpha"]}
    assert (record["by"], record["reason"]) == ("ana", "A reviewer asked.")
    assert (record["state"], record["fixed_at"]) == ("draft", fixed_at.isoformat())
    assert not plan.changed_after_opening


def test_a_change_after_the_launch_is_told_for_good(planned, researcher):
    fix_plan(study=planned, by=researcher)
    launch_study(study=planned, by=researcher)
    change_plan(study=planned, by=researcher, reason="Late.", rescaled=True)
    fix_plan(study=planned, by=researcher)
    assert plan_of(planned).changed_after_opening


def test_the_same_values_are_no_change(planned, researcher):
    fix_plan(study=planned, by=researcher)
    change_plan(study=planned, by=researcher, coefficients=["krippendorff_alpha"])
    assert plan_of(planned).is_fixed
    assert plan_of(planned).history == []


def test_a_field_that_no_plan_has_is_refused(planned, researcher):
    with pytest.raises(TypeError, match="fixed_at"):
        change_plan(study=planned, by=researcher, fixed_at=None)


# ---- names that an analysis knows


def test_what_a_plan_can_name_is_what_the_analysis_knows():
    assert set(CORRELATION_LEVELS) <= set(LEVELS)
    assert set(CORRELATIONS) <= set(METHODS)
    assert set(KNOWN) <= set(COEFFICIENTS)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"coefficients": "krippendorf_alpha"}, "Did you mean krippendorff_alpha?"),
        ({"correlations": "spearman\nkendall_tau_c"}, "“kendall_tau_c” is not known"),
        ({"correlation_level": "within country and averaged"}, "Select a valid choice"),
    ],
)
def test_a_name_that_an_analysis_would_pass_over_is_refused(client, planned, values, words):
    client.force_login(planned.owner)
    data = {
        "coefficients": "krippendorff_alpha",
        "aggregation": "mean",
        "correlations": "spearman",
        "correlation_level": "within-country",
    }
    address = f"/admin/studies/study/{planned.pk}/plan/"
    answer = client.post(address, data | values)
    assert answer.status_code == 422
    assert words in html.unescape(answer.content.decode())
    assert client.post(address, data).status_code == 302
    assert plan_of(planned).correlation_level == "within-country"


def test_a_level_written_before_there_was_a_choice_stays_and_says_what_it_counts_as(
    client, planned
):
    change_plan(study=planned, by=planned.owner, correlation_level="by country")
    client.force_login(planned.owner)
    page = client.get(f"/admin/studies/study/{planned.pk}/plan/").content.decode()
    assert "by country: not known, taken over all items" in page
