"""Many short correlations at once are what each is by itself."""

import numpy as np
import pytest

from scoring.stats import runs
from scoring.stats.association import METHODS, Pairs
from scoring.stats.runs import run_values

SIZES = (0, 1, 2, 3, 40, 7, 7, 120, 2, 5, 0)


@pytest.fixture
def ragged() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    starts = np.cumsum([0, *SIZES])
    x = rng.integers(1, 6, size=starts[-1]).astype(float)
    y = x + rng.integers(0, 4, size=starts[-1])
    x[starts[5] : starts[6]] = 3.0
    return x, y, starts


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("cells", [1, 30, 200_000])
def test_every_run_has_the_coefficient_it_has_alone(monkeypatch, ragged, method, cells):
    monkeypatch.setattr(runs, "BLOCK_CELLS", cells)
    x, y, starts = ragged
    alone = [
        Pairs(x[low:high], y[low:high]).value(method) if high - low > 1 else None
        for low, high in zip(starts[:-1], starts[1:], strict=True)
    ]
    expected = [np.nan if value is None else value for value in alone]
    found = run_values(method, x, y, starts)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert np.isnan(found[5])
    assert int(np.isfinite(found).sum()) >= 5


def test_no_runs_have_no_coefficients():
    assert run_values("spearman", np.empty(0), np.empty(0), np.zeros(1, dtype=np.intp)).size == 0
