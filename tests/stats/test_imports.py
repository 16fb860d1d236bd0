"""A web page may estimate agreement: that loads numpy and nothing heavier."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("scipy", "pandas", "statsmodels", "krippendorff", "django", "matplotlib", "sklearn")

USE = """
import sys
from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.counts import code_ratings
from scoring.stats.scale import declare_scale

scale = declare_scale(level="interval", categories=[1, 2, 3])
ratings = code_ratings(
    unit=[0, 0, 1, 1], rater=[0, 1, 0, 1], category=[0, 0, 2, 1], scale=scale
)
names = ("krippendorff_alpha", "gwet_ac2", "cohen_kappa", "conger_kappa", "icc", "kendall_w")
estimate_agreement(ratings=ratings, coefficients=[Coefficient(name) for name in names])
print(*sorted({name.split(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize("code", ["import scoring.stats.counts, sys; print(*sys.modules)", USE])
def test_counting_and_estimating_load_nothing_but_numpy(code):
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    loaded = set(run.stdout.split())
    assert "numpy" in loaded
    assert loaded.isdisjoint(HEAVY)
