"""CuRe: how near a picture is to its activity and to its country, each named by a probe.

    cure = (cos(picture, "an image of ACTIVITY") + cos(picture, "an image from COUNTRY")) / 2

-1 to 1, higher is better (arXiv:2506.08071, whose third probe, of the parent category, is left
out). A clip is represented by the frame shown at ``seconds`` (ours).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.backends.image_text import EncodedText, ImageTextEncoder, Vector
from scoring.backends.pictures import MediaError
from scoring.metrics.base import (
    Declaration,
    Descriptor,
    MetricItem,
    Needs,
    Output,
    Progress,
    ScoreRow,
)
from scoring.metrics.item_pictures import (
    FIELDS,
    REASONS,
    SECONDS,
    media_reason,
    obstacle,
    picture_of,
)
from scoring.metrics.rows import undefined_rows

_SCENE = ("activity", "country_name")


class CureMetric:
    declaration = Declaration(
        key="cure",
        name="CuRe",
        family="Image and text",
        version="1",
        modality="image",
        source="Rege et al. 2025, CuRe, arXiv:2506.08071",
        needs=Needs(item_fields=(*FIELDS, *_SCENE), backend="cure"),
        outputs=(Output(key="cure", name="CuRe", low=-1.0, high=1.0, better="higher"),),
        parameters=(SECONDS,),
        reasons=("no_scene", *REASONS),
    )

    def score(
        self,
        *,
        items: Sequence[MetricItem],
        descriptors: Sequence[Descriptor],
        backend: ImageTextEncoder,
        parameters: Mapping[str, object],
        on_progress: Progress | None = None,
    ) -> Iterator[ScoreRow]:
        """One row an item; the evidence holds both probes and their cosines."""
        seconds = self.declaration.clean_parameters(parameters)["seconds"]
        return self._rows(items, backend, seconds, on_progress)

    def prefetch(
        self, *, items: Sequence[MetricItem], backend: Any, parameters: Mapping[str, object]
    ) -> None:
        """Begin to open the pictures of items that are scored next."""
        seconds = self.declaration.clean_parameters(parameters)["seconds"]
        backend.prefetch([picture_of(item, seconds) for item in items if not _obstacle(item)])

    def _rows(
        self,
        items: Sequence[MetricItem],
        backend: ImageTextEncoder,
        seconds: float,
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        scored = {item.key: item for item in items if not _obstacle(item)}
        pictures = {key: picture_of(item, seconds) for key, item in scored.items()}
        images = backend.encode_images(list(pictures.values()))
        texts = backend.encode_texts([text for item in scored.values() for text in probes(item)])
        vectors = {
            key: (image, texts[2 * place : 2 * place + 2])
            for place, (key, image) in enumerate(zip(scored, images, strict=True))
        }
        for done, item in enumerate(items, start=1):
            if item.key in scored:
                image, both = vectors[item.key]
                yield from self._row(item, image, both, pictures[item.key].note)
            else:
                reason = _obstacle(item)
                yield from undefined_rows(
                    self.declaration, reason=reason, evidence={}, item_key=item.key
                )
            if on_progress is not None:
                on_progress(done, len(items))

    def _row(
        self,
        item: MetricItem,
        image: Vector | MediaError,
        texts: Sequence[EncodedText],
        note: Mapping[str, Any],
    ) -> Iterator[ScoreRow]:
        evidence = {"probes": list(probes(item)), "truncated": any(t.truncated for t in texts)}
        if isinstance(image, MediaError):
            yield from undefined_rows(
                self.declaration,
                reason=media_reason(image),
                evidence=evidence | {"error": str(image)},
                item_key=item.key,
            )
            return
        cosines = [min(1.0, max(-1.0, float(image @ text.vector))) for text in texts]
        evidence |= {"cosines": cosines, **note}
        yield ScoreRow(item.key, "cure", "", sum(cosines) / 2, "", evidence)


def probes(item: MetricItem) -> tuple[str, str]:
    """The texts that the picture is held against."""
    activity, country = (item.fields[name].strip() for name in _SCENE)
    return f"an image of {activity}", f"an image from {country}"


def _obstacle(item: MetricItem) -> str:
    found = obstacle(item)
    if found == "not_applicable" or all(item.fields.get(name, "").strip() for name in _SCENE):
        return found
    return "no_scene"


CURE = CureMetric()
