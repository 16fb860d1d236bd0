"""What a report costs: python benchmarks/report.py [--ratings 1000000] [--draws 2000] [--profile]

A study of two panels with four Likert questions and one metric, made in bulk: so many answers on
scales, ten people a unit, a hundred screens a person. Measured in this process, as the worker does
it, each step once:

    read        all answers, scores and facts from the database
    estimates   the whole report without intervals: what the page shows first
    intervals   the whole report with every interval
    charts      every chart at both widths
    stored      the report as JSON

and the memory of the process at its peak. The baseline, in the same run: alpha of one question by
the package krippendorff from its value counts, and what the draws of one interval would take with
it (a few are timed and multiplied up).

SQLite in a scratch folder is the default; with DATABASE_URL it runs there.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import resource
import time
from collections.abc import Callable
from typing import Any

from scratch import scratch_site

QUESTIONS = ("faithfulness", "hallucination", "exaggeration", "realism")
PANELS = ("NP", "IR")
K = 10  # people a unit
SCREENS = 100  # of a person
SYSTEMS = 4
TIMED = 3  # replicates of the baseline


def build(answers: int):
    """A live study with so many counted answers on scales."""
    from django.utils import timezone

    from accounts.models import User
    from studies.design import current_design
    from studies.models import DesignRevision, Panel, Question, ScalePoint, Study, System

    owner, _ = User.objects.get_or_create(username="ana", is_staff=True, is_superuser=True)
    study = Study.objects.create(
        owner=owner, title=f"{answers} answers", slug=f"r-{answers}", state="live", revision=1,
        launched_at=timezone.now(),
    )  # fmt: skip
    for place, key in enumerate(QUESTIONS):
        question = Question.objects.create(study=study, key=key, text=f"{key}?", position=place)
        ScalePoint.objects.bulk_create(
            ScalePoint(question=question, value=n, label=str(n)) for n in range(1, 6)
        )
    System.objects.bulk_create(System(study=study, name=f"S{n}") for n in range(SYSTEMS))
    DesignRevision.objects.create(study=study, number=1, design=current_design(study).to_json())
    screens = answers // len(QUESTIONS) // len(PANELS) // (K * SCREENS) * (K * SCREENS)
    for country in PANELS:
        panel = Panel.objects.create(study=study, country=country, ratings_per_unit=K)
        fill(study, panel, screens)
    score(study)
    return study


def fill(study, panel, screens: int) -> None:
    """Screen s is of unit s mod a tenth of them, by person s / 100; answers go with the unit."""
    from annotation.models import Rating
    from benchmarks.monitor import copies

    n_units = screens // K
    item, unit = fill_units(study, panel.country, n_units)
    screen = fill_screens(study, panel, unit, n_units, screens)
    for place, question in enumerate(study.questions.order_by("position")):
        noise = f"((i * {7919 + 2 * place} + i / 7) % 11) % 3"
        copies(
            Rating.objects.create(
                assignment_id=screen, question=question, value=1, item_id=item, subject="x"
            ),
            screens,
            assignment=f"{screen} + i",
            item=f"{item} + i % {n_units}",
            value=f"1 + ((i % {n_units}) * {3 + place} % 3) + {noise}",
            subject="''",
        )


def fill_units(study, country: str, n: int) -> tuple[int, int]:
    """Units of an item each; the first item and the first unit."""
    from benchmarks.monitor import copies
    from studies.models import Item, Unit, UnitItem

    system = study.systems.order_by("pk").values_list("pk", flat=True)[0]
    item = copies(
        Item.objects.create(
            study=study, external_id="x", country=country, system_id=system, media="x.png"
        ),
        n,
        external_id=f"'{country}-' || i",
        public_id=f"'{study.pk}{country}' || i",
        system=f"{system} + i % {SYSTEMS}",
        scenario=f"'s' || i / {SYSTEMS}",
        category="'c' || i % 9",
    )
    unit = copies(
        Unit.objects.create(study=study, key="x", country=country), n, key=f"'{country}' || i"
    )
    # The row that is copied must collide with none of its copies.
    copies(
        UnitItem.objects.create(unit_id=unit + 1, item_id=item),
        n,
        unit=f"{unit} + i",
        item=f"{item} + i",
    )
    return item, unit


def fill_screens(study, panel, unit: int, n_units: int, screens: int) -> int:
    """People of a panel and their screens; the first screen."""
    from annotation.models import Assignment, Participation
    from benchmarks.monitor import copies, moment

    country = panel.country
    person = copies(
        Participation.objects.create(study=study, panel=panel, revision=1, state="complete"),
        screens // SCREENS,
        token=f"'{study.pk}-{country}-' || i",
        code=f"'{country}-' || i",
    )
    return copies(
        Assignment.objects.create(
            participation_id=person, unit_id=unit + n_units - 1, n=0, key="x"
        ),
        screens,
        participation=f"{person} + i / {SCREENS}",
        unit=f"{unit} + i % {n_units}",
        n=f"1 + i % {SCREENS}",
        key=f"'{study.pk}-{country}-' || i",
        submitted_at=moment(study.launched_at, "i / 10"),
        counted="1 = 1",
    )


def score(study) -> None:
    """One finished run with a score for each item."""
    from django.utils import timezone

    from scoring.models import MetricRun, Score

    run = MetricRun.objects.create(
        study=study, metric="ahead", metric_version="1", state="done", finished_at=timezone.now()
    )
    items = study.items.order_by("pk").values_list("pk", flat=True)
    rows = (
        Score(run=run, item_id=pk, output="ahead_align", value=(pk * 7919 % 1000) / 1000)
        for pk in items
    )
    Score.objects.bulk_create(rows, batch_size=5000)


def timed(name: str, work: Callable[[], Any], profiled: bool) -> Any:
    """The outcome of some work, its time printed."""
    profile = cProfile.Profile() if profiled else None
    began = time.perf_counter()
    outcome = profile.runcall(work) if profile else work()
    print(f"{name:12} {time.perf_counter() - began:9.2f} s   peak {peak():7.0f} MB", flush=True)
    if profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(14)
    return outcome


def peak() -> float:
    """Most memory this process has held, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(study, draws: int, profiled: bool) -> None:
    import json

    from scoring.analysis.codec import to_json
    from scoring.analysis.compute import analyse_data
    from scoring.analysis.gather import gather
    from scoring.reports.plots import draw_plots

    print(f"{'imports':12} {'':9}     peak {peak():7.0f} MB")
    began = time.perf_counter()
    data = timed("read", lambda: gather(study), profiled)
    timed("estimates", lambda: analyse_data(data, replicates=0), profiled)
    print(f"first numbers after {time.perf_counter() - began:.1f} s")
    report = timed("intervals", lambda: analyse_data(data, replicates=draws), profiled)
    timed("charts", lambda: draw_plots(report), profiled)
    text = timed("stored", lambda: json.dumps(to_json(report)), profiled)
    print(f"all intervals after {time.perf_counter() - began:.1f} s; {len(text) / 1e6:.1f} MB JSON")
    baseline(data, draws)


def baseline(data, draws: int) -> None:
    """One question's alpha, and its interval by items alone, with the package krippendorff."""
    import krippendorff
    import numpy as np

    table = data.table
    asked = table.question == 0
    counts = np.zeros((table.n_units, 5), dtype=np.int64)
    np.add.at(counts, (table.unit[asked], table.value[asked] - 1), 1)

    def alpha(rows) -> float:
        return krippendorff.alpha(
            value_counts=rows, value_domain=[1, 2, 3, 4, 5], level_of_measurement="ordinal"
        )

    began = time.perf_counter()
    alpha(counts)
    one = time.perf_counter() - began
    rng = np.random.default_rng(0)
    began = time.perf_counter()
    for _ in range(TIMED):
        alpha(counts[rng.integers(len(counts), size=len(counts))])
    each = (time.perf_counter() - began) / TIMED
    print(
        f"baseline: krippendorff takes {one:.2f} s for one alpha of one question, and "
        f"{each * draws:.0f} s for {draws} draws of its items ({TIMED} timed)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ratings", type=int, default=1_000_000)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    with scratch_site("report"):
        study = build(options.ratings)
        print(f"{options.ratings:,} answers, {options.draws} draws")
        measure(study, options.draws, options.profile)


if __name__ == "__main__":
    main()
