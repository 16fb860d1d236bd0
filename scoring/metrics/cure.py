"""CuRe: how near a picture is to its activity and to its country, each named by a probe.

    cure = (cos(picture, "an image of ACTIVITY") + cos(picture, "an image from COUNTRY")) / 2

-1 to 1, higher is better (arXiv:2506.08071, whose third probe, of the parent category, is left
out).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.backends.image_text import ImageTextEncoder
from scoring.metrics.base import Declaration, MetricItem, Needs, Output
from scoring.metrics.item_pictures import FIELDS, REASONS, SECONDS, obstacle
from scoring.metrics.picture_texts import PictureTextsMetric

_SCENE = ("activity", "country_name")


class CureMetric(PictureTextsMetric):
    """The evidence holds both probes and their cosines."""

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

    def obstacle(self, item: MetricItem) -> str:
        found = obstacle(item)
        return found if found == "not_applicable" or _has_scene(item) else "no_scene"

    def texts(self, item: MetricItem) -> Sequence[str]:
        return probes(item)

    def told(self, item: MetricItem) -> dict[str, Any]:
        return {"probes": list(probes(item))} if _has_scene(item) else {}

    def values(self, cosines: Sequence[float], encoder: ImageTextEncoder) -> Mapping[str, float]:
        return {"cure": sum(cosines) / len(cosines)}

    def found(self, cosines: Sequence[float]) -> Mapping[str, Any]:
        return {"cosines": list(cosines)}


def probes(item: MetricItem) -> tuple[str, str]:
    """The texts that the picture is held against."""
    activity, country = (item.fields[name].strip() for name in _SCENE)
    return f"an image of {activity}", f"an image from {country}"


def _has_scene(item: MetricItem) -> bool:
    return all(item.fields.get(name, "").strip() for name in _SCENE)


CURE = CureMetric()
