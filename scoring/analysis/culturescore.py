"""CultureScore over many videos: counts of questions by system, variant and country.

Means of single videos' scores would weigh a video with two questions like one with twelve, so
tables count questions (`scoring.metrics.culturescore_tables`). Intervals draw scenarios.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from scoring.analysis.gather import StudyData
from scoring.analysis.parts.culturescore import (
    CultureCell,
    CultureDifference,
    CultureScores,
    JudgePair,
    Share,
)
from scoring.analysis.scenario_draws import ScenarioDraws
from scoring.metrics.culturescore_tables import (
    DIMENSIONS,
    DROPS,
    GAIN,
    NAMES,
    NONE,
    Answers,
    Tally,
    matched_scenarios,
    shares_of,
)
from scoring.models import MetricRun, Score, WorkState
from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.counts import code_ratings
from scoring.stats.result import AgreementResult
from scoring.stats.scale import declare_scale
from studies.models import Scenario

METRIC = "culturescore"
CHUNK = 2000
KINDS = {GAIN: "gain", DROPS[0]: "drop-extended", DROPS[1]: "drop-base"}
TWO_ANSWERERS = (
    Coefficient("percent_agreement"),
    Coefficient("cohen_kappa"),
    Coefficient("gwet_ac1"),
)

NONE_YET = CultureScores(
    run=0, model="", cells=(), differences=(), judges=(), unanswered=0, unjudged=0
)


def culturescore_part(
    *, data: StudyData, replicates: int, on_step: Callable[[], None]
) -> CultureScores:
    """The tables of the run that reports read; empty where there is none."""
    run = next((run for run in data.runs if run.metric == METRIC), None)
    if run is None:
        on_step()
        return NONE_YET
    said, unanswered = _answers(run.id, data)
    videos = _videos(data, said)
    unique, unjudged = _unique(data, videos)
    drawn = ScenarioDraws(replicates, data.study.seed)
    part = CultureScores(
        run=run.id,
        model=run.model_id,
        cells=tuple(_cells(videos, drawn)),
        differences=tuple(_differences(videos, unique, drawn)),
        judges=tuple(_judges(data, run.id, run.model_id, said)),
        unanswered=unanswered,
        unjudged=unjudged,
    )
    on_step()
    return part


Said = dict[tuple[int, str], tuple[str, bool]]
"""(item, probe) -> (dimension, yes)."""


def _answers(run: int, data: StudyData) -> tuple[Said, int]:
    """What the run's model said, and how many questions it left without an answer."""
    said: Said = {}
    unanswered = 0
    rows = Score.objects.filter(run_id=run, item__isnull=False, output=METRIC).exclude(dimension="")
    fields = ("item_id", "dimension", "evidence")
    for item, dimension, evidence in rows.values_list(*fields).iterator(chunk_size=CHUNK):
        if item not in data.items:
            continue
        for asked in evidence.get("questions", ()):
            if "yes" in asked:
                said[item, asked["probe"]] = (dimension, asked["yes"])
            else:
                unanswered += 1
    return said, unanswered


def _videos(data: StudyData, said: Said) -> list[Answers]:
    tallies: dict[int, dict[str, Tally]] = {}
    for (item, _), (dimension, yes) in said.items():
        own = tallies.setdefault(item, {})
        own[dimension] = own.get(dimension, NONE) + Tally(1, int(yes))
    units = data.scored.items
    return [
        Answers(
            system=units[item].system,
            variant=units[item].variant or "base",
            scenario=(units[item].country, units[item].scenario),
            country=units[item].country,
            category=units[item].category,
            tallies=own,
        )
        for item, own in sorted(tallies.items())
    ]


def _unique(data: StudyData, videos: Sequence[Answers]) -> tuple[frozenset[Hashable], int]:
    """Scenarios that are unique without their country's name, and how many nobody judged."""
    rows = Scenario.objects.filter(study=data.study)
    judged = {
        (country, key): unique
        for country, key, unique in rows.values_list("country", "key", "unique_without_country")
        if unique is not None
    }
    present = {video.scenario for video in videos}
    return frozenset(key for key in present if judged.get(key)), len(present - judged.keys())


def _cells(videos: Sequence[Answers], drawn: ScenarioDraws) -> Iterable[CultureCell]:
    groups: dict[tuple[str, str, str], list[Answers]] = {}
    for video in videos:
        for country in ("", video.country):
            groups.setdefault((country, video.system, video.variant), []).append(video)
    for (country, system, variant), own in sorted(groups.items()):
        yield CultureCell(
            system=system,
            variant=variant,
            country=country,
            videos=len(own),
            scenarios=len({video.scenario for video in own}),
            shares=_shares(own, drawn),
        )


def _shares(videos: Sequence[Answers], drawn: ScenarioDraws) -> tuple[Share, ...]:
    shares = shares_of(videos)
    intervals = drawn.intervals([videos])
    whole = sum(shares.tallies.values(), NONE)
    return tuple(
        Share(
            name=name,
            value=shares.value(name),
            yes=(tally := shares.tallies.get(name, NONE) if name in DIMENSIONS else whole).yes,
            answered=tally.answered,
            interval=intervals[name] if shares.value(name) is not None else None,
        )
        for name in NAMES
    )


def _differences(
    videos: Sequence[Answers], unique: frozenset[Hashable], drawn: ScenarioDraws
) -> Iterable[CultureDifference]:
    systems = sorted({video.system for video in videos})
    variants = {video.variant for video in videos}
    for (after, before), kind in KINDS.items():
        if not {after, before} <= variants:
            continue
        compared = {after, before} if kind == "gain" else {after, "base", "extended"} & variants
        for system in systems:
            wanted = None if kind == "gain" else unique
            matched = matched_scenarios(videos, compared, system=system, unique=wanted)
            own = [v for v in videos if v.system == system and v.scenario in matched]
            for country in ("", *sorted({video.country for video in own})):
                group = [video for video in own if country in ("", video.country)]
                yield from _difference(kind, system, country, group, after, before, drawn)


def _difference(
    kind: str,
    system: str,
    country: str,
    videos: Sequence[Answers],
    after: str,
    before: str,
    drawn: ScenarioDraws,
) -> Iterable[CultureDifference]:
    sides = [[video for video in videos if video.variant == variant] for variant in (after, before)]
    shares = [shares_of(side) for side in sides]
    intervals = drawn.intervals(sides)
    for name in NAMES:
        first, second = (side.value(name) for side in shares)
        defined = first is not None and second is not None
        yield CultureDifference(
            kind=kind,
            name=name,
            system=system,
            country=country,
            after=first,
            before=second,
            difference=first - second if defined else None,
            scenarios=len({video.scenario for video in videos}),
            interval=intervals[name] if defined else None,
        )


def _judges(data: StudyData, run: int, model: str, said: Said) -> Iterable[JudgePair]:
    """The run that reports read against the newest finished one of every other model."""
    newest: dict[str, MetricRun] = {}
    others = MetricRun.objects.filter(study=data.study, metric=METRIC, state=WorkState.DONE)
    for other in others.exclude(model_id=model).order_by("finished_at", "id"):
        newest[other.model_id] = other
    for name, other in sorted(newest.items()):
        theirs, _ = _answers(other.pk, data)
        both = sorted(said.keys() & theirs.keys())
        if both:
            yes = [[said[key][1] for key in both], [theirs[key][1] for key in both]]
            yield JudgePair(
                first=model, second=name, questions=len(both), coefficients=_agreement(yes)
            )


def _agreement(yes: list[list[bool]]) -> tuple[AgreementResult, ...]:
    scale = declare_scale(level="nominal", categories=[0, 1])
    n = len(yes[0])
    ratings = code_ratings(
        unit=[*range(n), *range(n)],
        rater=[0] * n + [1] * n,
        category=[int(one) for side in yes for one in side],
        scale=scale,
    )
    return estimate_agreement(ratings=ratings, coefficients=TWO_ANSWERERS)
