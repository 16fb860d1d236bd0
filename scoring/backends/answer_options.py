"""How probable each of a few given answers is to a chat model.

A model that tells log-probabilities gives a distribution over the options at the first place of its
answer that is not blank. A server lists the most probable tokens of that place only (up to 20): an
option that is not listed is less probable than every listed one; it counts as 0 and is named in
``unlisted``. Spellings that differ by case or blanks around them are one option.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scoring.backends.chat import REFUSED, BadAnswerError, Choice, Request

LISTED = 20  # most probable tokens asked for; servers give no more
_LEADING = 4  # tokens: blanks may come before the answer


@dataclass(frozen=True, slots=True)
class OptionProbabilities:
    """``of`` sums to 1 over the options; ``mass`` is what they have together of all answers."""

    of: Mapping[str, float]
    mass: float
    unlisted: tuple[str, ...] = ()

    @property
    def most_probable(self) -> str:
        """Of equal ones the first."""
        return max(self.of, key=lambda option: self.of[option])


def among(request: Request, options: Sequence[str]) -> Request:
    """``request``, to be answered by one of ``options``, with the probability of each."""
    if len({_plain(option) for option in options}) < len(options) or len(options) < 2:
        raise ValueError(f"These options cannot be told apart: {list(options)}")
    return replace(
        request, options=tuple(options), logprobs=LISTED, max_tokens=_LEADING, schema=None, n=1
    )


def option_probabilities(choice: Choice, options: Sequence[str]) -> OptionProbabilities:
    """The distribution over ``options`` at the answer's first place that is not blank.

    Raises ``BadAnswerError`` with the reason ``refused``, ``no_logprobs`` where the model tells no
    log-probabilities, and ``parse_failed`` where no option is among the listed tokens.
    """
    if choice.outcome == REFUSED:
        raise BadAnswerError("refused", f"The model refused: {choice.text[:200]}")
    if choice.tokens is None:
        raise BadAnswerError(
            "no_logprobs", "The model tells no log-probabilities, which this score is made of."
        )
    place = next((token for token in choice.tokens if token.text.strip()), None)
    if place is None:
        raise BadAnswerError("parse_failed", "The answer is empty.")
    listed = {place.text: place.logprob, **place.top}
    by_option = {_plain(option): option for option in options}
    sums = dict.fromkeys(options, 0.0)
    for text, logprob in listed.items():
        option = by_option.get(_plain(text))
        if option is not None:
            sums[option] += math.exp(logprob)
    mass = math.fsum(sums.values())
    if mass == 0:
        raise BadAnswerError(
            "parse_failed",
            f"None of {', '.join(options)} is among the most probable answers, which begin with "
            f"{place.text!r}.",
        )
    return OptionProbabilities(
        of={option: value / mass for option, value in sums.items()},
        mass=min(mass, 1.0),
        unlisted=tuple(option for option, value in sums.items() if value == 0),
    )


def continuation_logprob(choice: Choice) -> float:
    """The log-probability of the request's continuation, the sum over its tokens (natural log).

    Raises ``BadAnswerError`` with the reason ``no_logprobs``.
    """
    if not choice.tokens:
        raise BadAnswerError(
            "no_logprobs", "The model tells no log-probabilities of a text that it is given."
        )
    return math.fsum(token.logprob for token in choice.tokens)


def _plain(text: str) -> str:
    return text.strip().casefold()
