"""The form of an import of ratings: which columns say what, and the scale they were given on."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django import forms
from django.utils.text import slugify

from annotation.external.scales import by_question
from annotation.external.writing import Wanted, refuse_address
from annotation.models import ExternalSource
from studies.external.asked import asked, names
from studies.external.qualtrics import PATTERN
from studies.external.reading import Source
from studies.external.records import FACTS, ImportRefusedError
from studies.models import Question

TOOL_CHOICES = [
    ("", "A table, or JSON"),
    ("qualtrics", "Qualtrics, CSV or TSV with three header rows"),
    ("label-studio", "Label Studio, JSON"),
    ("potato", "Potato, JSONL"),
]
SHAPE_CHOICES = [
    ("long", "A row a rating"),
    ("raters", "A column a rater"),
    ("systems", "A column a model, a file a rater"),
    ("list", "A list of ratings in a cell"),
]
DEFAULTS: dict[str, Any] = {
    "tool": "",
    "shape": "long",
    **dict.fromkeys(("item", "rater", "rater_is", "value", "question", "columns", "cell"), ""),
    "question_is": "rating",
    "facts": "",
    "records": "",
    "where": [],
    "pattern": PATTERN,
    "history": None,
    "missing": "",
}
REMEMBERED = (*DEFAULTS, "level", "lower")
OF_STUDY = ("title", "slug", "scale", "level", "lower")
OF_TOOL = {
    "qualtrics": ("pattern", "rater", "question_is", "missing"),
    "label-studio": ("item", "facts", "missing"),
    "potato": ("history", "missing"),
}
OF_TABLE = tuple(name for name in DEFAULTS if name not in ("tool", "pattern", "history"))


GROUPS = (
    ("The study", ("title", "slug"), ()),
    (
        "What stands where",
        ("shape", "item", "rater", "value", "question", "pattern", "history", "facts"),
        ("columns", "rater_is", "question_is", "cell", "records", "where", "missing"),
    ),
    ("The scale", ("scale", "level", "lower"), ()),
)
"""Legend, fields that most imports need, and those that few do."""


@dataclass(frozen=True, slots=True)
class Group:
    """Fields that stand together; ``is_open`` where one of the ``seldom`` ones is in use."""

    legend: str
    fields: list[forms.BoundField]
    seldom: list[forms.BoundField]
    is_open: bool


def _text(label: str, hint: str = "", **more: Any) -> forms.CharField:
    return forms.CharField(label=label, help_text=hint, required=False, max_length=2000, **more)


def _column(label: str, hint: str = "") -> forms.CharField:
    return _text(label, hint, widget=forms.TextInput(attrs={"list": "file-columns"}))


class LinesField(forms.CharField):
    widget = forms.Textarea(attrs={"rows": 3})

    def to_python(self, value: Any) -> list[str]:
        return [line.strip() for line in super().to_python(value).splitlines() if line.strip()]


class RatingsForm(forms.Form):
    """``tool`` says which fields there are; ``names`` are those of the uploaded files."""

    title = forms.CharField(label="Name of the study", max_length=200)
    slug = _text("Short address", "Empty: from the name.")
    shape = forms.ChoiceField(label="How ratings stand in the table", choices=SHAPE_CHOICES)
    item = _column("Item", "The column that names an item; several with commas between them.")
    rater = _column("Rater", "The column of who rated. What it says is not kept.")
    rater_is = _text("Rater of all rows", "Where no column names one.")
    value = _column("Rating", "The column of the rating.")
    question = _column("Question", "The column of the question, where there are several.")
    question_is = _text("Question of all rows", "What it is called where no column names one.")
    columns = _text(
        "Columns of raters or models", "With commas between. Empty: all not named above."
    )
    cell = _text("Questions of a cell", "Where a cell is a list such as [0.5, 1]: SC,PQ.")
    pattern = _text(
        "Names of columns", "Where {item} and {question} stand: 1_Q2 is {item}_{question}."
    )
    facts = _text("Facts of items", f"system=COLUMN, with commas between. Of: {', '.join(FACTS)}.")
    records = _text("Path of the records", "In a JSON file: names and stars, such as data.*")
    where = LinesField(
        label="Only rows with", help_text="COLUMN=VALUE, one a line.", required=False
    )
    missing = _text("No answer", "What a cell says instead of nothing: NA, or -99.")
    history = forms.ChoiceField(
        label="History", help_text="The file that tells the last of several clicks.", required=False
    )
    scale = LinesField(
        label="Scale",
        help_text="1-5, or its points from the lowest: 0,0.5,1, or no|yes, a little|yes. For one "
        "question alone: name=1-5, one a line.",
    )
    level = forms.ChoiceField(label="Level", choices=Question.Level.choices)
    lower = _text("Lower is better on", "Questions, with commas between them.")

    def __init__(self, *args: Any, tool: str, names: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tool = tool
        wanted = {*OF_STUDY, *OF_TOOL.get(tool, OF_TABLE)}
        for name in [name for name in self.fields if name not in wanted]:
            del self.fields[name]
        if tool == "potato":
            self.fields["history"].choices = [("", "None"), *((name, name) for name in names)]

    def clean(self) -> dict[str, Any]:
        told = self.cleaned_data
        told["slug"] = told.get("slug") or slugify(told.get("title", ""))[:50]
        if told.get("title"):
            try:
                refuse_address(told["slug"])
            except ImportRefusedError as error:
                self.add_error("slug", error.problems)
        try:
            told["scales"], told["default"] = by_question(told.get("scale") or [])
        except ImportRefusedError as error:
            self.add_error("scale", error.problems)
        try:
            asked(self.options)
        except ImportRefusedError as error:
            self.add_error(None, error.problems)
        return told

    @property
    def groups(self) -> list[Group]:
        """The fields as they stand on the page."""
        return [
            Group(legend, self._bound(often), self._bound(few), self._in_use(few))
            for legend, often, few in GROUPS
        ]

    def _bound(self, names: Sequence[str]) -> list[forms.BoundField]:
        return [self[name] for name in names if name in self.fields]

    def _in_use(self, names: Sequence[str]) -> bool:
        return any(
            field.errors or (field.value() or "") not in ("", DEFAULTS[field.name])
            for field in self._bound(names)
        )

    @property
    def options(self) -> dict[str, Any]:
        """What ``asked`` and the command take: what was given, else what there is without it."""
        given = {
            name: said for name, said in self.cleaned_data.items() if name in DEFAULTS and said
        }
        return {**DEFAULTS, **given, "tool": self.tool}

    def source(self, paths: Sequence[Path]) -> tuple[Source, list[Path]]:
        """How to read, and the files that hold ratings."""
        history = next((p for p in paths if p.name == self.options["history"]), None)
        rest = [path for path in paths if path != history]
        return asked({**self.options, "history": history}), rest

    def wanted(self, *, owner: Any, texts: Mapping[str, str]) -> Wanted:
        """The study that was asked for."""
        told = self.cleaned_data
        return Wanted(
            title=told["title"],
            slug=told["slug"],
            owner=owner,
            scales=told["scales"],
            default=told["default"],
            directions=dict.fromkeys(names(told["lower"]), Question.Direction.LOWER),
            texts=texts,
            level=told["level"],
        )

    def command(self, names: Sequence[str], owner: str) -> str:
        """The same import as a line for the shell."""
        told, options = self.cleaned_data, self.options
        files = [name for name in names if name != options["history"]]
        words = ["python", "manage.py", "import_ratings", *files, f"--owner={owner}"]
        words += [f"--{name}={told[name]}" for name in ("title", "slug", "level")]
        words += [f"--scale={one}" for one in told["scale"]]
        words += [f"--where={one}" for one in options["where"]]
        words += [f"--lower={told['lower']}"] if told["lower"] else []
        words += [f"--from={self.tool}"] if self.tool else []
        for name, said in options.items():
            if name not in ("tool", "where") and said != DEFAULTS[name]:
                words.append(f"--{name.replace('_', '-')}={said}")
        return shlex.join(words)


def remembered(user: Any) -> ExternalSource | None:
    """This person's last import."""
    found = ExternalSource.objects.filter(study__owner=user).select_related("study")
    return found.order_by("-imported_at", "-pk").first()


def initial_of(last: ExternalSource | None, tool: str, columns: Sequence[str]) -> dict[str, Any]:
    """What the fields held then; nothing for another tool, or where the columns are not there."""
    if last is None or last.columns.get("from", "") != tool:
        return {}
    kept: Mapping[str, Any] = last.columns
    named = [
        *kept.get("item", []),
        *(kept.get(name, "") for name in ("rater", "value", "question")),
    ]
    if columns and {name for name in named if name} - set(columns):
        return {}
    initial = {name: _written(kept[name]) for name in REMEMBERED if name in kept}
    initial["where"] = "\n".join(f"{name}={said}" for name, said in kept.get("where", {}).items())
    initial["scale"] = "\n".join(f"{name}={words}" for name, words in last.scales.items())
    return initial


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}={said}" for name, said in value.items())
    return ",".join(value) if isinstance(value, list) else str(value)
