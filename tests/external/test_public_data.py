"""Public ratings with published numbers come in by the documented commands, and come out right.

The numbers stand in the data sets' own repositories: github.com/j-min/DSG (its README's rows
without dependencies), github.com/Yushi-Hu/tifa, github.com/TIGER-AI-Lab/ImagenHub.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command

from scoring.analysis.compute import analyse
from scoring.analysis.selection import Selection
from scoring.reports.tables import flat, tables
from studies.models import Study

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = ROOT.parent / "shared" / "reference" / "ratings"
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        not PUBLIC.is_dir(), reason="The public data sets are not beside this checkout."
    ),
]


def import_dsg() -> Study:
    call_command(
        "import_ratings",
        str(PUBLIC / "dsg" / "tifa160-likert-anns.csv"),
        title="DSG",
        owner="ana",
        item="item_id,t2i_model",
        rater="worker_id",
        value="answer",
        question_is="consistency",
        scale=["1-5"],
        facts="system=t2i_model,scenario=item_id",
    )
    for model in ("mplug", "instructblip", "pali17b"):
        call_command(
            "import_scores",
            "dsg",
            str(PUBLIC / "dsg" / f"{model}_dsg.csv"),
            where=["dsg_prompt_split=tifa160"],
            item="item_id,t2i_model",
            metric=model,
            value="answer",
            share="yes",
            blanks_count=True,
            absent=0.0,
            better="higher",
            low=0.0,
            high=1.0,
            source="DSG's answers",
        )
    return Study.objects.get(slug="dsg")


def coefficients(report, question: str, group: int = 0) -> dict[str, float]:
    [found] = [one for one in report.questions if one.label == question]
    return {
        f"{one.coefficient}/{one.level}": one.value
        for one in found.groups[group].coefficients
        if one.value is not None
    }


def pooled(report, question: str) -> dict[str, dict[str, float]]:
    table = next(one for one in tables(report) if one.name == f"against-{question}-levels")
    keys, rows = flat(table)
    every = [dict(zip(keys, row, strict=True)) for row in rows]
    return {row["metric"]: row for row in every if row["level"].startswith("Pooled")}


def test_dsg_gives_its_published_correlations(researcher):
    report = analyse(import_dsg(), replicates=0)
    assert (report.data.items, report.data.raters, report.data.answers) == (800, 5, 3995)
    assert coefficients(report, "consistency")["krippendorff_alpha/ordinal"] == pytest.approx(
        0.6854, abs=5e-5
    )
    published = {"mplug": (0.464, 0.378), "instructblip": (0.436, 0.355), "pali17b": (0.570, 0.457)}
    found = pooled(report, "consistency")
    for metric, (spearman, kendall) in published.items():
        assert round(found[metric]["spearman"], 3) == spearman, metric
        assert round(found[metric]["kendall"], 3) == kendall, metric
        assert found[metric]["spearman_n"] == 800


def test_tifa_gives_its_published_numbers(researcher):
    file = str(PUBLIC / "tifa" / "human_annotations_with_scores.json")
    call_command(
        "import_ratings",
        file,
        title="TIFA",
        owner="ana",
        item="@key",
        shape="list",
        value="human_scores",
        question_is="faithfulness",
        scale=["1-5"],
        facts="prompt=text,scenario=text_id",
    )
    metrics = ["meteor", "bleu", "clipscore_vitb32", "tifa_vilt", "tifa_mplug-large"]
    call_command(
        "import_scores",
        "tifa",
        file,
        item="@key",
        columns=",".join(metrics),
        better="higher",
        source="TIFA's file",
    )
    report = analyse(Study.objects.get(slug="tifa"), replicates=0)
    assert coefficients(report, "faithfulness")["krippendorff_alpha/ordinal"] == pytest.approx(
        0.7186, abs=5e-5
    )
    found = pooled(report, "faithfulness")
    kendall = {metric: round(found[metric]["kendall"], 4) for metric in metrics}
    assert kendall == {
        "meteor": 0.2741,
        "bleu": 0.1879,
        "clipscore_vitb32": 0.2314,
        "tifa_vilt": 0.3824,
        "tifa_mplug-large": 0.4717,
    }
    assert round(found["tifa_mplug-large"]["pearson"], 4) == 0.5967
    assert round(found["tifa_mplug-large"]["spearman"], 4) == 0.5922
    assert round(found["meteor"]["pearson"], 4) == 0.3397
    assert round(found["meteor"]["spearman"], 4) == 0.3723


def test_imagenhub_comes_in_by_system_and_an_all_zero_model_has_no_alpha(researcher):
    files = sorted((PUBLIC / "imagenhub" / "Text-Guided_IE").glob("*.tsv"))
    assert len(files) == 3
    call_command(
        "import_ratings",
        *map(str, files),
        title="Editing",
        owner="ana",
        item="uid",
        shape="systems",
        cell="SC,PQ",
        scale=["0,0.5,1"],
    )
    study = Study.objects.get(slug="editing")
    systems = list(study.systems.values_list("name", flat=True))
    report = analyse(study, replicates=0)
    assert report.data.raters == 3
    constant = []
    for system in systems:
        chosen = analyse(study, selection=Selection(system=system), replicates=0)
        [answers] = [one.groups[0] for one in chosen.questions if one.label == "SC"]
        if answers.alpha.value is None:
            assert answers.alpha.reason == "no_variation"
            constant.append(system)
    assert constant == ["Imagic"]
