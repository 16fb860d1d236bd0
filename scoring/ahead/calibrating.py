"""The step that calibrates tau on the real images, and stores it with its chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.ahead.inputs import (
    ALL,
    AheadInputs,
    extractors,
    reference_sources,
    resolve,
    source_of,
)
from scoring.ahead.real_images import real_images
from scoring.backing import Wanted, backend_of
from scoring.coverage import ItemFields
from scoring.metrics.ahead.calibration import TauCalibration, ValuesOf, calibrate
from scoring.metrics.base import ParameterError
from scoring.models import Calibration
from scoring.step_work import Work
from studies.models import Study


def checked(study: Study, parameters: dict[str, Any]) -> dict[str, Any]:
    """The extractor, the references, and whether of best matches (default) or all pairs."""
    values_of = str(parameters.get("values_of") or "best")
    if values_of not in ("best", "pairs"):
        raise ParameterError(f"tau is of the best matches or of all pairs, not {values_of!r}.")
    named = {
        "extractor": parameters.get("extractor"),
        "references": parameters.get("references"),
        "tau": 0.0,  # what is looked for
    }
    found = resolve(study=study, parameters=named)
    if not real_images(study):
        raise ParameterError(
            "tau is calibrated on real images, and the study has none. Import some."
        )
    if found["extractor"] not in extractors(study) or not reference_sources(study):
        raise ParameterError(
            "tau needs reference descriptors, and descriptors predicted from the real images. "
            "Import them or ask for them first."
        )
    return {
        "extractor": found["extractor"],
        "references": found.get("references", ALL),
        "values_of": values_of,
    }


def do(work: Work) -> None:
    work.begin(1)
    embedder = backend_of("text_embedder", Wanted())
    values_of: ValuesOf = work.parameters["values_of"]
    subjects = real_subjects(work.study, work.parameters)
    found = calibrate(subjects, embedder, values_of=values_of)
    row = Calibration(
        study=work.study,
        extractor=source_of(work.parameters["extractor"]),
        references=work.parameters["references"],
        embedder=embedder.model_id,
        embedder_revision=embedder.revision,
        values_of=found.values_of,
        n_images=found.n_images,
        n_values=len(found.values),
        q1=found.q1,
        median=found.median,
        q3=found.q3,
        n_unmatched=found.n_unmatched,
        share_above_q3=found.share_above_q3,
        align=found.align,
        plots=_plots(found, work),
    )
    work.advance(0)
    row.save()
    work.note(calibration=row.pk)
    work.advance()


def real_subjects(
    study: Study, parameters: Mapping[str, Any]
) -> list[tuple[dict[str, tuple[str, ...]], Any]]:
    """Each described real image with the references of its scene. ``parameters`` name the
    extractor and the references."""
    found = AheadInputs(study, parameters).descriptors
    fields = ItemFields(study)
    return [
        (
            found.references_of(fields.activity(item), item.country),
            found.seen[str(item.pk)],
        )
        for item in real_images(study)
        if str(item.pk) in found.seen
    ]


def _plots(found: TauCalibration, work: Work) -> dict[str, str]:
    from scoring.reports.plots.tau import draw_tau  # matplotlib: the worker's

    return draw_tau(
        found.values,
        q1=found.q1,
        median=found.median,
        q3=found.q3,
        extractor=work.parameters["extractor"],
        key=f"tau-{work.step.pk}",
    )
