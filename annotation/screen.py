"""What one rating screen shows, worked out from its sheet and the answers so far.

Nothing here names a system, a file, an item id or another person.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from annotation.addresses import address
from annotation.cards import Card, Step, blank_steps, steps_of
from annotation.kinds import Fields
from annotation.models import Assignment, Participation
from annotation.prepared import INTEGERS, Prepared
from annotation.sheet import Sheet
from annotation.timing import SecondsBetween
from annotation.words import (
    is_loading,
    item_name,
    place_in_session,
    place_of_sent,
    to_be_rated,
)
from studies.design import Design
from studies.models import ElementPicture, Item


@dataclass(frozen=True)
class Medium:
    """One stimulus. ``letter`` and ``name`` tell the items of a set apart; ``duration`` in s."""

    kind: str
    public_id: str
    url: str
    poster_url: str
    width: int | None
    height: int | None
    alt: str
    name: str
    letter: str
    duration: float | None


@dataclass(frozen=True)
class Screen:
    """``reached`` is the last tier that is open; ``sent``: it was sent, ``locked``: for good.

    ``practice``: it counts for nothing, and once sent has ``feedback``.
    ``opened``: the answers that were posted have opened a question that was not shown before.
    ``questions``: their HTML, where it is not to be drawn from the steps.
    """

    n: int
    total: int
    done_percent: int
    heading: str
    media: tuple[Medium, ...]
    media_kind: str
    loading: str
    prompt: str
    element: str
    sound_off: bool
    watch_share: float
    steps: tuple[Step, ...]
    submit_url: str
    problem_url: str
    help_url: str
    reached: int = 1
    draft_url: str = ""
    back_url: str = ""
    next_url: str = ""
    next_n: int | None = None
    element_picture: ElementPicture | None = None
    key: str = ""
    timing: str = ""
    draft_counter: int = 0
    minutes_left: int | None = None
    saved_answers: bool = False
    shortcuts: bool = True
    preview: bool = False
    sent: bool = False
    locked: bool = False
    opened: bool = False
    practice: bool = False
    feedback: object | None = None
    questions: str = ""

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards of every step that is open."""
        return tuple(card for step in self.open_steps for card in step.cards)

    @property
    def open_steps(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.state != "later")

    @property
    def in_steps(self) -> bool:
        return len(self.steps) > 1

    @property
    def step_now(self) -> Step | None:
        return next((step for step in self.steps if step.state == "now"), None)

    @property
    def next_step(self) -> int | None:
        """The number of the step that opens next; None on the last one."""
        later = (step for step in self.steps if step.state == "later")
        return next((step.number for step in later), None)

    @property
    def has_clips(self) -> bool:
        return any(medium.kind != "image" for medium in self.media)

    @property
    def must_watch(self) -> bool:
        return self.watch_share > 0 and self.has_clips

    @property
    def missing(self) -> int:
        return sum(1 for card in self.cards if card.faulty)


@dataclass(frozen=True)
class Neighbours:
    """The numbers of the screens before and after one; None where there is none."""

    before: int | None = None
    after: int | None = None


def rating_screen(
    *,
    person: Participation,
    assignment: Assignment,
    sheet: Sheet,
    around: Neighbours,
    fields: Fields | None = None,
    errors: Mapping[str, str] | None = None,
    opened: bool = False,
) -> Screen:
    """A person's open screen: with their draft, or with a refused form and its errors."""
    reached = reached_tier(assignment, sheet)
    if fields is None and not assignment.draft:
        steps = blank_steps(sheet)
    else:
        kept = Fields.kept(_answers_of(assignment)) if fields is None else fields
        steps = steps_of(sheet, kept, errors or {}, reached=reached)
    return Screen(
        **_common(person, assignment, sheet, around),
        steps=steps,
        reached=reached,
        draft_url=address("draft", person.token, assignment.n),
        draft_counter=assignment.draft_counter,
        minutes_left=minutes_left(person, assignment.n, sheet.design),
        saved_answers=bool(assignment.draft) and fields is None,
        opened=opened,
    )


def sent_screen(
    *,
    person: Participation,
    assignment: Assignment,
    sheet: Sheet,
    around: Neighbours,
    fields: Fields,
    errors: Mapping[str, str] | None = None,
    opened: bool = False,
) -> Screen:
    """A screen that was sent, its answers filled in; they can be changed where the study allows."""
    after = around.after
    common = _common(person, assignment, sheet, around)
    common["heading"] = place_of_sent(sheet.facts.media_kind, assignment.n, person.n_units)
    return Screen(
        **common,
        steps=steps_of(sheet, fields, errors or {}, reached=None),
        next_n=after,
        next_url=(
            address("unit_now", person.token)
            if after is None
            else address("unit", person.token, after)
        ),
        sent=True,
        opened=opened,
        locked=not sheet.design.allow_changes,
    )


def preview_screen(
    *,
    url: str,
    n: int,
    total: int,
    sheet: Sheet,
    reached: int,
    fields: Fields,
    errors: Mapping[str, str],
) -> Screen:
    """The same screen for the researcher, from the design as it stands; nothing is saved."""
    return Screen(
        **_shown(sheet, n, total),
        steps=steps_of(sheet, fields, errors, reached=reached),
        reached=reached,
        submit_url=url,
        problem_url=url,
        help_url=url,
        preview=True,
    )


def practice_screen(
    *,
    url: str,
    next_url: str,
    help_url: str,
    n: int,
    total: int,
    shortcuts: bool,
    sheet: Sheet,
    reached: int | None,
    fields: Fields,
    errors: Mapping[str, str],
    opened: bool,
    feedback: object | None,
) -> Screen:
    """A practice screen: to be answered, or with ``feedback`` on what was sent."""
    return Screen(
        **_shown(sheet, n, total),
        steps=steps_of(sheet, fields, errors, reached=reached),
        reached=reached or 1,
        submit_url=url,
        problem_url=url,
        help_url=help_url,
        next_url=next_url,
        shortcuts=shortcuts and feedback is None,
        opened=opened,
        practice=True,
        sent=feedback is not None,
        locked=feedback is not None,
        feedback=feedback,
    )


def reached_tier(assignment: Assignment, sheet: Sheet) -> int:
    """The last tier that is open on this screen: the first one until a step is done."""
    wanted = assignment.draft.get(STEP, 0)
    open_tiers = [tier for tier in sheet.tiers if tier <= wanted]
    return open_tiers[-1] if open_tiers else next(iter(sheet.tiers), 1)


LATELY = 15  # screens from which the time left is reckoned
STEP = "step"  # the key of a draft that holds the last open tier, beside the form's fields


def _answers_of(assignment: Assignment) -> dict:
    return {name: texts for name, texts in assignment.draft.items() if name != STEP}


def _common(person: Participation, assignment: Assignment, sheet: Sheet, around: Neighbours):
    at = [person.token, assignment.n]
    back = around.before
    return _shown(sheet, assignment.n, person.n_units) | {
        "submit_url": address("unit", *at),
        "problem_url": address("problem", *at),
        "help_url": address("help", person.token),
        "back_url": address("unit", person.token, back) if back else "",
        "key": assignment.key,
        "timing": json.dumps(assignment.timing) if assignment.timing else "",
        "shortcuts": person.shortcuts,
    }


def _shown(sheet: Sheet, n: int, total: int) -> dict:
    """What a screen shows besides its questions."""
    facts, design = sheet.facts, sheet.design
    prompts = {item.prompt for item in facts.items}
    return {
        "n": n,
        "total": total,
        "done_percent": round(100 * (n - 1) / total) if total else 0,
        "heading": place_in_session(facts.media_kind, n, total),
        "media": tuple(_medium(sheet, item, n) for item in facts.items),
        "media_kind": facts.media_kind,
        "loading": is_loading(facts.media_kind),
        # Items of a set may have been asked for differently; then no one prompt is theirs.
        "prompt": prompts.pop() if design.show_prompt and len(prompts) == 1 else "",
        "element": facts.element if design.show_element else "",
        "element_picture": facts.element_picture,
        "sound_off": design.sound == "off",
        "watch_share": design.watch_share,
    }


def _medium(sheet: Sheet, item: Item, n: int) -> Medium:
    alone = sheet.facts.only_item is not None
    letter = "" if alone else sheet.facts.letters[item.pk]
    return Medium(
        kind=item.kind,
        public_id=item.public_id,
        url=item.media_url,
        poster_url=item.poster_url,
        width=item.width,
        height=item.height,
        alt=to_be_rated(item.kind, letter or n),
        name=item_name(item.kind, letter),
        letter=letter,
        duration=item.duration,
    )


_TIMES = Prepared(
    lambda person: (
        Assignment.objects.filter(participation=person, submitted_at__isnull=False)
        .order_by("-n")
        .values_list(SecondsBetween("submitted_at", "served_at"))[: 2 * LATELY]
    ),
    INTEGERS[0],
)


def minutes_left(person: Participation, n: int, design: Design) -> int | None:
    """Whole minutes, rounded up, from this person's own median of late; None under one.

    Before three screens are sent, from the study's estimate. From one screen to the next of the
    last ``LATELY`` it rises by one minute at most.
    """
    seconds = [spent for (spent,) in reversed(_TIMES.rows(person.pk))]
    shown = 0
    for done in range(max(0, len(seconds) - LATELY), len(seconds) + 1):
        screens = person.n_units - n + 1 + len(seconds) - done
        left = screens * _seconds_each(seconds[max(0, done - LATELY) : done], design)
        shown = min(ceil(left / 60), shown + 1 if shown else ceil(left / 60))
    return shown if left >= 60 else None


def _seconds_each(seconds: Sequence[float], design: Design) -> float:
    if len(seconds) < 3:
        return 60 * design.estimated_minutes / max(design.units_per_session, 1)
    return sorted(seconds)[len(seconds) // 2]
