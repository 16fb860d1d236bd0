"""A whole CultureScore study: a model writes the bank, people rate, the model judges, one report.

The chat server is a real one on this machine; a worker's part is done in the test's own process.
"""

from __future__ import annotations

import json
import zlib

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Assignment
from scoring.models import ReportSnapshot, Score
from scoring.runs import execute_run, request_run
from scoring.snapshots import execute_report, request_report
from scoring.steps import execute_step
from tests.ahead.conftest import server  # noqa: F401
from tests.culturescore.conftest import write_bank
from tests.e2e.protocols import Annotator, bring, film
from tests.e2e.test_presets import AS_PUBLISHED, rate_a_triplet
from tests.e2e.test_presets import workshop as workshop  # a fixture
from tests.scoring.chat_of_items import parts_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SCENES = ("a visit", "new year", "tea")
SYSTEMS = ("ada", "bix", "cob")


def answers(body) -> str:
    """The writer's and verifier's part as elsewhere; about a clip, Yes for about half of them."""
    pictures = [part for part in parts_of(body) if part["type"] == "image_url"]
    if not pictures:
        return write_bank(body)
    said = "Yes" if zlib.crc32(pictures[0]["image_url"]["url"].encode()) % 2 else "No"
    form = {"observed": "o", "match": "m", "temporal": None, "substitution": "", "answer": said}
    return json.dumps(form)


def clips_without_a_bank(study, folder) -> None:
    keys = [(scene, system) for scene in SCENES for system in SYSTEMS]
    files = {f"{scene}-{system}.mp4".replace(" ", ""): False for scene, system in keys}
    rows = [
        {
            "item_id": f"{scene}-{system}",
            "file": name,
            "country": "BR",
            "scenario": scene,
            "variant": "base",
            "prompt": f"A family has {scene} in Brazil",
            "system": system,
        }
        for (scene, system), name in zip(keys, files, strict=True)
    ]
    bring(study, folder, "items", rows, media=film(folder / "clips", files))


def test_a_bank_is_written_people_rate_a_model_judges_and_the_report_holds_both_together(
    workshop,  # noqa: F811
    open_page,
    tmp_path,
    look,
    server,  # noqa: F811
):
    server.answer = answers
    study = workshop.make("CultureScore", "Side by side")
    workshop.reduce(keep={"BR": 3})
    clips_without_a_bank(study, tmp_path)
    write_the_bank(workshop, study, look)
    link = workshop.launch(study, AS_PUBLISHED)
    for number in (1, 2, 3):
        annotator = Annotator(open_page())
        annotator.enter(link, country="BR", language="pt")
        for n in range(1, 4):
            annotator.is_on(n, 3)
            rate_a_triplet(annotator, look, f"whole-{number}-{n}")
        annotator.is_done(study)
    counted = Assignment.objects.filter(participation__study=study, counted=True)
    assert counted.count() == 3 * 3  # three people, three sets
    judge(workshop, study, look)
    said = Score.objects.filter(output="culturescore", dimension="", item__study=study)
    assert set(said.values_list("value", flat=True)) == {0.0, 1.0}  # by what the clip shows
    read_the_report(workshop, study, look)


def write_the_bank(workshop, study, look) -> None:  # noqa: F811
    page = workshop.page
    page.goto(workshop.server + reverse("scoring:probes", args=[study.slug]))
    page.get_by_label("The chat model that writes").fill("writer")
    page.get_by_role("button", name="Write the bank").click()
    expect(page.get_by_role("heading", name="CultureScore’s probes")).to_be_visible()
    execute_step(step_id=study.scoring_steps.get().pk)
    page.reload()
    expect(page.get_by_text("12 questions, 9 of them grounded and verified")).to_be_visible()
    look(page, "culturescore-step")
    page.get_by_role("link", name="Bank of probes").click()
    expect(page.get_by_text("Is there a low wooden door behind them?").first).to_be_visible()
    look(page, "culturescore-bank")


def judge(workshop, study, look) -> None:  # noqa: F811
    """A run in this process; its page shows what came of it."""
    made = request_run(
        study=study, metric="culturescore", parameters={"model": "judge", "frames": 4}, by=None
    )
    execute_run(run_id=made.pk)
    made.refresh_from_db()
    assert made.state == "done", made.error
    page = workshop.page
    page.goto(workshop.server + reverse("scoring:run", args=[study.slug, made.pk]))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    look(page, "culturescore-run")


def read_the_report(workshop, study, look) -> None:  # noqa: F811
    snapshot = request_report(study)
    execute_report(snapshot.pk)
    assert ReportSnapshot.objects.get(pk=snapshot.pk).state == "done"
    page = workshop.page
    said = {}
    for key in ("", "scores/", "agreement/", "automatic/", "culturescore/", "metrics/"):
        page.goto(workshop.server + reverse("scoring:report", args=[study.slug]) + key)
        said[key] = page.locator("main").inner_text()
        look(page, f"culturescore-report-{key.strip('/') or 'overview'}")
    assert "AC1" in said["agreement/"] and "Jaccard" in said["agreement/"]
    assert "Mean rank" in said["scores/"] or "mean rank" in said["scores/"]
    assert "majority" in said["scores/"]
    assert "Headline" in said["culturescore/"] and "bix" in said["culturescore/"]
    assert "CultureScore" in said["metrics/"] and "Spearman" in said["metrics/"]
