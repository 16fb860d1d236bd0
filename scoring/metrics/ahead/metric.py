"""AHEaD as a registered metric: scores of items (each a cell of its own) and of cells.

What belongs to an item arrives as its ``inputs`` (JSON): ``references`` and ``seen`` (texts by
dimension; a dimension that was not looked at is absent from ``seen``), ``why`` (reasons for such
dimensions), ``candidates`` of exaggeration, and ``real`` images as ``{"file", "sha256"}``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.backends.text_embedder import Embedder
from scoring.metrics.ahead.alignment import (
    ALIGN,
    ALIGN_HAL,
    HAL,
    Compared,
    align_values,
    both_values,
    compare,
    hal_values,
)
from scoring.metrics.ahead.descriptors import DIMENSIONS, Seen, distinct_sets, union
from scoring.metrics.ahead.diversity import DDIV, SDIV, ddiv_values, sdiv_values
from scoring.metrics.ahead.exaggeration import EXAG
from scoring.metrics.ahead.faithfulness import FAITH, faith
from scoring.metrics.ahead.picture_scores import PictureScores, in_own_words, scored_pairs
from scoring.metrics.ahead.values import Subject, Value
from scoring.metrics.base import (
    CellItems,
    Choice,
    Declaration,
    Descriptor,
    MetricItem,
    Needs,
    Output,
    Parameter,
    ParameterError,
    Progress,
    ScoreRow,
    Text,
)
from scoring.metrics.item_metric import one_by_one

TAU = Parameter(
    name="tau",
    label="the similarity threshold tau",
    help=(
        "Empty: the third quartile of the calibration on real images that the study has for this "
        "extractor. Without one, give a number: none suits every extractor."
    ),
    low=-1.0,
    high=1.0,
    required=False,
)
EXTRACTOR = Text(
    name="extractor",
    label="the source of the predicted descriptors",
    help="As the descriptors name it. Empty: the only one that the study has.",
)
REFERENCES = Text(
    name="references",
    label="the reference descriptors",
    help="all, cleaned (without those that most people called wrong), or the name of a source.",
    default="all",
)
CANDIDATES = Choice(
    name="candidates",
    label="the candidates of exaggeration",
    help="What a picture may exaggerate.",
    options=(
        ("stereotypes", "Stereotypes of the country"),
        ("reference", "The reference descriptors"),
        ("real", "What was seen in the real images"),
    ),
)
SCORER = Choice(
    name="scorer",
    label="the image-text score of exaggeration",
    help="Without one there are no EXAG and no FAITH.",
    options=(("none", "None"), ("vqascore", "VQAScore by the chat model named below")),
)
MODEL = Text(
    name="model",
    label="the chat model of VQAScore",
    help="Its name on the chat server of the settings, or local for the local model.",
)


def _output(key: str, name: str, better: str, of: str = "both", low: float = 0.0) -> Output:
    return Output(key=key, name=name, low=low, high=1.0, better=better, of=of)  # type: ignore[arg-type]


class AheadMetric:
    """All of AHEaD's own scores from descriptors."""

    declaration = Declaration(
        key="ahead",
        name="AHEaD",
        family="AHEaD",
        version="2",
        modality="image",
        source=(
            "Culture in Action: Evaluating Text-to-Image Models through Social Activities, "
            "ICLR 2026, arXiv:2511.05681"
        ),
        needs=Needs(
            item_fields=("activity", "country", "kind", "file", "sha256"),
            descriptor_kinds=("reference", "predicted"),
            backend="text_embedder+{scorer}",
        ),
        outputs=(
            _output(ALIGN, "ALIGN", "higher"),
            _output(HAL, "HAL", "lower"),
            _output(ALIGN_HAL, "ALIGN+HAL", "higher"),
            _output(EXAG, "EXAG", "lower"),
            _output(FAITH, "FAITH", "higher"),
            _output(DDIV, "DDIV", "higher", "cell"),
            _output(SDIV, "SDIV", "higher", "cell"),
        ),
        dimensions=DIMENSIONS,
        parameters=(TAU, EXTRACTOR, REFERENCES, SCORER, MODEL, CANDIDATES),
        reasons=(
            "no_reference",
            "no_prediction",
            "no_real_images",
            "not_applicable",
            "not_asked",
            "refused",
            "parse_failed",
            "no_logprobs",
            "missing_media",
            "undecodable",
        ),
        cells=("activity", "country", "system"),
    )

    def score(
        self,
        *,
        items: Sequence[MetricItem],
        descriptors: Sequence[Descriptor],
        backend: Any,
        parameters: Mapping[str, object],
        on_progress: Progress | None = None,
    ) -> Iterator[ScoreRow]:
        """ALIGN, HAL and ALIGN+HAL (overall, then each dimension), EXAG and FAITH of every item.

        ``backend`` holds a ``text_embedder`` and a ``scorer`` (``ImageTextScore`` or None). Raises
        ``ParameterError`` for wrong parameters, ``BadScaleError`` for a score not from 0 to 1.
        """
        tau, pictures = self._asked(parameters, backend)
        return _item_rows(items, backend["text_embedder"], pictures, tau, on_progress)

    def score_cells(
        self,
        *,
        cells: Sequence[CellItems],
        descriptors: Sequence[Descriptor],
        backend: Any,
        parameters: Mapping[str, object],
        on_progress: Progress | None = None,
    ) -> Iterator[ScoreRow]:
        """The same of every cell, from the union of what its pictures show, then DDIV and SDIV."""
        tau, pictures = self._asked(parameters, backend)
        return _cell_rows(cells, backend["text_embedder"], pictures, tau, on_progress)

    def asks(self, parameters: Mapping[str, object]) -> bool:
        """Whether a chat model is asked at all: not without an image-text score."""
        return parameters.get(SCORER.name, SCORER.default) != SCORER.default

    def estimate(
        self,
        *,
        items: Sequence[MetricItem],
        cells: Sequence[CellItems],
        backend: Any,
        parameters: Mapping[str, object],
        **_: object,
    ) -> Any:
        """The calls that scoring would make for EXAG, where ``asks``: an ``Estimate``."""
        self.declaration.clean_parameters(parameters)
        groups = [*([item] for item in items), *(cell.items for cell in cells)]
        scorer = in_own_words(backend["scorer"], groups)
        return scorer.estimate(scorer.requests(scored_pairs(groups)))

    def _asked(self, parameters: Mapping[str, object], backend: Any) -> tuple[float, PictureScores]:
        cleaned = self.declaration.clean_parameters(parameters)
        if "tau" not in cleaned:
            raise ParameterError(
                "AHEaD needs the similarity threshold tau and has no default for it. Calibrate it "
                "on real images, or give a number from -1 to 1."
            )
        return cleaned["tau"], PictureScores(backend["scorer"], cleaned["candidates"])


AHEAD = AheadMetric()


def _item_rows(
    items: Sequence[MetricItem],
    embedder: Embedder,
    pictures: PictureScores,
    tau: float,
    on_progress: Progress | None,
) -> Iterator[ScoreRow]:
    compared = compare([(_references(item), _seen(item)) for item in items], embedder)
    exaggerated = pictures.exaggerations([[item] for item in items], on_progress)
    each = one_by_one(items, on_progress)
    for item, one, exag in zip(each, compared, exaggerated, strict=True):
        yield from _shared_rows(Subject(item_key=item.key), one, exag, tau)


def _cell_rows(
    cells: Sequence[CellItems],
    embedder: Embedder,
    pictures: PictureScores,
    tau: float,
    on_progress: Progress | None,
) -> Iterator[ScoreRow]:
    subjects = []
    for cell in cells:
        references, seen = _references(cell.items[0]), [_seen(item) for item in cell.items]
        subjects += [(references, union(seen)), *((references, one) for one in seen)]
    compared = iter(compare(subjects, embedder))
    exaggerated = pictures.exaggerations([cell.items for cell in cells], on_progress)
    for cell, exag in zip(one_by_one(cells, on_progress), exaggerated, strict=True):
        whole, single = next(compared), [next(compared) for _ in cell.items]
        subject = Subject(cell=cell.cell)
        yield from _shared_rows(subject, whole, exag, tau, _pictures_counted(single))
        yield from subject.rows(DDIV, ddiv_values(single, tau))
        aligns = [align_values(one, tau) for one in single]
        yield from subject.rows(SDIV, sdiv_values(align_values(whole, tau), aligns))


def _shared_rows(
    subject: Subject,
    compared: Compared,
    exag: Value,
    tau: float,
    counted: Mapping[str, Any] | None = None,
) -> Iterator[ScoreRow]:
    align, hal = align_values(compared, tau), hal_values(compared, tau)
    if counted:
        for values in (align, hal):
            whole = values[""]
            values[""] = Value(whole.value, whole.reason, {**whole.evidence, **counted})
    yield from subject.rows(ALIGN, align)
    yield from subject.rows(HAL, hal)
    yield from subject.rows(ALIGN_HAL, both_values(align, hal))
    yield from subject.rows(EXAG, {"": exag})
    yield from subject.rows(FAITH, {"": faith(align[""], hal[""], exag)})


def _pictures_counted(single: Sequence[Compared]) -> dict[str, int]:
    described = sum(bool(one.seen.tokens) for one in single)
    return {"n_pictures": len(single), "n_described": described}


def _references(item: MetricItem) -> dict[str, tuple[str, ...]]:
    return distinct_sets(item.inputs.get("references", {}))


def _seen(item: MetricItem) -> Seen:
    seen = item.inputs.get("seen", {})
    known = distinct_sets(seen)
    tokens = {dimension: known[dimension] for dimension in DIMENSIONS if dimension in seen}
    return Seen(tokens=tokens, why=item.inputs.get("why", {}))
