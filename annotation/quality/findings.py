"""What speaks against somebody's answers, in numbers: pure functions on arrays.

Every function takes columns of equal length, one entry an answer or a screen, with people as codes
from 0, and returns {person: Finding} for everybody of whom there is enough to say something. None
of them judges: a finding's ``value`` is held against a rule's threshold elsewhere (`rules`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from scoring.stats.consistency import SelfConsistency, self_consistency
from scoring.stats.scale import declare_scale

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FAST_OF_MEDIAN = 1 / 3
"""A screen is very fast below this share of the study's median."""

LEAST_PEOPLE = 3
LEAST_SCREENS = 5
LEAST_ANSWERS = 10
LEAST_OF_A_QUESTION = 5
LEAST_CHOICES = 8
LEAST_REPEATS = 4


@dataclass(frozen=True, slots=True)
class Finding:
    """``value`` is what a threshold is held against; ``sentence`` says it with its numbers.

    ``numbers`` are all numbers it rests on, ``screens`` the numbers of the screens concerned, where
    it is about some of them.
    """

    value: float
    sentence: str
    numbers: dict[str, float | int | None] = field(default_factory=dict)
    screens: tuple[int, ...] = ()


def very_fast(
    *, person: npt.ArrayLike, screen: npt.ArrayLike, active: npt.ArrayLike, clip: npt.ArrayLike
) -> dict[int, Finding]:
    """The share, 0 to 1, of somebody's measured screens that were sent very fast.

    ``active`` holds seconds of work, idle time left out; ``clip`` the seconds of the longest clip
    of the unit, 0 without one. Very fast is below a third of the median over all the study's
    screens, or below the clip's length: nobody can have seen it. Fewer than 3 people have no
    median to be held against: of two, one would be measured by the other.
    """
    who, n, seconds = _ints(person), _ints(screen), np.asarray(active, dtype=np.float64)
    if seconds.size == 0:
        return {}
    measured = np.bincount(who)
    fast = seconds < np.asarray(clip, dtype=np.float64)
    median = None
    if np.count_nonzero(measured >= LEAST_SCREENS) >= LEAST_PEOPLE:
        median = float(np.median(seconds))
        fast |= seconds < FAST_OF_MEDIAN * median
    usual = "" if median is None else f", {median:.0f} s in the study"
    n_fast = np.bincount(who, weights=fast)
    found = {}
    for one, rows in _rows_of(who, measured >= LEAST_SCREENS):
        of, hits = int(measured[one]), int(n_fast[one])
        own = float(np.median(seconds[rows]))
        found[one] = Finding(
            hits / of,
            f"{hits} of {of} screens were very fast: median {own:.0f} s of work{usual}.",
            {"fast": hits, "measured": of, "median": own, "study_median": median},
            tuple(sorted(n[rows][fast[rows]].tolist())),
        )
    return found


def same_answer(
    *, person: npt.ArrayLike, question: npt.ArrayLike, value: npt.ArrayLike
) -> dict[int, Finding]:
    """How far somebody gives one answer throughout, up to 1: no variance at all.

    For each question with at least 5 answers the most frequent answer is counted; the value is the
    share of these among all answers to such questions.
    """
    who, what, points = _ints(person), _ints(question), _ints(value)
    if who.size == 0:
        return {}
    cells, counts = np.unique(np.stack([who, what, points]), axis=1, return_counts=True)
    pairs, first = np.unique(cells[:2], axis=1, return_inverse=True)
    first = np.ravel(first)
    total = np.bincount(first, weights=counts).astype(np.int64)
    most = np.zeros(total.size, dtype=np.int64)
    np.maximum.at(most, first, counts)
    enough = total >= LEAST_OF_A_QUESTION
    n_people = int(who.max()) + 1
    answers = np.bincount(pairs[0][enough], weights=total[enough], minlength=n_people)
    same = np.bincount(pairs[0][enough], weights=most[enough], minlength=n_people)
    judged = np.flatnonzero(answers >= LEAST_ANSWERS)
    if judged.size == 0:
        return {}
    shares = same[judged] / answers[judged]
    usual = float(np.median(shares))
    return {
        one: Finding(
            float(share),
            f"{same[one]:.0f} of {answers[one]:.0f} answers on scales repeat the same point of "
            f"their question ({_percent(share)}; usual here: {_percent(usual)}).",
            {"same": int(same[one]), "answers": int(answers[one]), "usual": usual},
        )
        for one, share in zip(judged.tolist(), shares.tolist(), strict=True)
    }


def same_position(
    *, person: npt.ArrayLike, position: npt.ArrayLike, places: npt.ArrayLike
) -> dict[int, Finding]:
    """The largest share, up to 1, of somebody's choices that fell on one position of the screen.

    One entry a choice: the first place of a ranking, or an item marked in a multi-select.
    ``position`` is where it stood, from 0, among ``places`` items; one that stands alone leaves no
    choice.
    """
    who, where, among = _ints(person), _ints(position), _ints(places)
    choice = among > 1
    who, where, among = who[choice], where[choice], among[choice]
    if who.size == 0:
        return {}
    table = np.zeros((int(who.max()) + 1, int(where.max()) + 1), dtype=np.int64)
    np.add.at(table, (who, where), 1)
    total, most = table.sum(axis=1), table.max(axis=1)
    by_chance = np.bincount(who, weights=1 / among) / np.maximum(total, 1)
    found = {}
    for one in np.flatnonzero(total >= LEAST_CHOICES).tolist():
        place, hits, of = int(table[one].argmax()), int(most[one]), int(total[one])
        found[one] = Finding(
            hits / of,
            f"{hits} of {of} choices fell on position {place + 1} of the screen "
            f"({_percent(hits / of)}; {_percent(by_chance[one])} by chance).",
            {
                "same": hits,
                "choices": of,
                "position": place + 1,
                "by_chance": float(by_chance[one]),
            },
        )
    return found


def unlike_themselves(
    *,
    person: npt.ArrayLike,
    about: npt.ArrayLike,
    earlier: npt.ArrayLike,
    later: npt.ArrayLike,
    points: Sequence[int],
) -> dict[int, Finding]:
    """The share, 0 to 1, of answers to repeated units that came within one point of the first time.

    One entry a question of a repeated unit; ``about`` codes unit and question, ``points`` are the
    scale's values in order. Weighted kappa is Cohen's (1968) with quadratic weights.
    """
    who, subject = _ints(person), _ints(about)
    if who.size == 0:
        return {}
    code = {point: index for index, point in enumerate(sorted(points))}
    answers = [[code[int(point)] for point in _ints(column)] for column in (earlier, later)]
    results = self_consistency(
        unit=np.concatenate([subject, subject]),
        rater=np.concatenate([who, who]),
        category=np.concatenate([np.asarray(column, dtype=np.intp) for column in answers]),
        scale=declare_scale(level="ordinal", categories=sorted(points)),
    )
    return {
        result.rater: _consistency(result, result.exact, result.within_one)
        for result in results
        if result.rater is not None
        and result.exact is not None
        and result.within_one is not None
        and result.n_repeats >= LEAST_REPEATS
    }


def _consistency(result: SelfConsistency, exact: float, within_one: float) -> Finding:
    kappa = "not defined" if result.kappa is None else f"{result.kappa:.2f}"
    return Finding(
        within_one,
        f"{_percent(within_one)} of {result.n_repeats} repeated answers came within one point of "
        f"the first time, {_percent(exact)} were the same; weighted kappa {kappa}.",
        {
            "repeats": result.n_repeats,
            "exact": exact,
            "within_one": within_one,
            "kappa": result.kappa,
        },
    )


def far_from_others(
    *,
    person: npt.ArrayLike,
    group: npt.ArrayLike,
    value: npt.ArrayLike,
    span: npt.ArrayLike,
) -> dict[int, Finding]:
    """The mean distance of somebody's answers from the others' mean, as a share of the scale.

    ``group`` codes what was answered about by the same panel (unit and question); ``span`` is the
    scale's length. Leave-one-out: nobody is compared with themselves. Information only, since a
    minority view is no error.
    """
    who, same, points = _ints(person), _ints(group), np.asarray(value, dtype=np.float64)
    if who.size == 0:
        return {}
    n = np.bincount(same)[same]
    total = np.bincount(same, weights=points)[same]
    shared = n > 1
    others = (total[shared] - points[shared]) / (n[shared] - 1)
    apart = np.abs(points[shared] - others) / np.asarray(span, dtype=np.float64)[shared]
    n_people = int(who.max()) + 1
    answers = np.bincount(who[shared], minlength=n_people)
    summed = np.bincount(who[shared], weights=apart, minlength=n_people)
    judged = np.flatnonzero(answers >= LEAST_ANSWERS)
    if judged.size == 0:
        return {}
    means = summed[judged] / answers[judged]
    usual = float(np.median(means))
    return {
        one: Finding(
            float(mean),
            f"{_percent(mean)} of the scale away from the mean of the others over "
            f"{answers[one]} answers (usual here: {_percent(usual)}).",
            {"distance": float(mean), "answers": int(answers[one]), "usual": usual},
        )
        for one, mean in zip(judged.tolist(), means.tolist(), strict=True)
    }


def _rows_of(who: Ints, wanted: npt.NDArray[np.bool_]):
    """(person, their rows) of everybody wanted, each person once."""
    order = np.argsort(who, kind="stable")
    people, starts = np.unique(who[order], return_index=True)
    for one, rows in zip(people.tolist(), np.split(order, starts[1:]), strict=True):
        if wanted[one]:
            yield one, rows


def _ints(column: npt.ArrayLike) -> Ints:
    return np.asarray(column, dtype=np.int64)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
