"""A report on one model: answers that compare the items of a unit stay whole, model by model."""

from __future__ import annotations

import pytest

from scoring.analysis.compute import analyse
from scoring.analysis.selection import Selection
from tests.scoring.every_kind_study import SYSTEMS, every_kind_study
from tests.scoring.report_study import a_researcher

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def reports(django_db_setup, django_db_blocker):
    """(the report on everything, that on one model)."""
    from django.db import transaction

    with django_db_blocker.unblock():
        block = transaction.atomic()
        block.__enter__()
        try:
            study = every_kind_study(a_researcher())
            chosen = Selection(system="Moth")
            yield analyse(study, replicates=0), analyse(study, selection=chosen, replicates=0)
        finally:
            transaction.set_rollback(True)
            block.__exit__(None, None, None)


def of(report, key):
    return next(one for one in report.questions if one.key == key)


def test_marks_of_other_models_are_not_taken_for_marks_of_the_chosen_one(reports):
    whole, moth = (of(report, "accuracy").systems for report in reports)
    assert [one.system for one in whole] != []
    assert moth == whole
    assert len({one.summary.mean for one in whole}) > 1


def test_sets_are_compared_by_model_whatever_is_chosen(reports):
    whole, moth = (of(report, "accuracy").groups[0].coefficients for report in reports)
    assert [one.coefficient for one in whole] == ["average_pairwise_jaccard", "krippendorff_alpha"]
    assert [one.value for one in moth] == [one.value for one in whole]


def test_rankings_keep_the_names_of_the_models(reports):
    whole, moth = (report.scores.rankings[0] for report in reports)
    assert {row.name for row in whole.rows} == set(SYSTEMS)
    assert not moth.named_by_place
    assert moth.rows == whole.rows


def test_answers_about_a_unit_as_a_whole_are_of_no_single_model(reports):
    whole, moth = (of(report, "relevance").systems for report in reports)
    assert whole == moth == ()
