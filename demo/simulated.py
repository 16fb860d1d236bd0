"""Simulated ratings of the demo's items, driven by what was drawn right and wrong.

They exist so that a first report shows numbers, and are labelled as simulated wherever they show.
Model: each question has a latent value of the item on 1 to 5, each rater a leniency and a
sharpness, each answer its own noise; the sum is rounded and kept within 1 to 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demo.elements import SCENES
from demo.scenes import ACTIVITIES, DemoItem

LENIENCY_SD = 0.45  # between raters, in scale points
NOISE_SD = {"faithfulness": 1.2, "hallucination": 1.2, "exaggeration": 1.1}
RATIONALE_FROM = 3  # hallucination from which a rationale is required
MEDIAN_SECONDS = 34.0


@dataclass(frozen=True)
class SimulatedAnswer:
    """One rater's answers to one item: values 1 to 5, a sentence or "", seconds on the screen."""

    item_id: str
    rater: str
    values: dict[str, int]
    rationale: str
    seconds: float


def simulated_ratings(
    items: Sequence[DemoItem],
    raters: Sequence[str],
    questions: Sequence[str],
    rng: np.random.Generator,
) -> list[SimulatedAnswer]:
    """An answer for every pair of rater and item, rater by rater; same generator, same answers.

    ``questions`` are among faithfulness, hallucination and exaggeration (``ValueError``
    otherwise). Callers take the pairs that were really assigned.
    """
    unknown = [question for question in questions if question not in NOISE_SD]
    if unknown:
        raise ValueError(f"no simulation for the question {unknown[0]!r}")
    answers = []
    for rater in raters:
        leniency = rng.normal(0, LENIENCY_SD)
        sharpness = rng.uniform(0.75, 1.1)
        pace = rng.lognormal(0, 0.25)
        for item in items:
            values = {}
            for question in questions:
                towards = leniency if question == "faithfulness" else -leniency
                centred = sharpness * (latent_value(item, question) - 3)
                noise = rng.normal(0, NOISE_SD[question])
                values[question] = int(np.clip(round(3 + centred + towards + noise), 1, 5))
            wrong = values.get("hallucination", 1) >= RATIONALE_FROM
            rationale = _rationale(item, rng) if wrong else ""
            seconds = MEDIAN_SECONDS * pace * rng.lognormal(0, 0.35) + 0.25 * len(rationale)
            answers.append(
                SimulatedAnswer(item.item_id, rater, values, rationale, round(seconds, 1))
            )
    return answers


def latent_value(item: DemoItem, question: str) -> float:
    """What an unbiased rater would answer on average, 1 to 5, before rounding."""
    shown = min(1.0, max(0.0, (item.right_share - 0.3) / 0.65))
    stray = min(1.0, item.stray_share / 0.55)
    share = {
        "faithfulness": 0.6 * shown + 0.4 * (1 - stray),
        "hallucination": 0.85 * stray + 0.15 * (1 - shown),
        # What is pushed too far shows most in pictures that have all of it, or much besides.
        "exaggeration": 0.1 * shown + 0.75 * stray,
    }[question]
    return 1 + 4 * share


def _rationale(item: DemoItem, rng: np.random.Generator) -> str:
    if item.origin == "real":
        return (
            f"A photograph of something else. I see nothing of a {ACTIVITIES[item.activity]} in it."
        )
    if item.stray:
        picked = rng.permutation(len(item.stray))[: int(rng.integers(1, 3))]
        named = " and ".join(item.stray[number].predicted for number in picked)
        opening = ("This does not belong:", "What does not fit here:", "Strange in this picture:")
        return f"{opening[int(rng.integers(len(opening)))]} {named}."
    keys = set(item.keys)
    missing = [e for e in SCENES[item.country, item.activity] if e.key not in keys]
    if missing:
        return f"I miss this: {missing[int(rng.integers(len(missing)))].reference}."
    return "It looks too tidy, real life is more mixed than this."
