"""Which questions a metric is held against, as the study's analysis plan names them.

A plan names a metric as its paper does: "HAL", "CLIPScore", "target-explicit judge". Here such a
name is matched with an output's or metric's name or key, letters and figures alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from scoring.analysis.series import SeriesFacts

Targets = Mapping[str, Sequence[str]]


def targets_of(targets: Targets, facts: SeriesFacts, questions: Collection[str]) -> tuple[str, ...]:
    """The keys of the questions that a series is held against, of those there are.

    A dimension that bears a question's name is held against that question alone. A metric that a
    plan with targets does not name has none; a plan without any targets leaves all questions open.
    """
    same = tuple(key for key in questions if bears_name_of(facts, key))
    if same:
        return same
    if not targets:
        return tuple(questions)
    return tuple(key for key in _named(targets, facts) if key in questions)


def bears_name_of(facts: SeriesFacts, question: str) -> bool:
    """Whether a series is a metric's dimension with the name of a question."""
    return bool(facts.dimension) and _plain(facts.dimension) == _plain(question)


def _named(targets: Targets, facts: SeriesFacts) -> Sequence[str]:
    """What the plan says of the output; if it does not name it, what it says of its metric."""
    by_name = {_plain(name): keys for name, keys in targets.items()}
    whole = facts.name.split(" \u00b7 ")[0]
    for name in (facts.output, whole, facts.metric, facts.metric_name):
        if _plain(name) in by_name:
            return by_name[_plain(name)]
    return ()


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
