"""Stored thresholds of AHEaD are computed again from descriptors, or said not to be."""

import pytest

from scoring.ahead.calibrating import real_subjects
from scoring.backends.text_embedder import ModelMissingError
from scoring.exports.bundle import recalibrating
from scoring.exports.bundle.recalibrating import recalibrated
from scoring.exports.bundle.reproducing import reproduce
from scoring.metrics.ahead.calibration import calibrate
from scoring.models import Calibration
from tests.metrics.ahead.plane import PlaneEmbedder
from tests.scoring.report_study import a_researcher, a_study, an_item

pytestmark = pytest.mark.django_db
SCENE = {"activity": "wedding", "country": "NP"}


@pytest.fixture
def calibrated(monkeypatch):
    """Two real pictures, what is seen in them, and the quartiles that follow."""
    monkeypatch.setattr(recalibrating, "default_text_embedder", PlaneEmbedder)
    study = a_study(owner=a_researcher("ana"))
    for token in ("cap", "sari"):
        study.descriptors.create(kind="reference", dimension="attire", token=token, **SCENE)
    for number, token in enumerate(("hat", "suit")):
        item = an_item(study, f"real-{number}", country="NP", origin="real", category="wedding")
        study.descriptors.create(
            kind="predicted", dimension="attire", token=token, item=item, source="eye"
        )
    asked = {"extractor": "eye", "references": "all"}
    found = calibrate(real_subjects(study, asked), PlaneEmbedder())
    return Calibration.objects.create(
        study=study,
        embedder="plane",
        embedder_revision="1",
        values_of="best",
        n_values=len(found.values),
        **asked,
        **{
            name: getattr(found, name)
            for name in ("n_images", "n_unmatched", "q1", "median", "q3", "share_above_q3", "align")
        },
    )


def changed(row: Calibration, **values):
    Calibration.objects.filter(pk=row.pk).update(**values)
    return recalibrated(row.study)


def test_a_calibration_comes_out_again(calibrated):
    assert calibrated.n_values == 4
    found = recalibrated(calibrated.study)
    assert (found.differences, found.not_computed) == ((), ())
    assert changed(calibrated, q1=calibrated.q1 + 1e-6).differences == ()  # another processor


@pytest.mark.parametrize("name", ["q1", "median", "q3", "share_above_q3", "align"])
def test_a_number_that_was_changed_is_named(calibrated, name):
    found = changed(calibrated, **{name: 0.123})
    (wrong,) = found.differences
    assert wrong.where == f"calibration {calibrated.pk} of eye, {name}"
    assert wrong.said == "0.123"
    assert wrong.found == repr(getattr(calibrated, name))


def test_a_calibration_of_other_descriptors_is_not_held_against_these(calibrated):
    study = calibrated.study
    study.descriptors.create(kind="reference", dimension="attire", token="suit", **SCENE)
    found = recalibrated(study)
    assert found.differences == ()
    (reason,) = found.not_computed
    assert "others than on its day (n_values 4, now 6)" in reason


def test_a_calibration_of_another_embedder_is_said_not_to_be_computed(calibrated):
    (reason,) = changed(calibrated, embedder_revision="2").not_computed
    assert reason.endswith("it rests on plane 2; here is plane 1")


def test_an_embedder_that_is_not_installed_is_said(calibrated, monkeypatch):
    class Missing(PlaneEmbedder):
        def embed(self, texts):
            raise ModelMissingError("Install it.")

    monkeypatch.setattr(recalibrating, "default_text_embedder", Missing)
    (reason,) = recalibrated(calibrated.study).not_computed
    assert reason.endswith("Install it.")


def test_a_bundle_s_calibration_without_descriptors_is_told(bundle):
    (reason,) = reproduce(bundle).not_computed
    assert "it rests on all-MiniLM-L6-v2 1" in reason
