"""What every automatic metric declares, what it returns, and the registry that holds them all.

A metric is an object with a ``declaration`` and a ``score`` method (``Metric``). The declaration
says which item fields, descriptor kinds and backend the metric needs, so that a run can gather
them without knowing the metric.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from scoring.metrics.reasons import REASONS as REASONS

Progress = Callable[[int, int], None]
"""Called with (parts of the work done, parts in all): items, or questions asked about them."""


class MetricError(Exception):
    """A metric cannot be run as asked; the message says why and what to do."""


class UnknownMetricError(MetricError):
    """No metric has this key."""


class ParameterError(MetricError):
    """A parameter is missing, unknown or outside its range."""


OPEN = 1e6
"""An end of a declared range this far from 0, or further, stands for none: the range is open."""


@dataclass(frozen=True, slots=True)
class Output:
    """One number that a metric gives: its key in ``ScoreRow.metric``, name, range, direction.

    ``of`` says whether items have it, cells, or both.
    """

    key: str
    name: str
    low: float
    high: float
    better: Literal["higher", "lower"]
    of: Literal["item", "cell", "both"] = "item"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that the person who starts a run sets; ``low`` and ``high`` are allowed values.

    ``whole``: of things that are counted, such as frames.
    """

    name: str
    label: str
    help: str
    low: float
    high: float
    required: bool
    default: float | None = None
    whole: bool = False

    def clean(self, value: object) -> float:
        """``value`` (a number, or the text of one) as a float; raises ``ParameterError``."""
        kind = "whole number" if self.whole else "number"
        wanted = f"Give a {kind} from {self.low:g} to {self.high:g}."
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ParameterError(f"{self.label} is not a number: {value!r}. {wanted}")
        try:
            number = float(value)
        except (ValueError, OverflowError) as error:
            raise ParameterError(f"{self.label} is not a number: {value!r}. {wanted}") from error
        if not (math.isfinite(number) and self.low <= number <= self.high):
            raise ParameterError(f"{self.label} is out of range: {value}. {wanted}")
        if self.whole and not number.is_integer():
            raise ParameterError(f"{self.label} is no whole number: {value}. {wanted}")
        return number


@dataclass(frozen=True, slots=True)
class Choice:
    """A parameter that is one of ``options``, (value, label) each; the first is the default."""

    name: str
    label: str
    help: str
    options: tuple[tuple[str, str], ...]
    required: bool = False

    @property
    def default(self) -> str:
        return self.options[0][0]

    def clean(self, value: object) -> str:
        """``value`` as it is; raises ``ParameterError`` where it is no option."""
        allowed = [option for option, _ in self.options]
        if value not in allowed:
            raise ParameterError(f"{self.label} is one of {', '.join(allowed)}, not {value!r}.")
        return str(value)


@dataclass(frozen=True, slots=True)
class Text:
    """A parameter that is a line of text, e.g. the name of a model on a chat server."""

    name: str
    label: str
    help: str
    required: bool = False
    default: str | None = None
    longest: int = 200

    def clean(self, value: object) -> str:
        """``value`` without outer blanks; raises ``ParameterError`` where it is empty or long."""
        if not isinstance(value, str) or not value.strip():
            raise ParameterError(f"{self.label} is not a text: {value!r}.")
        if len(value.strip()) > self.longest:
            raise ParameterError(f"{self.label} is longer than {self.longest} characters.")
        return value.strip()


AnyParameter = Parameter | Choice | Text


def _no_conflict(parameters: Mapping[str, Any]) -> str:
    return ""


CHAT_MODEL = Text(
    name="model",
    label="the chat model",
    help="Its name on the chat server of the settings, or local for the local model.",
    required=True,
)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a run has to gather before it can call the metric.

    ``item_fields`` are the names that ``MetricItem.fields`` shall hold; ``real_images`` and
    ``probes`` fill the fields of that name. ``backend`` is a key such as ``clip``, a parameter in
    braces that holds one, such as ``{scorer}``, or several of both joined by ``+``; these arrive
    as a mapping by key or by parameter.
    """

    item_fields: tuple[str, ...] = ()
    descriptor_kinds: tuple[str, ...] = ()
    backend: str = ""
    real_images: bool = False
    probes: bool = False


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a metric is; ``source`` is the paper. ``dimensions`` stand beside the overall score.

    ``cells`` names the fields of ``Cell`` by which items are grouped for a ``CellMetric``; empty
    for a metric of items alone. With ``scores_items`` false there are only cells. ``conflict`` says
    of cleaned parameters why they do not go together; empty where they do.
    """

    key: str
    name: str
    family: str
    version: str
    modality: Literal["image", "video"]
    source: str
    needs: Needs
    outputs: tuple[Output, ...]
    dimensions: tuple[str, ...] = ()
    parameters: tuple[AnyParameter, ...] = ()
    reasons: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    scores_items: bool = True
    conflict: Callable[[Mapping[str, Any]], str] = _no_conflict

    def clean_parameters(self, given: Mapping[str, object]) -> dict[str, Any]:
        """Every declared parameter as the number or text that it is.

        Raises ``ParameterError`` for one that is missing without a default, unknown, or outside
        its range, and for some that do not go together.
        """
        known = {parameter.name for parameter in self.parameters}
        for name in given:
            if name not in known:
                allowed = ", ".join(sorted(known)) or "none"
                raise ParameterError(
                    f"{self.name} has no parameter {name!r}. Its parameters: {allowed}."
                )
        cleaned: dict[str, Any] = {}
        for parameter in self.parameters:
            value = given.get(parameter.name)
            if value is None or value == "":
                value = parameter.default
            if value is not None:
                cleaned[parameter.name] = parameter.clean(value)
            elif parameter.required:
                raise ParameterError(
                    f"{self.name} needs {parameter.label} and has no default for it. "
                    f"{parameter.help}"
                )
        if sentence := self.conflict(cleaned):
            raise ParameterError(sentence)
        return cleaned


@dataclass(frozen=True, slots=True)
class RealImage:
    """A real picture of the activity and country of an item."""

    key: str
    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ProbeText:
    """A verified question on what the scenario of an item should show."""

    key: str
    dimension: str
    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class MetricItem:
    """One item to score: its key, the texts of the declared item fields, and what goes with it.

    ``inputs`` is JSON-serialisable and what the metric's own gathering gave.
    """

    key: str
    fields: Mapping[str, str] = field(default_factory=dict)
    real_images: tuple[RealImage, ...] = ()
    probes: tuple[ProbeText, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cell:
    """The items that one score of a group is about.

    None: whatever they have there; an empty text: items that have none.
    """

    activity: str | None = None
    country: str | None = None
    system: str | None = None

    @property
    def key(self) -> str:
        """JSON, so that no text can be taken for another's end."""
        return json.dumps([self.activity, self.country, self.system], ensure_ascii=False)

    @classmethod
    def of_key(cls, key: str) -> Cell:
        return cls(*json.loads(key))


@dataclass(frozen=True, slots=True)
class CellItems:
    """A cell with all of its items that are scored, at least one, by key."""

    cell: Cell
    items: tuple[MetricItem, ...]
    inputs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A short text about what a picture shows or should show, in one dimension.

    ``kind`` is reference, predicted or stereotype. A predicted descriptor belongs to the item
    ``item_key``, the others to an activity and a country.
    """

    kind: str
    dimension: str
    token: str
    activity: str = ""
    country: str = ""
    item_key: str = ""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score of one item, or of one ``cell``, whose row has an empty ``item_key``.

    ``dimension`` '' is the overall score. ``value`` is None exactly where ``reason`` holds a code
    of ``REASONS``. ``evidence`` is JSON-serialisable. Raises ``ValueError`` for a row that breaks
    these rules.
    """

    item_key: str
    metric: str
    dimension: str
    value: float | None
    reason: str
    evidence: Mapping[str, Any] = field(hash=False)
    cell: Cell | None = None

    def __post_init__(self) -> None:
        where = f"Score {self.metric} of {self.cell or f'item {self.item_key!r}'}"
        if (self.cell is None) == (self.item_key == ""):
            raise ValueError(f"{where} must be of an item or of a cell, and not of both.")
        if self.value is None and self.reason not in REASONS:
            raise ValueError(f"{where} is undefined without a known reason: {self.reason!r}")
        if self.value is not None and self.reason:
            raise ValueError(f"{where} has both a value and a reason: {self.reason!r}")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"{where} is not a finite number: {self.value}")


class Metric(Protocol):
    """What a run calls."""

    @property
    def declaration(self) -> Declaration: ...

    def score(
        self,
        *,
        items: Sequence[MetricItem],
        descriptors: Sequence[Descriptor],
        backend: Any,
        parameters: Mapping[str, object],
        on_progress: Progress | None = None,
    ) -> Iterator[ScoreRow]:
        """The score rows of ``items``, in their order, item after item.

        Wrong parameters raise ``ParameterError`` at the call, before the first row. The rows of an
        item depend on nothing but the item, its own descriptors, the shared ones of its country or
        of none, the backend and the parameters: scores are stored and found again by these.
        """
        ...


class CellMetric(Protocol):
    """What a run calls, beside ``Metric`` or in its place, where ``declaration.cells`` are."""

    @property
    def declaration(self) -> Declaration: ...

    def score_cells(
        self,
        *,
        cells: Sequence[CellItems],
        descriptors: Sequence[Descriptor],
        backend: Any,
        parameters: Mapping[str, object],
        on_progress: Progress | None = None,
    ) -> Iterator[ScoreRow]:
        """The score rows of ``cells``, in their order, under the same rules as ``score``."""
        ...


AnyMetric = Metric | CellMetric

_registry: dict[str, AnyMetric] = {}


def register(metric: AnyMetric) -> None:
    """Make ``metric`` known by its key; raises ``ValueError`` where the key or a reason clashes,
    or where nothing could be scored."""
    declaration = metric.declaration
    if declaration.key in _registry:
        raise ValueError(f"Two metrics have the key {declaration.key!r}.")
    unexplained = [code for code in declaration.reasons if code not in REASONS]
    if unexplained:
        raise ValueError(f"{declaration.key}: reasons without a sentence: {unexplained}")
    levels = {output.of for output in declaration.outputs}
    if declaration.cells and not levels & {"cell", "both"}:
        raise ValueError(f"{declaration.key} has cells and no output of a cell.")
    if declaration.scores_items and not levels & {"item", "both"}:
        raise ValueError(f"{declaration.key} scores items and has no output of an item.")
    _registry[declaration.key] = metric


def get_metric(key: str) -> Any:
    """The metric with this key; raises ``UnknownMetricError`` naming the nearest key."""
    if key in _registry:
        return _registry[key]
    near = difflib.get_close_matches(key, list(_registry), n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(sorted(_registry))}."
    raise UnknownMetricError(f"There is no metric {key!r}. {hint}")


def all_metrics() -> list[AnyMetric]:
    """Every registered metric, by family and key."""
    return sorted(_registry.values(), key=lambda m: (m.declaration.family, m.declaration.key))
