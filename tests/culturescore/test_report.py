"""CultureScore's page: counts of questions, gains and drops on matched scenarios, two answerers."""

from __future__ import annotations

import pytest
from django.utils import timezone

from scoring.analysis.compute import analyse
from scoring.analysis.culturescore import culturescore_part
from scoring.analysis.gather import gather
from scoring.analysis.scenario_draws import ScenarioDraws
from scoring.metrics.culturescore_tables import Answers, Tally
from scoring.models import MetricRun, Score
from scoring.reports.culturescore_page import sections
from scoring.reports.tables import flat, tables
from scoring.work_state import RunState
from studies.models import Scenario, System
from tests.conftest import add_item

pytestmark = pytest.mark.django_db


def run_of(study, model: str) -> MetricRun:
    return MetricRun.objects.create(
        study=study,
        metric="culturescore",
        metric_version="1",
        model_id=model,
        state=RunState.DONE,
        finished_at=timezone.now(),
    )


def answer(run, item, **dimensions: str) -> None:
    """y, n and ? (refused), a letter a question."""
    for dimension, said in dimensions.items():
        questions = [
            {"probe": f"{item.scenario}-{dimension}-{number}", "reason": "refused"}
            if letter == "?"
            else {"probe": f"{item.scenario}-{dimension}-{number}", "yes": letter == "y"}
            for number, letter in enumerate(said)
        ]
        read = [q for q in questions if "yes" in q]
        Score.objects.create(
            run=run,
            item=item,
            output="culturescore",
            dimension=dimension,
            value=sum(q["yes"] for q in read) / len(read) if read else None,
            reason="" if read else "refused",
            evidence={"questions": questions},
        )


@pytest.fixture
def study(draft_study):
    """Two scenarios in three variants by one system; the second is not unique."""
    system = System.objects.create(study=draft_study, name="Wan", position=0)
    for key, unique in (("tea", True), ("walk", False), ("never judged", None)):
        Scenario.objects.create(
            study=draft_study, key=key, country="NP", unique_without_country=unique
        )
    draft_study.made = {
        (key, variant): add_item(
            draft_study,
            f"{key}-{variant}",
            scenario=key,
            variant=variant,
            system=system,
            category="family",
        )
        for key in ("tea", "walk", "never judged")
        for variant in ("base", "extended", "country-removed")
        if (key, variant) != ("never judged", "base")
    }
    return draft_study


@pytest.fixture
def run(study):
    run = run_of(study, "seer")
    said = {
        ("tea", "base"): {"identity": "yn", "behavior": "n", "context": "nnnn"},
        ("tea", "extended"): {"identity": "yy", "behavior": "y", "context": "yynn"},
        ("tea", "country-removed"): {"identity": "nn", "behavior": "n", "context": "ynnn"},
        ("walk", "base"): {"identity": "y", "behavior": "y?", "context": "y"},
        ("walk", "extended"): {"identity": "n", "behavior": "n", "context": "n"},
        ("walk", "country-removed"): {"identity": "y", "behavior": "y", "context": "y"},
        ("never judged", "extended"): {"identity": "y", "behavior": "y", "context": "y"},
        ("never judged", "country-removed"): {"identity": "y", "behavior": "y", "context": "y"},
    }
    for key, answers in said.items():
        answer(run, study.made[key], **answers)
    return run


def part_of(study, replicates: int = 0):
    return culturescore_part(data=gather(study), replicates=replicates, on_step=lambda: None)


def test_shares_count_questions_and_not_videos(study, run):
    cell = next(c for c in part_of(study).cells if c.variant == "base" and not c.country)
    assert (cell.videos, cell.scenarios) == (2, 2)
    found = {one.name: (one.value, one.answered) for one in cell.shares}
    assert found["identity"] == (pytest.approx(2 / 3), 3)
    assert found["behavior"] == (pytest.approx(1 / 2), 2)
    assert found["context"] == (pytest.approx(1 / 5), 5)
    assert found["headline"][0] == pytest.approx((2 / 3 + 1 / 2 + 1 / 5) / 3)
    assert found["pooled"] == (pytest.approx(4 / 10), 10)


def test_a_gain_is_over_the_scenarios_that_have_both_variants(study, run):
    gains = [one for one in part_of(study).differences if one.kind == "gain" and not one.country]
    by_name = {one.name: one for one in gains}
    assert by_name["identity"].scenarios == 2  # the third has no base video
    assert by_name["identity"].difference == pytest.approx(2 / 3 - 2 / 3)
    assert by_name["pooled"].difference == pytest.approx(5 / 10 - 4 / 10)


def test_drops_are_over_unique_scenarios_present_in_every_variant(study, run):
    part = part_of(study)
    drops = {(one.kind, one.name): one for one in part.differences if not one.country}
    assert drops["drop-extended", "context"].scenarios == 1
    assert drops["drop-extended", "context"].difference == pytest.approx(1 / 4 - 2 / 4)
    assert drops["drop-base", "context"].difference == pytest.approx(1 / 4 - 0)
    assert drops["drop-extended", "identity"].difference == -1
    assert part.unjudged == 1


def test_what_the_model_did_not_answer_is_counted_and_in_no_share(study, run):
    part = part_of(study)
    assert part.unanswered == 1
    told = [note.text for section in _sections(study) for note in section.notes]
    assert any("1 questions were refused or unreadable" in text for text in told)


def _sections(study):
    return sections(analyse(study, replicates=0), {})


def test_two_answerers_are_compared_on_the_questions_both_answered(study, run):
    other = run_of(study, "looker")
    answer(other, study.made["tea", "base"], identity="yy", behavior="n", context="nn?n")
    # The run that reports read is the newest; the first is the other answerer.
    part = part_of(study)
    [pair] = part.judges
    assert (pair.first, pair.second, pair.questions) == ("looker", "seer", 6)
    values = {one.coefficient: one.value for one in pair.coefficients}
    assert values["percent_agreement"] == pytest.approx(5 / 6)
    # kappa by hand: yes 2 and 1 of 6; pe = (2/6)(1/6) + (4/6)(5/6)
    pe = (2 / 6) * (1 / 6) + (4 / 6) * (5 / 6)
    assert values["cohen_kappa"] == pytest.approx((5 / 6 - pe) / (1 - pe))
    share = (2 / 6 + 1 / 6) / 2
    pe = 2 * share * (1 - share)
    assert values["gwet_ac1"] == pytest.approx((5 / 6 - pe) / (1 - pe))


def test_the_page_names_headline_and_pooled_and_its_tables_leave_with_the_report(study, run):
    report = analyse(study, replicates=0)
    names = [table.name for table in tables(report)]
    assert {"culturescore-systems", "culturescore-gain", "culturescore-drop-base"} <= set(names)
    table = next(one for one in tables(report) if one.name == "culturescore-systems")
    keys, rows = flat(table)
    base = dict(zip(keys, next(row for row in rows if row[1] == "base"), strict=True))
    assert base["pooled"] == pytest.approx(0.4) and base["questions"] == 10
    assert "headline = mean of the three dimensions" in table.aggregation


def test_the_page_is_offered_once_the_metric_was_run(client, researcher, study):
    client.force_login(researcher)
    address = f"/studies/{study.slug}/report/"
    assert "report/culturescore/" not in client.get(address).content.decode()
    run_of(study, "seer")
    page = client.get(f"{address}culturescore/")
    assert page.status_code == 200


def test_intervals_draw_whole_scenarios():
    videos = [
        Answers("s", "base", number, "NP", "", {"identity": Tally(4, number % 5)})
        for number in range(40)
    ]
    found = ScenarioDraws(500, 1).intervals([videos])
    bounds = found["identity"]
    assert bounds.reason is None and bounds.low < 0.5 < bounds.high
    assert bounds.resampled == "clusters" and bounds.replicates == 500
    assert found["behavior"].reason == "undefined_replicates"
    few = ScenarioDraws(500, 1).intervals([videos[:5]])
    assert few["identity"].reason == "too_few_for_interval"
    assert ScenarioDraws(0, 1).intervals([videos])["identity"] is None


def test_the_difference_of_two_variants_draws_the_same_scenarios_on_both_sides():
    base = [Answers("s", "base", n, "NP", "", {"identity": Tally(4, n % 4)}) for n in range(40)]
    more = [
        Answers("s", "extended", n, "NP", "", {"identity": Tally(4, n % 4 + 1)}) for n in range(40)
    ]
    bounds = ScenarioDraws(200, 1).intervals([more, base])["identity"]
    assert bounds.low == pytest.approx(0.25) and bounds.high == pytest.approx(0.25)


def test_the_interval_of_the_pooled_share_is_over_all_of_its_questions():
    videos = [
        Answers(
            system="Wan",
            variant="base",
            scenario=number,
            country="NP",
            category="family",
            tallies={"identity": Tally(1, 1), "mood": Tally(9, number % 3)},
        )
        for number in range(30)
    ]
    found = ScenarioDraws(500, 1).intervals([videos])
    pooled = sum(1 + number % 3 for number in range(30)) / 300
    assert found["pooled"].low < pooled < found["pooled"].high < 0.3
    assert (found["identity"].low, found["identity"].high) == (1.0, 1.0)
    assert found["headline"].reason == "undefined_replicates"
