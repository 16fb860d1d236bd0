"""The rule on probes that do not fit their country.

A question of relevance is a yes/no about probes, in an earlier tier than another kind of question
about probes. Everybody answers all tiers; answers about probes that the majority of their country's
raters call irrelevant are left out at analysis. A tie is no majority: the probe stays.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from annotation.ratings import NO_VALUE, NOTHING, AnswerTable
from scoring.analysis.asked import AskedQuestion

Codes = npt.NDArray[np.int64]


def relevance_questions(
    asked: tuple[AskedQuestion, ...],
) -> tuple[tuple[AskedQuestion, tuple[AskedQuestion, ...]], ...]:
    """Each question of relevance with the later questions about the same probes."""
    of_probes = [question for question in asked if question.of_probes]
    found = []
    for question in of_probes:
        later = [one for one in of_probes if one.tier > question.tier and one.kind != "yes_no"]
        if question.kind == "yes_no" and later:
            found.append((question, tuple(later)))
    return tuple(found)


def without_irrelevant(answers: AnswerTable, asked: tuple[AskedQuestion, ...]) -> AnswerTable:
    """The answers without those about probes that their country's raters call irrelevant."""
    pairs = relevance_questions(asked)
    if not pairs or not answers.size:
        return answers
    kept = np.ones(answers.size, dtype=bool)
    keys = probe_keys(answers)
    for question, later in pairs:
        asked_here = (answers.question == question.id) & (answers.value != NO_VALUE)
        found, verdict, _ = verdicts(keys[asked_here], answers.value[asked_here])
        about = np.isin(answers.question, [one.id for one in later]) & (answers.probe != NOTHING)
        kept &= ~(about & np.isin(keys, found[verdict < 0]))
    return answers.only(kept)


def probe_keys(answers: AnswerTable) -> Codes:
    """A code of the unit, the probe and the panel's country of each answer."""
    countries = sorted({rater.country for rater in answers.raters})
    code = {country: place for place, country in enumerate(countries)}
    of_rater = np.array([code[rater.country] for rater in answers.raters], dtype=np.int64)
    probes, probe = np.unique(answers.probe, return_inverse=True)
    country = of_rater[answers.rater] if answers.size else answers.unit
    return (answers.unit * max(probes.size, 1) + probe) * max(len(countries), 1) + country


def verdicts(keys: Codes, values: Codes) -> tuple[Codes, Codes, Codes]:
    """(distinct keys, 1 for a majority of yes, -1 of no, 0 for neither, where each comes first)."""
    found, first, place = np.unique(keys, return_index=True, return_inverse=True)
    sums = np.bincount(place, weights=np.where(values == 1, 1.0, -1.0), minlength=found.size)
    return found, np.sign(sums).astype(np.int64), first
