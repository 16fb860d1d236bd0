"""A judge that is shown all items of a unit at once and puts them in order, as annotators do.

Models prefer places: what is shown first, say. So a unit is asked about in several orders, all of
them or a seeded pair that puts each item elsewhere, and an item's score is its mean rank, 1 best:

    triplet_rank = mean over orders, then over the item's units, of its rank;  lower is better

Each order's answer, and how often the item shown first was put first, is kept. The calls of a unit
are the same for all its items, and are paid for once.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from statistics import fmean
from typing import Any, cast

from scoring.backends.chat import BadAnswerError, Message, Picture, Request
from scoring.backends.chat import Choice as Answered
from scoring.backends.pictures import MediaError
from scoring.backends.shown_media import shown
from scoring.metrics.base import (
    CHAT_MODEL,
    Choice,
    Declaration,
    MetricItem,
    Needs,
    Output,
    Parameter,
    ScoreRow,
)
from scoring.metrics.chat_metric import ChatMetric, Name
from scoring.metrics.item_pictures import media_reason
from scoring.metrics.judged_media import CLIPS, FIELDS, REASONS, words
from scoring.prompting.asking import Answer

PROMPT = "judge/triplet"
Shown = tuple[str, tuple[int, ...]]
"""A unit, and its items' places in the order in which they are shown."""

LETTERS = "ABCDEFGH"
RANK = "triplet_rank"
MOST_ITEMS = 4  # 24 orders

ORDERS = Choice(
    name="orders",
    label="the orders",
    help="All orders even out preferences of places; a pair costs less.",
    options=(("all", "all orders"), ("pair", "a seeded pair of orders")),
)
SEED = Parameter(
    name="seed",
    label="the seed of the pair",
    help="Which two orders a unit is shown in, where it is a pair.",
    low=0,
    high=2**31,
    required=False,
    default=0,
    whole=True,
)
UNIT_FRAMES = Parameter(
    name="frames",
    label="the number of frames of a clip",
    help="Evenly spaced over each clip.",
    low=1,
    high=16,
    required=False,
    default=6,
    whole=True,
)


def read_order(choice: Answered, request: Request) -> dict[str, Any]:
    """Every letter of the unit once. Raises ``BadAnswerError``."""
    answer: dict[str, Any] = choice.json(request.schema or {"type": "object"})
    shown_letters = [
        part.removesuffix(":")
        for message in request.messages
        for part in message.parts
        if isinstance(part, str) and len(part) == 2 and part.endswith(":")
    ]
    if sorted(answer["order"]) != sorted(shown_letters):
        raise BadAnswerError(
            "parse_failed", f"The order {answer['order']} is not of {', '.join(shown_letters)}."
        )
    return answer


class TripletJudge(ChatMetric):
    """``inputs`` of an item: ``units``, each ``key``, ``prompt``, ``country`` and ``items`` (key,
    file, kind, sha256 of every item of the unit, in the unit's order)."""

    read = staticmethod(read_order)
    declaration = Declaration(
        key="triplet_judge",
        name="Triplet judge",
        family="Judges",
        version="1",
        modality="video",
        source="CultureScore's ranking step asked of a model; the prompt is ours",
        needs=Needs(item_fields=FIELDS, backend="chat"),
        outputs=(Output(key=RANK, name="Mean rank", low=1, high=MOST_ITEMS, better="lower"),),
        parameters=(CHAT_MODEL, ORDERS, SEED, UNIT_FRAMES, CLIPS),
        reasons=(*REASONS, "no_unit"),
    )

    def asked(self, item: MetricItem, parameters: Mapping[str, Any]) -> dict[Name, Request] | str:
        units = [u for u in item.inputs.get("units", ()) if 2 <= len(u["items"]) <= MOST_ITEMS]
        if not units:
            return "no_unit"
        requests: dict[Name, Request] = {}
        for unit in units:
            try:
                pictures = [_shown(one, parameters) for one in unit["items"]]
            except MediaError as error:
                return media_reason(error)
            for order in orders_of(unit, parameters):
                requests[unit["key"], order] = _request(item, unit, pictures, order, parameters)
        return requests

    def rows(
        self, item: MetricItem, answers: Mapping[Name, Answer], parameters: Mapping[str, Any]
    ) -> Iterator[ScoreRow]:
        ranks: dict[str, list[int]] = {}
        told: list[dict[str, Any]] = []
        units = {unit["key"]: unit for unit in item.inputs["units"]}
        for name, answer in answers.items():
            unit_key, order = cast(Shown, name)
            place = [one["key"] for one in units[unit_key]["items"]].index(item.key)
            told.append(_told(unit_key, order, place, answer))
            if not answer.reason:
                ranks.setdefault(unit_key, []).append(told[-1]["rank"])
        if not ranks:
            reason = next(iter(answers.values())).reason
            yield ScoreRow(item.key, RANK, "", None, reason, {"orders": told})
            return
        read = [one for one in told if "rank" in one]
        evidence = {
            "orders": told,
            "first_shown_put_first": fmean(one["first_put_first"] for one in read),
        }
        value = fmean(fmean(own) for own in ranks.values())
        yield ScoreRow(item.key, RANK, "", value, "", evidence)


def orders_of(unit: Mapping[str, Any], parameters: Mapping[str, Any]) -> list[tuple[int, ...]]:
    """The orders in which a unit is shown: all, or two in which no item keeps its place."""
    every = list(permutations(range(len(unit["items"]))))
    if parameters["orders"] == "all":
        return every
    rng = random.Random(f"{int(parameters['seed'])}:{unit['key']}")
    first = rng.choice(every)
    apart = [order for order in every if all(a != b for a, b in zip(first, order, strict=True))]
    return [first, rng.choice(apart)]


def _shown(one: Mapping[str, str], parameters: Mapping[str, Any]) -> tuple[Picture, ...]:
    frames, manner = int(parameters["frames"]), parameters["clips"]
    return shown(one["file"], one["kind"], frames=frames, manner=manner)


def _request(
    item: MetricItem,
    unit: Mapping[str, Any],
    pictures: Sequence[tuple[Picture, ...]],
    order: tuple[int, ...],
    parameters: Mapping[str, Any],
) -> Request:
    kind = "clips" if unit["items"][0]["kind"] == "video" else "pictures"
    request = words(item, PROMPT).request(
        model=str(parameters["model"]),
        inputs={
            "country": unit["country"],
            "prompt": unit["prompt"],
            "count": f"{len(order)} {kind}",
        },
    )
    parts: list[str | Picture] = []
    for letter, place in zip(LETTERS, order, strict=False):
        parts += [f"{letter}:", *pictures[place]]
    system, user = request.messages
    return replace(request, messages=(system, Message("user", (*parts, *user.parts))))


def _told(unit: str, order: tuple[int, ...], place: int, answer: Answer) -> dict[str, Any]:
    """``rank`` is the item's, from 1; ``shown`` its place on the screen, from 1."""
    at = order.index(place)
    told: dict[str, Any] = {"unit": unit, "shown": at + 1}
    if answer.reason:
        return {**told, "reason": answer.reason, "error": answer.sentence}
    ranking = answer.value["order"]
    return {
        **told,
        "rank": ranking.index(LETTERS[at]) + 1,
        "first_put_first": ranking[0] == LETTERS[0],
        "why": answer.value["reason"],
    }


TRIPLET_JUDGE = TripletJudge()
