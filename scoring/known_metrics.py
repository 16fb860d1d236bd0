"""What the site knows of each metric, told to somebody who chooses among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scoring.backing import parts_of
from scoring.metrics import all_metrics
from scoring.metrics.base import Declaration, Needs, Output
from scoring.wording import ABOUT, range_words, reason_words

# What a metric reads of an item, by the name of the field. A file's hash and kind go with the file.
ITEM_FIELDS = {
    "file": "a picture or a clip",
    "prompt": "the prompt",
    "activity": "the activity (scenario or category)",
    "country": "the country",
    "country_name": "the country",
    "category": "the category",
    "aspect": "the aspect",
    "cultural_element": "the cultural element",
}
WITH_THE_FILE = {"kind", "sha256"}

DESCRIPTORS = {
    "reference": "reference descriptors of the activity and country",
    "predicted": "predicted descriptors of the item",
    "stereotype": "stereotype candidates of the country",
    "candidate": "proposers' lists of the activity and country",
}

# The models a metric works with, by the key of its backend.
MODELS = {
    "clip": "a CLIP model",
    "pickscore": "the PickScore checkpoint",
    "cure": "a SigLIP model",
    "caire": "a SigLIP model",
    "imagereward": "the ImageReward checkpoint",
    "text_embedder": "an embedder of short texts",
    "knowledge_base": "a knowledge base",
    "chat": "a chat model",
    "vqascore": "a chat model that tells the probabilities of its words",
    "{scorer}": "for EXAG, an image-text model or a chat model of your choice",
}

LEVELS = {"item": "each item", "cell": "each cell", "both": "each item and each cell"}

# The document of Help that says how a metric is computed.
DOCUMENTS = {
    "clipscore": "metrics",
    "pickscore": "metrics",
    "AHEaD": "ahead",
    "CAIRe": "caire",
    "CultureScore": "culturescore",
    "CultureVidBench": "judges",
    "Judges": "judges",
}
_OTHER_DOCUMENT = "model-metrics"


@dataclass(frozen=True, slots=True)
class ToldOutput:
    name: str
    range: str
    better: str
    of: str


@dataclass(frozen=True, slots=True)
class ToldMetric:
    """One metric in words. ``cells`` is empty where only items are scored."""

    key: str
    name: str
    family: str
    about: str
    outputs: tuple[ToldOutput, ...]
    dimensions: tuple[str, ...]
    needs: tuple[str, ...]
    undefined: tuple[str, ...]
    cells: str
    source: str
    version: str
    document: str


def told_metrics() -> list[ToldMetric]:
    """Every metric of this installation, by family and key."""
    return [told(metric.declaration) for metric in all_metrics()]


def told(declaration: Declaration) -> ToldMetric:
    return ToldMetric(
        key=declaration.key,
        name=declaration.name,
        family=declaration.family,
        about=ABOUT.get(declaration.key, ""),
        outputs=tuple(_output(output) for output in declaration.outputs),
        dimensions=tuple(name.replace("_", " ") for name in declaration.dimensions),
        needs=tuple(_once(needs_words(declaration.needs))),
        undefined=tuple(reason_words(code) for code in declaration.reasons),
        cells=_listed(declaration.cells),
        source=declaration.source,
        version=declaration.version,
        document=DOCUMENTS.get(declaration.key)
        or DOCUMENTS.get(declaration.family)
        or _OTHER_DOCUMENT,
    )


def needs_words(needs: Needs) -> Iterator[str]:
    """What a metric reads of an item, then what a study must have, then its models."""
    for name in needs.item_fields:
        if name not in WITH_THE_FILE:
            yield ITEM_FIELDS.get(name, name)
    yield from (DESCRIPTORS.get(kind, kind) for kind in needs.descriptor_kinds)
    if needs.real_images:
        yield "real pictures of the activity and country"
    if needs.probes:
        yield "verified probes of the scenario"
    yield from (MODELS.get(part, part) for part in parts_of(needs.backend))


def _output(output: Output) -> ToldOutput:
    return ToldOutput(output.name, range_words(output), output.better, LEVELS[output.of])


def _listed(words: Sequence[str]) -> str:
    """E.g. ``activity, country and system``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _once(words: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(words)
