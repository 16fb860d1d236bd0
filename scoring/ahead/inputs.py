"""What a run of AHEaD scores: which descriptors, which real images, which tau.

Descriptors of several sources live side by side in a study (extractors, proposers, refiners,
imports); a run names the one extractor and the one set of references that it reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Count, Max, Sum

from scoring.ahead.real_images import real_images
from scoring.ahead.verdicts import struck, struck_mark
from scoring.backends.text_embedder import default_text_embedder
from scoring.coverage import ItemFields
from scoring.metrics.ahead.descriptors import REAL, scene
from scoring.metrics.ahead.descriptors import gather as sorted_out
from scoring.metrics.base import Cell, Descriptor, ParameterError
from scoring.metrics.vqascore import PROMPT
from scoring.models import Calibration, RealChoice
from scoring.prompt_edits import prompt_inputs
from studies.models import Description, Item, Study
from studies.models import Descriptor as DescriptorRow

ALL, CLEANED = "all", "cleaned"
UNNAMED = "unnamed"
"""How a parameter names descriptors that came without a source."""

Kind = DescriptorRow.Kind
_OF_REFERENCES = (Kind.REFERENCE, Kind.CANDIDATE)


class AheadInputs:
    """What goes with every item and cell of a run; see ``scoring.metrics.ahead.metric``."""

    def __init__(self, study: Study, parameters: Mapping[str, Any]) -> None:
        self._fields = ItemFields(study)
        self._candidates_of = parameters.get("candidates") or "stereotypes"
        self._asks_pictures = parameters.get("scorer", "none") != "none"
        self._real = self._real_by_scene(study) if self._asks_pictures else {}
        self._prompts = prompt_inputs(study, (PROMPT,)) if self._asks_pictures else {}
        self.descriptors = sorted_out(study_descriptors(study, parameters, self._fields))

    def item_inputs(self, item: Item) -> Mapping[str, Any]:
        activity = self._fields.activity(item)
        of = scene(activity, item.country)
        seen = self.descriptors.seen.get(str(item.pk))
        inputs: dict[str, Any] = {
            "references": self.descriptors.references_of(activity, item.country),
            "seen": dict(seen.tokens) if seen else {},
            "why": dict(seen.why) if seen else {},
        }
        if self._asks_pictures:
            inputs["candidates"] = self._candidates(activity, item.country)
            inputs["real"] = self._real.get(of, [])
            inputs["prompts"] = self._prompts
        return inputs

    def cell_inputs(self, cell: Cell, items: Sequence[Item]) -> Mapping[str, Any]:
        return {}  # the items of a cell bring theirs

    def _candidates(self, activity: str, country: str) -> list[str]:
        found = self.descriptors
        if self._candidates_of == "reference":
            sets = found.references_of(activity, country).values()
            return list(dict.fromkeys(token for tokens in sets for token in tokens))
        if self._candidates_of == "real":
            return list(found.real.get(scene(activity, country), ()))
        return list(found.stereotypes_of(activity, country))

    def _real_by_scene(self, study: Study) -> dict[tuple[str, str], list[dict[str, str]]]:
        found: dict[tuple[str, str], list[dict[str, str]]] = {}
        for item in real_images(study):
            of = scene(self._fields.activity(item), item.country)
            file = self._fields.text(item, "file")
            found.setdefault(of, []).append({"file": file, "sha256": item.sha256})
        return found


def gather(*, study: Study, parameters: Mapping[str, Any]) -> AheadInputs:
    """See ``scoring.metric_hooks``."""
    return AheadInputs(study, parameters)


def study_descriptors(
    study: Study, parameters: Mapping[str, Any], fields: ItemFields
) -> Iterator[Descriptor]:
    """The descriptors that a run with these parameters reads, as records."""
    yield from _references(study, parameters.get("references") or ALL)
    extractor = source_of(parameters.get("extractor") or "")
    yield from _predictions(study, extractor)
    rows = study.descriptors.filter(kind=Kind.STEREOTYPE).order_by("pk")
    for row in rows.iterator(chunk_size=2000):
        yield _record(row, "stereotype")
    if parameters.get("candidates") == "real":
        yield from _seen_in_real_images(study, extractor, fields)


def source_of(name: str) -> str:
    """The source as rows have it."""
    return "" if name == UNNAMED else name


def name_of(source: str) -> str:
    """The source as parameters and pages name it."""
    return source or UNNAMED


def reference_rows(study: Study, which: str):
    """The rows of one set of references: all, cleaned, or those of a source (a proposer's too)."""
    if which in (ALL, CLEANED):
        rows = study.descriptors.filter(kind=Kind.REFERENCE)
        return rows.exclude(pk__in=struck(study)) if which == CLEANED else rows
    return study.descriptors.filter(kind__in=_OF_REFERENCES, source=source_of(which))


def _references(study: Study, which: str) -> Iterator[Descriptor]:
    for row in reference_rows(study, which).order_by("pk").iterator(chunk_size=2000):
        yield _record(row, "reference")


def _predictions(study: Study, extractor: str) -> Iterator[Descriptor]:
    rows = study.descriptors.filter(kind=Kind.PREDICTED, source=extractor).order_by("pk")
    for row in rows.iterator(chunk_size=2000):
        yield _record(row, "predicted")
    looks = Description.objects.filter(item__study=study, source=extractor).order_by("pk")
    for item, dimension, outcome in looks.values_list("item_id", "dimension", "outcome"):
        yield Descriptor(kind=outcome, dimension=dimension, token="", item_key=str(item))


def _seen_in_real_images(study: Study, extractor: str, fields: ItemFields) -> Iterator[Descriptor]:
    images = {item.pk: item for item in real_images(study)}
    rows = study.descriptors.filter(
        kind=Kind.PREDICTED, source=extractor, item__origin=Item.Origin.REAL
    )
    for row in rows.order_by("pk"):
        if item := images.get(row.item_id or 0):
            activity = fields.activity(item)
            yield Descriptor(REAL, row.dimension, row.token, activity, item.country)


def _record(row: DescriptorRow, kind: str) -> Descriptor:
    return Descriptor(
        kind=kind,
        dimension=row.dimension,
        token=row.token,
        activity=row.activity,
        country=row.country,
        item_key=str(row.item_id or ""),
    )


# ---- parameters that follow from the study


def resolve(*, study: Study, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with the only extractor, and with tau of its stored calibration, filled in.

    Raises ``ParameterError`` where the study has several extractors and none is named, for a source
    that it does not have, and where there is neither a tau nor a calibration.
    """
    given = {name: value for name, value in parameters.items() if value not in (None, "")}
    given["extractor"] = _extractor(study, str(given.get("extractor", "")))
    given["references"] = _references_named(study, str(given.get("references", ALL)))
    given.setdefault("scorer", "vqascore" if given.get("model") else "none")
    if given["scorer"] == "vqascore" and not given.get("model"):
        raise ParameterError(
            "VQAScore needs a chat model: name it, or choose no image-text score (then there is "
            "neither EXAG nor FAITH)."
        )
    if "tau" not in given:
        calibration = stored_calibration(
            study, extractor=given["extractor"], references=given["references"]
        )
        if calibration is None:
            raise ParameterError(
                "AHEaD needs the similarity threshold tau and has no default for it: no number "
                f"suits every extractor. Calibrate it on real images for {given['extractor']} "
                "first, or give a number from -1 to 1."
            )
        given["tau"] = calibration.q3
    return given


def stored_calibration(study: Study, *, extractor: str, references: str) -> Calibration | None:
    """The newest for this extractor and the embedder of the scores, by best matches.

    One on the same references goes before one on others.
    """
    embedder = default_text_embedder()
    rows = study.calibrations.filter(
        extractor=source_of(extractor),
        embedder=embedder.model_id,
        embedder_revision=embedder.revision,
        values_of="best",
    )
    return rows.filter(references=references).first() or rows.first()


def extractors(study: Study) -> list[str]:
    """Every source of predicted descriptors, as parameters name it."""
    predicted = study.descriptors.filter(kind=Kind.PREDICTED).order_by()
    looks = Description.objects.filter(item__study=study).order_by()
    sources = {
        *predicted.values_list("source", flat=True).distinct(),
        *looks.values_list("source", flat=True).distinct(),
    }
    return sorted(map(name_of, sources))


def reference_sources(study: Study) -> list[str]:
    """Every source of references and of proposers' lists, as parameters name it."""
    rows = study.descriptors.filter(kind__in=_OF_REFERENCES).order_by()
    return sorted(map(name_of, rows.values_list("source", flat=True).distinct()))


def proposers(study: Study) -> list[str]:
    rows = study.descriptors.filter(kind=Kind.CANDIDATE).order_by()
    return sorted(map(name_of, rows.values_list("source", flat=True).distinct()))


def _extractor(study: Study, named: str) -> str:
    known = extractors(study)
    if named:
        if named not in known:
            raise ParameterError(f"No descriptors were predicted by {named}. {_listed(known)}")
        return named
    if len(known) > 1:
        raise ParameterError(
            f"The study has predicted descriptors of several sources: name one. {_listed(known)}"
        )
    return known[0] if known else UNNAMED


def _references_named(study: Study, named: str) -> str:
    known = reference_sources(study)
    if named not in (ALL, CLEANED, *known):
        raise ParameterError(
            f"There are no reference descriptors by {named}. Give all, cleaned or a source. "
            f"{_listed(known)}"
        )
    return named


def _listed(names: Sequence[str]) -> str:
    return f"There are: {', '.join(names)}." if names else "There are none yet."


# ---- whether the data have changed


def mark(*, study: Study, parameters: Mapping[str, Any]) -> str:
    """Differs as soon as descriptors, looks or chosen real images do, or the verdicts that the
    cleaned set rests on. Texts are never changed in place: another text is another row."""
    rows = study.descriptors.order_by().aggregate(n=Count("id"), last=Max("id"), by_id=Sum("id"))
    looks = Description.objects.filter(item__study=study).aggregate(n=Count("id"), last=Max("id"))
    chosen = RealChoice.objects.filter(item__study=study)
    real = chosen.aggregate(n=Count("id"), last=Max("id"))
    sums = [*rows.values(), *looks.values(), *real.values()]
    found = ".".join(str(number or 0) for number in sums)
    if parameters.get("references") == CLEANED:
        found += f".{struck_mark(study)}"
    return found[:80]
