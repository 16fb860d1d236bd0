"""Speed of agreement against the `krippendorff` package, in one run: python benchmarks/agreement.py

Both sides compute alpha at three levels; ours adds Gwet's AC1 from the same draws. The package has
no bootstrap: a loop draws items anew and calls it, in its matrix form (raters x items) and in its
value-counts form. A few of its replicates are timed and multiplied up, which is said in the table.
Times are processor time, so that other work on the machine counts less. `--quick` takes fewer of
the package's replicates and leaves out the million ratings.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import krippendorff
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scoring.stats.agreement import Coefficient, estimate_agreement  # noqa: E402
from scoring.stats.bootstrap import RESAMPLES, Resample, bootstrap_agreement  # noqa: E402
from scoring.stats.counts import CodedRatings, code_ratings  # noqa: E402
from scoring.stats.scale import Level, declare_scale  # noqa: E402

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
ALPHAS = [Coefficient("krippendorff_alpha", level) for level in LEVELS]
WANTED = [*ALPHAS, Coefficient("gwet_ac1")]
SCALE = declare_scale(level="interval", categories=[1, 2, 3, 4, 5])
REPLICATES = 2000


def simulated(n_items: int, n_raters: int, missing: float) -> np.ndarray:
    """Ratings 1-5, raters x items, nan = missing."""
    rng = np.random.default_rng(20)
    latent = rng.normal(3, 1, n_items)
    ratings = np.clip(np.round(latent + rng.normal(0, 0.8, (n_raters, n_items))), 1, 5)
    ratings[rng.random(ratings.shape) < missing] = np.nan
    return ratings


def long_codes(matrix: np.ndarray) -> dict[str, np.ndarray]:
    rater, unit = np.nonzero(~np.isnan(matrix))
    return {"unit": unit, "rater": rater, "category": matrix[rater, unit].astype(int) - 1}


def best_of(times: int, work: Callable[[], object]) -> float:
    """Processor seconds of the fastest of several runs."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def package_replicate(matrix: np.ndarray, rng: np.random.Generator) -> None:
    drawn = matrix[:, rng.integers(matrix.shape[1], size=matrix.shape[1])]
    for level in LEVELS:
        krippendorff.alpha(reliability_data=drawn, level_of_measurement=level)


def package_counts_replicate(counts: np.ndarray, rng: np.random.Generator) -> None:
    drawn = counts[rng.integers(len(counts), size=len(counts))]
    for level in LEVELS:
        krippendorff.alpha(
            value_counts=drawn, value_domain=[1.0, 2.0, 3.0, 4.0, 5.0], level_of_measurement=level
        )


def line(what: str, seconds: float, ours: float | None = None, note: str = "") -> None:
    ratio = "" if ours is None else f"{seconds / ours:9.1f}x"
    print(f"  {what:<48} {seconds * 1000:12.1f} ms {ratio:>11}  {note}")


def compare(n_items: int, n_raters: int, missing: float, package_replicates: int) -> None:
    matrix = simulated(n_items, n_raters, missing)
    codes = long_codes(matrix)
    ratings = code_ratings(**codes, scale=SCALE)
    counts = ratings.count_matrix()
    print(
        f"\n{n_items} items x {n_raters} raters, {missing:.0%} missing, {ratings.n_ratings} ratings"
    )
    check_equal(ratings, matrix)

    ours = best_of(5, lambda: estimate_agreement(ratings=ratings, coefficients=ALPHAS))
    line("point: ours, from codes", ours)
    theirs = best_of(
        3,
        lambda: [
            krippendorff.alpha(reliability_data=matrix, level_of_measurement=level)
            for level in LEVELS
        ],
    )
    line("point: krippendorff, matrix", theirs, ours)

    items, two_way = (best_of(2, lambda r=r: bootstrapped(ratings, r)) for r in RESAMPLES[::-1])
    line(f"{REPLICATES} item replicates: ours", items)
    rng = np.random.default_rng(1)
    note = f"extrapolated from {package_replicates} replicates"
    for name, one in (
        ("matrix", lambda: package_replicate(matrix, rng)),
        ("value counts", lambda: package_counts_replicate(counts, rng)),
    ):
        start = time.process_time()
        for _ in range(package_replicates):
            one()
        each = (time.process_time() - start) / package_replicates
        line(
            f"{REPLICATES} item replicates: krippendorff, {name}",
            each * REPLICATES,
            items,
            note,
        )
    line(
        f"{REPLICATES} items x raters replicates: ours",
        two_way,
        None,
        "the package has no counterpart",
    )


def bootstrapped(ratings: CodedRatings, resample: Resample) -> None:
    bootstrap_agreement(
        ratings=ratings, coefficients=WANTED, replicates=REPLICATES, seed=1, resample=resample
    )


def check_equal(ratings: CodedRatings, matrix: np.ndarray) -> None:
    """Stops when both sides do not compute the same numbers."""
    for result in estimate_agreement(ratings=ratings, coefficients=ALPHAS):
        theirs = krippendorff.alpha(reliability_data=matrix, level_of_measurement=result.level)
        if result.value is None or abs(result.value - theirs) > 1e-9:
            raise SystemExit(f"{result.level}: ours {result.value}, krippendorff {theirs}")


def million_ratings() -> None:
    rng = np.random.default_rng(3)
    n_units, per_unit = 200_000, 5
    unit = np.repeat(np.arange(n_units), per_unit)
    rater = ((np.arange(n_units) * 7)[:, None] + np.arange(per_unit)).ravel() % 3000
    category = rng.integers(0, 5, unit.size)
    print(f"\n{unit.size} long ratings, {n_units} units, 3000 raters")

    def coded() -> CodedRatings:
        return code_ratings(unit=unit, rater=rater, category=category, scale=SCALE)

    ratings = coded()
    line("checking the codes", best_of(3, coded))
    line(
        "point: ordinal alpha",
        best_of(5, lambda: estimate_agreement(ratings=ratings, coefficients=ALPHAS[1:2])),
    )
    tracemalloc.start()
    estimate_agreement(ratings=coded(), coefficients=ALPHAS[1:2])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"  peak memory of both beyond the codes: {peak / 1e6:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer replicates of the package")
    quick = parser.parse_args().quick
    compare(1_000, 5, 0.0, 3 if quick else 20)
    compare(10_000, 20, 0.8, 1 if quick else 5)
    if not quick:
        million_ratings()


if __name__ == "__main__":
    main()
