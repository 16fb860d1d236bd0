"""What goes to a metric that asks a model: the study's prompts, questions as people see them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from scoring.metrics.base import Cell, ParameterError
from scoring.prompt_edits import prompt_inputs
from studies.design import Design, QuestionSpec, current_design, filled_in
from studies.models import ElementPicture, Item, Question, Study, UnitItem
from studies.names import country_name
from studies.scenes import is_shown_for
from studies.words.design_language import in_language

PROMPTS = {
    "ahead_judge": ("ahead/judge",),
    "caire": ("caire/relevance", "caire/titles"),
    "caire_chat": ("caire/alone",),
    "caire_likelihood": ("caire/name", "caire/name_alone"),
    "caire_probes": (),
    "culturescore": ("culturescore/answer",),
    "culturevidbench": ("culturevidbench/target", "culturevidbench/observe"),
    "culturevidbench_plain": ("culturevidbench/plain",),
    "judge": ("judge/question",),
    "triplet_judge": ("judge/triplet",),
    "viescore": ("viescore/semantic", "viescore/perceptual"),
    "unified_reward": ("unified_reward/judge",),
    "vqascore": ("vqascore/shows",),
}
"""The prompts that a metric asks with."""

JUDGED = (
    Question.Kind.LIKERT,
    Question.Kind.YES_NO,
    Question.Kind.CHOICE,
    Question.Kind.SLIDER,
)
"""Kinds of questions whose answer is one number."""


class Prompted:
    """Nothing but the prompts of a metric, in the study's words."""

    metric = ""

    def __init__(self, *, study: Study, parameters: Mapping[str, object]) -> None:
        self.study = study
        self.parameters = parameters
        self._prompts = prompt_inputs(study, PROMPTS[self.metric])

    def item_inputs(self, item: Item) -> Mapping[str, Any]:
        return {"prompts": self._prompts, **self.own_inputs(item)}

    def cell_inputs(self, cell: Cell, items: Sequence[Item]) -> Mapping[str, Any]:
        return {"prompts": self._prompts}

    def own_inputs(self, item: Item) -> Mapping[str, Any]:
        return {}

    @cached_property
    def design(self) -> Design:
        """The study's words in the language asked for. Raises ``ParameterError`` for one that the
        study is not translated into."""
        design = current_design(self.study)
        language = str(self.parameters.get("language") or design.base_language)
        if language != design.base_language and language not in design.translations:
            known = ", ".join([design.base_language, *sorted(design.translations)])
            raise ParameterError(f"The study has no words in {language!r}. It has: {known}.")
        return in_language(design, language)


class CultureScoreInputs(Prompted):
    metric = "culturescore"


class VieScoreInputs(Prompted):
    metric = "viescore"


class UnifiedRewardInputs(Prompted):
    metric = "unified_reward"


class JudgeInputs(Prompted):
    """Questions on single items whose answer is a number and that hang on no other answer."""

    metric = "judge"

    def own_inputs(self, item: Item) -> Mapping[str, Any]:
        return {
            "scene": scene_of(item, self.design),
            "questions": {
                question.key: self._question(question, item) for question in self._questions
            },
        }

    @cached_property
    def _questions(self) -> list[QuestionSpec]:
        if self.design.items_per_unit != 1:
            return []
        return [
            question
            for question in self.design.questions
            if question.kind in JUDGED
            and question.asked_of == Question.AskedOf.UNIT
            and question.shown_if is None
        ]

    def _question(self, question: QuestionSpec, item: Item) -> Mapping[str, Any]:
        return {
            "text": as_people_see_it(question, item, self.design),
            "values": values_of(question),
            "na": question.allow_na,
            "direction": question.direction,
            "applies": applies(question, item, self.design),
            "unordered": question.level == "nominal" and question.kind != Question.Kind.YES_NO,
        }


class CultureVidBenchInputs(Prompted):
    """The criteria of the eight dimensions, by the keys of the preset's questions."""

    metric = "culturevidbench"

    def own_inputs(self, item: Item) -> Mapping[str, Any]:
        inputs: dict[str, Any] = {
            "criteria": {
                question.key: {
                    "text": as_people_see_it(question, item, self.design),
                    "applies": applies(question, item, self.design),
                }
                for question in self.design.questions
                if question.kind == Question.Kind.LIKERT
            }
        }
        if picture := self._pictures.get(item.element_picture):
            inputs["element_picture"] = {"file": picture.media.path, "sha256": picture.sha256}
        return inputs

    @cached_property
    def _pictures(self) -> dict[str, ElementPicture]:
        return {picture.name: picture for picture in self.study.element_pictures.all()}


class CultureVidBenchPlainInputs(CultureVidBenchInputs):
    metric = "culturevidbench_plain"


class TripletInputs(Prompted):
    """The units that an item is shown in, with all their items."""

    metric = "triplet_judge"

    def own_inputs(self, item: Item) -> Mapping[str, Any]:
        units = self._units_of.get(item.pk, ())
        return {"units": [self._unit(unit) for unit in units]}

    @cached_property
    def _members(self) -> dict[int, list[UnitItem]]:
        members = defaultdict(list)
        rated = {"unit__study": self.study, "unit__purpose": Item.Purpose.RATED}
        rows = UnitItem.objects.filter(**rated).select_related("unit", "item")
        for member in rows.order_by("unit__key", "position", "pk"):
            members[member.unit_id].append(member)
        return members

    @cached_property
    def _units_of(self) -> dict[int, list[int]]:
        units = defaultdict(list)
        for unit, members in self._members.items():
            for member in members:
                units[member.item_id].append(unit)
        return units

    def _unit(self, unit: int) -> Mapping[str, Any]:
        members = self._members[unit]
        first = members[0].item
        return {
            "key": members[0].unit.key,
            "prompt": first.prompt,
            "country": country_name(first.country) if first.country else "",
            "items": [
                {
                    "key": str(member.item_id),
                    "file": member.item.media.path,
                    "kind": member.item.kind,
                    "sha256": member.item.sha256,
                }
                for member in members
            ],
        }


def scene_of(item: Item, design: Design) -> str:
    """What an item was to depict, in a line."""
    country = country_name(item.country, design.language or "en") if item.country else ""
    asked_for = item.prompt or item.scenario or item.category
    return ", ".join(part for part in (asked_for, country) if part)


def as_people_see_it(question: QuestionSpec, item: Item, design: Design) -> str:
    """Question, help and every answer with its words, in the language of the design."""
    activity = item.category or item.scenario

    def said(text: str) -> str:
        return filled_in(
            text,
            activity=design.worded(f"activity.{activity}", activity),
            country=item.country,
            language=question.language or design.language or design.base_language,
            words={} if question.language else design.words,
        )

    lines = [said(question.text), said(question.help), *_answers(question, said)]
    if question.allow_na:
        lines.append(": ".join(filter(None, (question.na_label, said(question.na_description)))))
    return "\n".join(line for line in lines if line)


def _answers(question: QuestionSpec, said: Any) -> list[str]:
    if question.kind == Question.Kind.YES_NO:
        return ["1: Yes", "0: No"]
    if question.kind == Question.Kind.SLIDER:
        ends = ", ".join(f"{point.value} is {said(point.label)}" for point in question.points)
        return [f"A whole number from 0 to 100. {ends}"]
    return [
        f"{point.value}: " + ". ".join(filter(None, (said(point.label), said(point.description))))
        for point in question.points
    ]


def values_of(question: QuestionSpec) -> list[int]:
    """The numbers that an answer may have."""
    if question.kind == Question.Kind.YES_NO:
        return [0, 1]
    if question.kind == Question.Kind.SLIDER:
        return list(range(101))
    return [point.value for point in question.points]


def applies(question: QuestionSpec, item: Item, design: Design) -> bool:
    """Whether people are asked the question about this item."""
    heard = item.has_audio and design.sound != "off"
    return is_shown_for(question, item) and (heard or not question.needs_sound)
