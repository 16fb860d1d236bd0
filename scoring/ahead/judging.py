"""What the judge form of AHEaD is given: the study's own questions, as people see them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from scoring.asked_of_models import Prompted, as_people_see_it, values_of
from scoring.metrics.ahead.judge import AHEAD_JUDGE, HIGH, LOW, OUTPUTS
from scoring.metrics.base import ParameterError
from studies.design import QuestionSpec, current_design
from studies.models import Item, Study


class AheadJudgeInputs(Prompted):
    """``questions`` by part (align, hal, exag); a part whose question the study lacks is absent."""

    metric = "ahead_judge"

    def own_inputs(self, item: Item) -> Mapping[str, Any]:
        asked = {
            part: as_people_see_it(question, item, self.design)
            for part, question in self._questions.items()
        }
        return {"questions": asked}

    @cached_property
    def _questions(self) -> dict[str, QuestionSpec]:
        return judged_questions(self.study, self.parameters)


def judged_questions(study: Study, parameters: Mapping[str, Any]) -> dict[str, QuestionSpec]:
    """By part the question that the parameters (or their defaults) name, where there is one."""
    named = AHEAD_JUDGE.declaration.clean_parameters({"model": "-", **parameters})
    by_key = {question.key: question for question in current_design(study).questions}
    keys = {part: named[f"{part}_question"] for part in OUTPUTS}
    return {part: by_key[key] for part, key in keys.items() if key in by_key}


def resolve(*, study: Study, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as they are. Raises ``ParameterError`` where the study has none of the
    questions, or one of them another scale than 1 to 5."""
    given = {name: value for name, value in parameters.items() if value not in (None, "")}
    questions = judged_questions(study, given)
    if not questions:
        raise ParameterError(
            "The study has none of the questions that the judge is to answer. Name them by their "
            "keys, e.g. faithfulness."
        )
    for question in questions.values():
        if values_of(question) != list(range(LOW, HIGH + 1)):
            raise ParameterError(
                f"The question {question.key} is not on a scale from {LOW} to {HIGH}, which the "
                "judge form of AHEaD answers on. Use the judge that takes any scale."
            )
    return given
