"""Every number of a report a second time, by other software, on a study of random answers.

The answers come in by the verbs that the annotators' pages call: places are leased, screens sent,
skipped, or sent too late. What is expected is read from the tables by pandas.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from io import StringIO

import krippendorff
import numpy as np
import pandas as pd
import pytest
from django.core.management import call_command
from scipy.stats import spearmanr

from annotation.answers import Answers
from annotation.assignment import claim_next_unit, ensure_places
from annotation.kinds import Given
from annotation.models import Participation, Rating
from annotation.responding import skip_unit, submit_unit
from scoring.analysis.compute import analyse
from scoring.exports.catalogue import export_file
from scoring.exports.options import Options
from scoring.exports.streaming import text_of
from scoring.models import Score
from studies.design import current_design
from studies.models import DesignRevision, Item
from tests.scoring.report_study import (
    a_question,
    a_rater,
    a_researcher,
    a_run,
    a_study,
    an_item,
)

PANELS = ("NP", "IR")


@pytest.fixture
def study(db):
    rng = random.Random(42)
    study = a_study(owner=a_researcher(), countries=PANELS)
    questions = [
        a_question(study, "faithfulness"),
        a_question(study, "exaggeration", direction="lower", labels="abcdefg"),
    ]
    items = [
        an_item(
            study,
            f"item-{number}",
            country=("NP", "IR", "")[number % 3],
            system=("Lantern", "Moth", "")[number % 4 % 3],
            origin="real" if number % 4 == 2 else "generated",
            prompt=f"prompt {number // 2}",
        )
        for number in range(54)
    ]
    DesignRevision.objects.create(
        study=study, number=study.revision, design=current_design(study).to_json()
    )
    study.panels.update(ratings_per_unit=3)
    for panel in study.panels.all():
        ensure_places(panel=panel)
        for number in range(7):
            person = a_rater(
                study, f"{panel.country}-{number}", country=panel.country, simulated=number == 6
            )
            Participation.objects.filter(pk=person.pk).update(n_units=14)
            _work(person, questions, rng)
    a_run(
        study,
        {
            "ahead_align": {
                item: None if number % 9 == 4 else rng.choice((0.0, 0.25, 0.5, 0.75, 1.0))
                for number, item in enumerate(items[:-3])
            }
        },
    )
    return study


def _work(person, questions, rng):
    """A person's session: some screens skipped, some sent after their unit was filled."""
    while (screen := claim_next_unit(participation=person)) is not None:
        if rng.random() < 0.15:
            skip_unit(assignment=screen, reason="other")
            continue
        values = {
            question.pk: rng.randint(1, question.points.count())
            for question in questions
            if rng.random() < 0.9
        } or {questions[0].pk: 1}
        item = screen.unit.items.get().pk
        answers = Answers([Given(pk, item=item, value=value) for pk, value in values.items()])
        if rng.random() < 0.1:
            person.places.filter(unit=screen.unit, state="leased").update(
                state="open", holder=None, leased_until=None
            )
            screen.unit.places.filter(panel=person.panel, state="open").delete()
        submit_unit(assignment=screen, key=screen.key, answers=answers, check=None)


@pytest.fixture
def answers(study):
    rows = Rating.objects.filter(assignment__participation__study=study, value__isnull=False)
    names = {
        "question__key": "question",
        "item__external_id": "item",
        "item__system__name": "system",
        "item__origin": "origin",
        "assignment__participation__code": "rater",
        "assignment__participation__panel__country": "panel",
        "assignment__participation__simulated": "simulated",
        "assignment__counted": "counted",
        "assignment": "screen",
        "value": "value",
    }
    return pd.DataFrame(rows.values(*names)).rename(columns=names)


def groups(answers):
    return {"all": answers} | {code: answers[answers.panel == code] for code in PANELS}


def alpha(answers, points):
    wide = answers.pivot(index="rater", columns="item", values="value")
    return krippendorff.alpha(
        wide.to_numpy(float), level_of_measurement="ordinal", value_domain=range(1, points + 1)
    )


def same_point(answers):
    by_item = [group.to_numpy() for _, group in answers.groupby("item").value if len(group) > 1]
    return np.mean(
        [
            sum(n * (n - 1) for n in Counter(values).values()) / (len(values) * (len(values) - 1))
            for values in by_item
        ]
    )


def test_the_study_holds_what_makes_it_hard(answers):
    assert set(answers.counted) == {True, False}
    assert answers.simulated.any()
    counted = answers[answers.counted]
    both = counted.groupby("item").panel.nunique()
    assert (both == 2).any(), "some items are rated by both panels"
    assert counted.groupby(["item", "question"]).size().min() == 1


def test_the_facts_are_those_of_the_tables(study, answers):
    report = analyse(study, replicates=0)
    counted = answers[answers.counted]
    facts = report.data
    assert facts.items == counted.item.nunique()
    assert facts.raters == counted.rater.nunique()
    assert facts.ratings == counted.screen.nunique()
    assert facts.answers == len(counted)
    assert facts.surplus == answers[~answers.counted].screen.nunique()
    assert facts.simulated == counted[counted.simulated].screen.nunique()
    for group in report.groups:
        rows = groups(counted)[group.key]
        assert (group.items, group.raters) == (rows.item.nunique(), rows.rater.nunique())
        assert (group.ratings, group.simulated) == (
            rows.screen.nunique(),
            rows[rows.simulated].screen.nunique(),
        )


def test_means_spreads_distributions_and_agreement_are_those_of_other_software(study, answers):
    report = analyse(study, replicates=0)
    counted = answers[answers.counted]
    for question in report.questions:
        asked = counted[counted.question == question.key]
        points = len(question.points)
        for found in question.groups:
            rows = groups(asked)[found.group]
            summary = found.summary
            assert summary.mean == pytest.approx(rows.value.mean(), abs=1e-12)
            assert summary.sd == pytest.approx(rows.value.std(), abs=1e-12)
            counts = rows.value.value_counts().reindex(range(1, points + 1), fill_value=0)
            assert list(summary.counts) == counts.tolist()
            assert (summary.n_items, summary.n_raters, summary.n_ratings) == (
                rows.item.nunique(),
                rows.rater.nunique(),
                len(rows),
            )
            assert found.alpha.value == pytest.approx(alpha(rows, points), abs=1e-12)
            assert found.agreement.value == pytest.approx(same_point(rows), abs=1e-12)
            sizes = rows.groupby("item").size()
            assert found.alpha.n_units == len(sizes)
            assert found.alpha.n_units_paired == (sizes > 1).sum()
            assert found.alpha.n_units_single == (sizes == 1).sum()
        by_system = asked.fillna({"system": "Real photographs"}).groupby("system").value
        assert {s.system: (s.summary.n_ratings) for s in question.systems} == dict(by_system.size())
        for system in question.systems:
            assert system.summary.mean == pytest.approx(by_system.mean()[system.system], abs=1e-12)


def test_correlations_and_what_is_left_out_are_those_of_other_software(study, answers):
    report = analyse(study, replicates=0)
    counted = answers[answers.counted]
    scores = pd.DataFrame(
        Score.objects.filter(run__study=study).values("item__external_id", "value")
    ).set_index("item__external_id")
    all_items = pd.DataFrame(Item.objects.filter(study=study).values("external_id", "country"))
    for question in report.against.questions:
        (row,) = question.rows
        asked = counted[counted.question == question.key]
        for group, rows in groups(asked).items():
            means = rows.groupby("item").value.mean().round(9)
            theirs = all_items.country.isin([group, ""]) | (group == "all")
            items = all_items.external_id[theirs]
            both = pd.DataFrame(
                {"mean": means.reindex(items), "score": scores.value.astype(float).reindex(items)}
            )
            paired = both.dropna()
            expected = spearmanr(paired.score, paired["mean"])
            result = spearman_of(row, group)
            assert result.value == pytest.approx(expected.statistic, abs=1e-12)
            assert result.p_value == pytest.approx(expected.pvalue, abs=1e-12)
            assert result.n_units == len(paired)
            rated, scored = both["mean"].notna(), both.score.notna()
            assert result.n_without_rating == (~rated).sum()
            assert result.n_without_score == (rated & ~scored).sum()
        left_out = {part.reason: part.items for part in row.left_out}
        rated = all_items.external_id.isin(asked.item)
        known = all_items.external_id.isin(scores.index)
        undefined = all_items.external_id.isin(scores.index[scores.value.isna()])
        assert left_out.get("no_rating", 0) == (~rated).sum()
        assert left_out.get("not_scored", 0) == (rated & ~known).sum()
        assert left_out.get("no_prediction", 0) == (rated & undefined).sum()


def spearman_of(row, group):
    """A metric's coefficient over everybody, or in one panel."""
    if group == "all":
        return row.level("pooled", "spearman").correlation
    (found,) = [
        one
        for one in row.slices
        if (one.kind, one.key, one.method) == ("country", group, "spearman")
    ]
    return found


def test_the_tidy_csv_gives_the_reports_alphas_again(study, tmp_path):
    report = analyse(study, replicates=0)
    path = tmp_path / "ratings.csv"
    path.write_bytes(b"".join(text_of(study, export_file("ratings.csv"), Options())))
    for question in report.questions:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        part = tmp_path / f"{question.key}.csv"
        frame[frame.question == question.key].to_csv(part, index=False)
        printed = StringIO()
        call_command(
            "agreement", part, unit="unit,item", rater="rater", value="value",
            by="panel_country", bootstrap=0, json=True, stdout=printed,
            categories=",".join(str(point.value) for point in question.points),
        )  # fmt: skip
        rows = json.loads(printed.getvalue())["results"]
        ours = {row["group"]: row["value"] for row in rows}
        theirs = {group.group: group.alpha.value for group in question.groups}
        assert ours == pytest.approx(theirs, abs=1e-12)
