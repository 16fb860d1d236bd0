"""A frozen design in one of its languages. Pure: the words were frozen with the design."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from studies.design import (
    CheckSpec,
    ComprehensionSpec,
    Design,
    Point,
    QuestionSpec,
    ScreeningSpec,
    frozen_design,
    lines,
    paragraphs,
)


@lru_cache(maxsize=1024)
def frozen_design_in(study_id: int, number: int, language: str) -> Design:
    """The design of a revision as somebody who reads ``language`` sees it."""
    return in_language(frozen_design(study_id, number), language)


def in_language(design: Design, language: str) -> Design:
    """``design`` with its words in ``language``; what has no translation stays as it was written.

    Languages are asked for with and without region: "pt-br" finds "pt".
    """
    words = design.translations.get(language) or design.translations.get(language.split("-")[0], {})
    if language == design.base_language:
        return replace(design, language=language)
    if not words:
        return _untranslated(design)
    consent, instructions = words.get("study.consent_summary"), words.get("study.instructions")
    rules = words.get("study.instruction_points")
    return replace(
        design,
        language=language,
        words=words,
        public_title=words.get("study.public_title", design.public_title),
        consent_lines=lines(consent) if consent else design.consent_lines,
        consent_text=words.get("study.consent_text", design.consent_text),
        contact=words.get("study.contact", design.contact),
        paragraphs=paragraphs(instructions) if instructions else design.paragraphs,
        rules=lines(rules) if rules else design.rules,
        questions=tuple(_question(question, words, design) for question in design.questions),
        checks=tuple(_check(check, words, design) for check in design.checks),
        comprehension=tuple(_comprehension(row, words) for row in design.comprehension),
        screening=tuple(_screening(row, words) for row in design.screening),
    )


def _untranslated(design: Design) -> Design:
    """For somebody who reads another language: each question says which one it is written in."""
    base = design.base_language
    questions = tuple(replace(question, language=base) for question in design.questions)
    return replace(design, language=base, questions=questions)


def _question(question: QuestionSpec, words: Mapping[str, str], design: Design) -> QuestionSpec:
    key = f"question.{question.key}"
    return replace(
        question,
        text=words.get(f"{key}.text", question.text),
        help=words.get(f"{key}.help", question.help),
        na_label=words.get(f"{key}.na_label", question.na_label),
        na_description=words.get(f"{key}.na_description", question.na_description),
        points=_points(question.points, key, words),
        language="" if f"{key}.text" in words else design.base_language,
    )


def _points(
    points: tuple[Point, ...], question: str, words: Mapping[str, str]
) -> tuple[Point, ...]:
    def said(point: Point, part: str, text: str) -> str:
        return words.get(f"{question}.point.{point.value}.{part}", text)

    return tuple(
        Point(
            point.value,
            said(point, "label", point.label),
            said(point, "description", point.description),
        )
        for point in points
    )


def _check(check: CheckSpec, words: Mapping[str, str], design: Design) -> CheckSpec:
    return replace(
        check,
        text=words.get(f"{check.key}.text", check.text),
        points=_points(check.points, f"question.{check.scale_of}", words),
    )


def _screening(row: ScreeningSpec, words: Mapping[str, str]) -> ScreeningSpec:
    options = enumerate(row.options, 1)
    return replace(
        row,
        text=words.get(f"{row.key}.text", row.text),
        options=tuple(words.get(f"{row.key}.option.{n}", option) for n, option in options),
    )


def _comprehension(row: ComprehensionSpec, words: Mapping[str, str]) -> ComprehensionSpec:
    return replace(
        row,
        text=words.get(f"{row.key}.text", row.text),
        options=tuple(
            words.get(f"{row.key}.option.{number}", option)
            for number, option in enumerate(row.options, 1)
        ),
        hint=words.get(f"{row.key}.hint", row.hint),
    )
