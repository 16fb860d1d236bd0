"""What a metric declares, what a score row may hold, and that none of it loads a model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scoring.metrics import all_metrics, get_metric, register
from scoring.metrics.ahead import DIMENSIONS
from scoring.metrics.base import REASONS, ParameterError, ScoreRow, UnknownMetricError
from studies.importing import descriptors

ROOT = Path(__file__).resolve().parents[2]


def test_importing_the_metrics_and_the_importer_loads_no_model_library():
    program = (
        "import sys, scoring.metrics, scoring.backends.text_embedder\n"
        "import studies.importing.descriptors\n"
        "scoring.backends.text_embedder.default_text_embedder()\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'pandas', 'scipy', 'django'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_every_metric_explains_its_reasons_and_bounds_its_outputs():
    assert "ahead" in [metric.declaration.key for metric in all_metrics()]
    for metric in all_metrics():
        declaration = metric.declaration
        assert set(declaration.reasons) <= set(REASONS)
        assert declaration.source and declaration.version
        for output in declaration.outputs:
            assert output.low < output.high
            assert output.better in ("higher", "lower")


def test_ahead_declares_align_as_better_higher_and_hal_as_better_lower():
    outputs = {one.name: one for one in get_metric("ahead").declaration.outputs}
    assert (outputs["ALIGN"].better, outputs["HAL"].better) == ("higher", "lower")
    assert (outputs["ALIGN"].low, outputs["ALIGN"].high) == (0.0, 1.0)


def test_the_importer_and_the_metric_know_the_same_dimensions():
    assert descriptors.DIMENSIONS == DIMENSIONS


def test_an_unknown_metric_is_answered_with_the_nearest():
    with pytest.raises(UnknownMetricError, match="'ahead'"):
        get_metric("aheads")
    with pytest.raises(UnknownMetricError, match="There are: "):
        get_metric("zzz")


def test_a_key_is_registered_once():
    with pytest.raises(ValueError, match="ahead"):
        register(get_metric("ahead"))


def test_parameters_are_cleaned_and_unknown_or_missing_ones_named():
    declaration = get_metric("ahead").declaration
    assert declaration.clean_parameters({"tau": "0.52"})["tau"] == 0.52
    with pytest.raises(ParameterError, match="no default"):
        get_metric("ahead_judge").declaration.clean_parameters({})
    with pytest.raises(ParameterError, match="'taw'"):
        declaration.clean_parameters({"tau": 0.5, "taw": 1})


@pytest.mark.parametrize(
    ("value", "reason", "message"),
    [
        (None, "", "without a known reason"),
        (None, "because", "without a known reason"),
        (0.5, "no_reference", "both"),
        (float("nan"), "", "finite"),
    ],
)
def test_a_score_row_holds_a_number_or_a_known_reason(value, reason, message):
    with pytest.raises(ValueError, match=message):
        ScoreRow("a", "ahead_align", "", value, reason, {})
