"""A study's design as one frozen value: what annotators are shown, and how answers are read.

``current_design`` builds it from the rows of a draft; launch stores it as a ``DesignRevision``, and
from then on ``frozen_design`` is what everybody sees, so that an answer always points to its words.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from studies.models import DesignRevision, Study
from studies.names import country_name
from studies.special_units import (
    ContradictionSpec,
    ExampleSpec,
    GoldSpec,
    PracticeSpec,
    contradictions_of,
    examples_of,
    gold_of,
    gold_per_session,
    plain_gold,
    practice_of,
)
from studies.words.texts import check_keys, comprehension_keys, screening_keys
from studies.words.translating import frozen_translations


@dataclass(frozen=True)
class Point:
    value: int
    label: str
    description: str


def _points(rows: list[dict[str, Any]]) -> tuple[Point, ...]:
    return tuple(Point(**row) for row in rows)


@dataclass(frozen=True)
class QuestionSpec:
    id: int
    key: str
    kind: str
    text: str
    help: str
    required: bool
    direction: str
    label: str
    min_length: int
    required_when: int | None
    required_from: int | None
    required_to: int | None
    points: tuple[Point, ...]
    tier: int = 1
    level: str = "ordinal"
    asked_of: str = "unit"
    allow_na: bool = False
    na_label: str = ""
    na_description: str = ""
    shown_categories: tuple[str, ...] = ()
    shown_aspects: tuple[str, ...] = ()
    needs_sound: bool = False
    shown_if: int | None = None
    shown_from: int | None = None
    shown_to: int | None = None
    language: str = ""  # that its text is in, where it is not the reader's

    @property
    def values(self) -> frozenset[int]:
        return frozenset(point.value for point in self.points)

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "QuestionSpec":
        tuples = {
            name: tuple(row[name]) for name in ("shown_categories", "shown_aspects") if name in row
        }
        return cls(**{**row, **tuples, "points": _points(row["points"])})


@dataclass(frozen=True)
class CheckSpec:
    id: int
    text: str
    expected: int
    points: tuple[Point, ...]
    key: str = ""
    scale_of: str = ""
    kind: str = ""  # of the question whose scale it is; empty in what older releases froze


@dataclass(frozen=True)
class ComprehensionSpec:
    """A question on the instructions page; ``correct`` is the number of an option, from 1."""

    key: str
    text: str
    options: tuple[str, ...]
    correct: int
    hint: str = ""


@dataclass(frozen=True)
class ScreeningSpec:
    """A question of the study's own before it begins. ``accepted``: lines that fit, from 1; empty:
    all do."""

    key: str
    text: str
    options: tuple[str, ...]
    accepted: tuple[int, ...] = ()

    def fits(self, line: int | None) -> bool:
        return line in self.accepted if self.accepted else line is not None


@dataclass(frozen=True)
class Design:
    revision: int
    public_title: str
    consent_lines: tuple[str, ...]
    consent_text: str
    paragraphs: tuple[str, ...]
    rules: tuple[str, ...]
    contact: str
    estimated_minutes: int
    units_per_session: int
    consent_first: bool
    questions: tuple[QuestionSpec, ...]
    checks: tuple[CheckSpec, ...]
    items_per_unit: int = 1
    shuffle_items: bool = True
    show_prompt: bool = True
    show_element: bool = False
    sound: str = "free"
    devices: str = "any"
    watch_share: float = 0.0
    allow_changes: bool = False
    policy: str = "least-rated"
    avoid_same_prompt: bool = False
    repeats: int = 0
    repeat_gap: int = 5
    base_language: str = "en"
    comprehension: tuple[ComprehensionSpec, ...] = ()
    screening: tuple[ScreeningSpec, ...] = ()
    examples: tuple[ExampleSpec, ...] = ()
    practice: tuple[PracticeSpec, ...] = ()
    gold: tuple[GoldSpec, ...] = ()
    gold_per_session: int = 0
    plain_gold: bool = False
    contradictions: tuple[ContradictionSpec, ...] = ()
    translations: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    language: str = ""  # that the texts above are in
    words: Mapping[str, str] = field(default_factory=dict)  # of its translations, by key

    @property
    def tiers(self) -> tuple[int, ...]:
        """The tiers in use, in order."""
        return tuple(sorted({question.tier for question in self.questions}))

    def question(self, id: int) -> QuestionSpec:
        return next(question for question in self.questions if question.id == id)

    def worded(self, key: str, text: str) -> str:
        """A text of an item, a probe or a descriptor in this design's language, else as it is."""
        return self.words.get(key, text)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Design":
        return cls(
            **{
                **data,
                "consent_lines": tuple(data["consent_lines"]),
                "paragraphs": tuple(data["paragraphs"]),
                "rules": tuple(data["rules"]),
                "questions": tuple(QuestionSpec.from_json(row) for row in data["questions"]),
                "checks": tuple(
                    CheckSpec(**{**row, "points": _points(row["points"])}) for row in data["checks"]
                ),
                "comprehension": tuple(
                    ComprehensionSpec(**{**row, "options": tuple(row["options"])})
                    for row in data.get("comprehension", [])
                ),
                "screening": tuple(
                    ScreeningSpec(
                        row["key"], row["text"], tuple(row["options"]), tuple(row["accepted"])
                    )
                    for row in data.get("screening", [])
                ),
                "examples": tuple(ExampleSpec(**row) for row in data.get("examples", [])),
                "practice": tuple(PracticeSpec.from_json(row) for row in data.get("practice", [])),
                "gold": tuple(GoldSpec.from_json(row) for row in data.get("gold", [])),
                "contradictions": tuple(
                    ContradictionSpec.from_json(row) for row in data.get("contradictions", [])
                ),
            }
        )


def lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def paragraphs(text: str) -> tuple[str, ...]:
    blocks = text.replace("\r\n", "\n").split("\n\n")
    return tuple(block.strip() for block in blocks if block.strip())


def current_design(study: Study) -> Design:
    """The design as the study's rows stand now."""
    asked = study.questions.filter(retired=False).prefetch_related("points")
    questions = tuple(_question(row) for row in asked)
    keys = check_keys(study)
    gold = gold_of(study)
    checks = study.attention_checks.filter(active=True).select_related("scale_of")
    return Design(
        revision=study.revision,
        public_title=study.public_title,
        consent_lines=lines(study.consent_summary),
        consent_text=study.consent_text.strip(),
        paragraphs=paragraphs(study.instructions),
        rules=lines(study.instruction_points),
        contact=study.contact,
        estimated_minutes=study.estimated_minutes,
        units_per_session=study.units_per_session,
        consent_first=study.consent_first,
        questions=questions,
        checks=tuple(
            CheckSpec(
                id=row.id,
                text=row.text,
                expected=row.expected,
                points=_points_of(row.scale_of),
                key=keys[row.id],
                scale_of=row.scale_of.key,
                kind=row.scale_of.kind,
            )
            for row in checks.prefetch_related("scale_of__points")
        ),
        **{name: getattr(study, name) for name in _SESSION_RULES},
        comprehension=_comprehension(study),
        screening=_screening(study),
        examples=examples_of(study),
        practice=practice_of(study),
        gold=gold,
        gold_per_session=gold_per_session(study, gold),
        plain_gold=plain_gold(study, gold),
        contradictions=contradictions_of(study),
        translations=frozen_translations(study),
        language=study.base_language,
    )


_SESSION_RULES = (
    "items_per_unit",
    "shuffle_items",
    "show_prompt",
    "show_element",
    "sound",
    "devices",
    "watch_share",
    "allow_changes",
    "policy",
    "avoid_same_prompt",
    "repeats",
    "repeat_gap",
    "base_language",
)


def _comprehension(study: Study) -> tuple[ComprehensionSpec, ...]:
    keys = comprehension_keys(study)
    return tuple(
        ComprehensionSpec(keys[row.pk], row.text, tuple(row.option_list), row.correct, row.hint)
        for row in study.comprehension_questions.filter(active=True)
    )


def _screening(study: Study) -> tuple[ScreeningSpec, ...]:
    keys = screening_keys(study)
    return tuple(
        ScreeningSpec(keys[row.pk], row.text, tuple(row.option_list), tuple(row.accepted_lines))
        for row in study.screening_questions.filter(active=True)
    )


def _points_of(row) -> tuple[Point, ...]:
    return tuple(Point(p.value, p.label, p.description) for p in row.points.all())


def _question(row) -> QuestionSpec:
    return QuestionSpec(
        id=row.id,
        key=row.key,
        kind=row.kind,
        text=row.text,
        help=row.help,
        required=row.required,
        direction=row.direction,
        label=row.label,
        min_length=row.min_length,
        required_when=row.required_when_id,
        required_from=row.required_from,
        required_to=row.required_to,
        points=_points_of(row),
        tier=row.tier,
        level=row.measurement_level,
        asked_of=row.asked_of,
        allow_na=row.allow_na,
        na_label=row.na_label,
        na_description=row.na_description,
        shown_categories=tuple(row.shown_categories),
        shown_aspects=tuple(row.shown_aspects),
        needs_sound=row.needs_sound,
        shown_if=row.shown_if_id,
        shown_from=row.shown_from,
        shown_to=row.shown_to,
    )


@lru_cache(maxsize=256)
def frozen_design(study_id: int, number: int) -> Design:
    """The design of one revision. It never changes, so a process reads it once."""
    revision = DesignRevision.objects.get(study_id=study_id, number=number)
    return Design.from_json(revision.design)


def filled_in(
    text: str, *, activity: str, country: str, language: str, words: Mapping[str, str]
) -> str:
    """``text`` with {activity} and {country} replaced; any other brace stays as it is.

    A country is called as the translated ``words`` say it, else by its usual name in ``language``:
    many languages bend the name in a sentence, which no list of names knows.
    """
    named = words.get(f"country.{country}") or country_name(country, language) if country else ""
    return text.replace("{country}", named).replace("{activity}", activity)
