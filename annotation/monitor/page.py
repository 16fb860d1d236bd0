"""What the monitoring page shows, put together from counts, figures and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from annotation.models import Attempt, Participation
from annotation.monitor.chart import Chart, chart_of
from annotation.monitor.counts import Collection, PanelCounts, collection
from annotation.monitor.figures import Figures, PanelFigures
from annotation.monitor.keeping import Kept, figures_for
from annotation.monitor.needs import Need, needs_of
from annotation.monitor.pace import Pay, Verdict, money, pace_per_hour, pay_of, verdict
from annotation.monitor.people import Person, people_of, person_rows, undecided_flags
from annotation.prolific.undecided import undecided
from scoring.stats.result import DEPENDABLE_UNITS
from studies.models import Study

MOST_PEOPLE = 15
"""Rows of the page's own table; all of them are a link away."""


@dataclass(frozen=True, slots=True)
class PanelRow:
    """A panel's counts with its figures, the pay in words."""

    counts: PanelCounts
    full: int | None
    median_minutes: int | None
    finished: int
    pay: str
    pay_is_less: bool
    promised: str
    agreement: str
    interval: str
    few_units: int | None
    undefined: str
    waits: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """How many units have so many ratings, and the most there are of any number."""

    ratings: int
    units: int
    most: int


@dataclass(frozen=True, slots=True)
class Step:
    label: str
    n: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A need, with the address of the page that deals with it and the words on its way there."""

    need: Need
    url: str
    action: str


@dataclass(frozen=True, slots=True)
class People:
    """The page's table. ``new``: people who would be in it if it were made anew."""

    rows: list[Person]
    total: int
    new: int

    @property
    def codes(self) -> str:
        return ",".join(person.code for person in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    now: Collection
    verdict: Verdict
    lines: list[Line]
    panels: list[PanelRow]
    question: str
    coefficient: str
    spread: list[Bar]
    over: int
    k: int | None
    funnel: list[Step]
    left: list[Step]
    chart: Chart | None
    people: People
    kept: Kept


def started_at(study: Study) -> datetime | None:
    return study.pilot_at if study.in_pilot else study.launched_at


def monitor_of(study: Study, *, shown: Sequence[str] | None = None) -> Monitor:
    """The whole page. ``shown``: codes of the rows that stand on it now, which keep their order."""
    now = collection(study)
    kept = figures_for(study, now)
    figures = kept.figures
    spread, over = _spread(now, figures)
    return Monitor(
        now=now,
        verdict=_verdict(study, now),
        lines=_lines(study, needs_in(study, now, figures)),
        panels=[_panel_row(study, panel, figures) for panel in now.panels],
        question=figures["question"] if figures else "",
        coefficient=COEFFICIENTS.get(figures["coefficient"], "") if figures else "",
        spread=spread,
        over=over,
        k=_same_k(now),
        funnel=_funnel(study, now),
        left=_left(now),
        chart=_chart(study, now, figures),
        people=_people(study, shown),
        kept=kept,
    )


def needs_in(study: Study, now: Collection, figures: Figures | None) -> list[Need]:
    """What needs the researcher, of one study."""
    pays = {panel.id: _paid(study, panel, figures) for panel in now.panels}
    return needs_of(
        now=now,
        started=started_at(study),
        takes_people=study.takes_arrivals,
        over=_spread(now, figures)[1],
        failed_two=figures["failed_two"] if figures else 0,
        pay={panel: paid for panel, paid in pays.items() if paid is not None},
        flagged=people_of(study).filter(pilot=now.pilot).filter(undecided_flags()).count(),
        waiting=undecided(study, now=now.at),
    )


def _verdict(study: Study, now: Collection) -> Verdict:
    pace = pace_per_hour(done_lately=now.done_lately, started=started_at(study), now=now.at)
    return verdict(
        done=now.done,
        wanted=now.wanted,
        each=_same_k(now),
        state=study.state,
        last_seen=now.last_seen,
        pace=pace,
        now=now.at,
    )


def _same_k(now: Collection) -> int | None:
    ks = {panel.k for panel in now.panels}
    return ks.pop() if len(ks) == 1 else None


# ---- panels

COEFFICIENTS = {
    "krippendorff_alpha": "Alpha",
    "gwet_ac1": "AC1",
    "gwet_ac2": "AC2",
    "fleiss_kappa": "Fleiss’ kappa",
    "brennan_prediger": "Brennan and Prediger",
    "percent_agreement": "Agreement",
}
UNDEFINED = {
    "no_ratings": "no ratings yet",
    "no_pairs": "no unit has two ratings yet",
    "no_variation": "not defined: all ratings are the same",
}


def _figures_of(panel: PanelCounts, figures: Figures | None) -> PanelFigures | None:
    return figures["panels"].get(str(panel.id)) if figures else None


def _paid(
    study: Study, panel: PanelCounts, figures: Figures | None
) -> tuple[Pay, float, int] | None:
    known = _figures_of(panel, figures)
    if known is None or known["median_seconds"] is None:
        return None
    pay = pay_of(
        promised=study.pay_per_hour,
        currency=study.pay_currency,
        estimated_minutes=study.estimated_minutes,
        median_seconds=known["median_seconds"],
    )
    return (pay, known["median_seconds"], known["finished"]) if pay else None


def _panel_row(study: Study, panel: PanelCounts, figures: Figures | None) -> PanelRow:
    known, paid = _figures_of(panel, figures), _paid(study, panel, figures)
    seconds = known["median_seconds"] if known else None
    agreement = known["agreement"] if known else None
    reason = agreement["reason"] if agreement else "no_ratings"
    if agreement and agreement["value"] is None:
        agreement = None
    full = None
    if known is not None:
        full = sum(units for n, units in known["spread"].items() if int(n) >= panel.k)
    return PanelRow(
        counts=panel,
        full=full,
        median_minutes=max(1, round(seconds / 60)) if seconds is not None else None,
        finished=known["finished"] if known else 0,
        pay=money(paid[0].per_hour, paid[0].currency) if paid else "",
        pay_is_less=paid[0].is_less if paid else False,
        promised=money(paid[0].promised, paid[0].currency) if paid else "",
        agreement=two_decimals(agreement["value"]) if agreement else "",
        interval=_interval(agreement),
        few_units=_few_units(agreement),
        undefined=UNDEFINED.get(reason or "", "not defined"),
        waits=known is None,
    )


def _interval(agreement: dict | None) -> str:
    if agreement is None or agreement["low"] is None:
        return ""
    return f"[{two_decimals(agreement['low'])}, {two_decimals(agreement['high'])}]"


def _few_units(agreement: dict | None) -> int | None:
    """How many units with two ratings there are, where that is too few for the interval."""
    n = agreement["n_units"] if agreement else DEPENDABLE_UNITS
    return n if n < DEPENDABLE_UNITS else None


def two_decimals(number: float) -> str:
    """0.44, and −0.10 with a real minus; never −0.00."""
    text = f"{number:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")


def _spread(now: Collection, figures: Figures | None) -> tuple[list[Bar], int]:
    """Units by ratings, over all panels; and how many have more than their panel wants."""
    units: dict[int, int] = {}
    over = 0
    for panel in now.panels:
        known = _figures_of(panel, figures)
        for text, n in (known["spread"] if known else {}).items():
            units[int(text)] = units.get(int(text), 0) + n
            over += n if int(text) > panel.k else 0
    highest = max((panel.k for panel in now.panels), default=0)
    if not units:
        return [], 0
    most = max(*units.values(), 1)
    return [
        Bar(n, units.get(n, 0), most)
        for n in range(max(highest, *units) + 1)
        if n <= highest or units.get(n)
    ], over


# ---- people


def _funnel(study: Study, now: Collection) -> list[Step]:
    fits, consented = Step("fits", now.fits), Step("consent", now.consented)
    gone = f"{now.gone} not seen for {study.lease_minutes} min" if now.gone else ""
    return [
        Step("arrived", now.arrived),
        *((consented, fits) if study.consent_first else (fits, consented)),
        Step("rating", now.rating, gone),
        Step("complete", now.complete),
    ]


def _left(now: Collection) -> list[Step]:
    ours = [
        Step(Participation.Outcome(outcome).label.lower(), n)
        for outcome, n in now.left.items()
        if outcome != Participation.Outcome.TAKEN_BACK  # they are among those of Prolific's list
    ]
    there = [
        Step(f"{Attempt.Status(status).label.lower()} on Prolific", n)
        for status, n in now.prolific.items()
    ]
    return ours + there


def _people(study: Study, shown: Sequence[str] | None) -> People:
    """The last to have acted, newest first; rows that are ``shown`` stay where they are."""
    people = people_of(study).filter(pilot=study.in_pilot)
    newest = list(people.order_by("-last_seen_at", "id").values_list("pk", flat=True)[:MOST_PEOPLE])
    found = people.select_related("panel").in_bulk(newest)  # sorting whole rows would take longer
    rows = [found[pk] for pk in newest]
    new = 0
    if shown:
        known = {
            person.code: person for person in people.filter(code__in=shown).select_related("panel")
        }
        new = sum(person.code not in known for person in rows)
        rows = [known[code] for code in shown if code in known] or rows
    return People(person_rows(rows, study), people.count(), new)


def _chart(study: Study, now: Collection, figures: Figures | None) -> Chart | None:
    timeline = figures["timeline"] if figures else None
    if timeline is None:
        return None
    over = not study.takes_answers or now.done >= now.wanted
    return chart_of(
        timeline=timeline,
        panels=[str(panel.id) for panel in now.panels],
        wanted=now.wanted,
        until=None if over else now.at,
    )


# ---- what needs the researcher

ACTIONS = {
    "arrivals": "See arrivals",
    "stuck": "See who",
    "failed-two": "Decide",
    "flagged": "See who",
    "decide": "Decide",
}


def _lines(study: Study, needs: Sequence[Need]) -> list[Line]:
    return [Line(need, address_of_need(study, need), ACTIONS.get(need.page, "")) for need in needs]


def address_of_need(study: Study, need: Need) -> str:
    people = reverse("annotation:people", args=[study.slug])
    if need.page in ("stuck", "failed-two", "flagged"):
        return f"{people}?state={need.page}"
    if need.page == "decide":
        return f"{reverse('prolific:arrivals', args=[study.slug])}?status=AWAITING+REVIEW"
    if need.page == "arrivals":
        return reverse("prolific:arrivals", args=[study.slug])
    return ""
