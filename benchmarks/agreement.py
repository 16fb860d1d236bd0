"""Speed of agreement against two packages, in one process: python benchmarks/agreement.py

**krippendorff** has no bootstrap: a loop draws items anew and calls it at three levels, in its
matrix form (raters x items) and in its value-counts form. A few of its replicates are timed and
multiplied up, which is said in the table. **evalica** (Rust) has one of its own, of alpha alone,
one level at a time; it draws disagreements of pairs, not items, so its intervals are other
(narrower) ones. Ours are alpha at three levels and Gwet's AC1 from the same draws.

Times are processor time of this process, so that other work on the machine counts less; memory is
what Python and numpy asked for beyond the ratings' codes, at its highest. `--quick` measures only
10,000 items x 20 raters with 80 % missing, in well under a minute.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import evalica
import krippendorff
import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scoring.stats.agreement import Coefficient, estimate_agreement  # noqa: E402
from scoring.stats.bootstrap import Resample, bootstrap_agreement  # noqa: E402
from scoring.stats.counts import CodedRatings, code_ratings  # noqa: E402
from scoring.stats.scale import Level, declare_scale  # noqa: E402

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
ALPHAS = [Coefficient("krippendorff_alpha", level) for level in LEVELS]
WANTED = [*ALPHAS, Coefficient("gwet_ac1")]
VALUES = [1.0, 2.0, 3.0, 4.0, 5.0]
SCALE = declare_scale(level="interval", categories=[1, 2, 3, 4, 5])
REPLICATES = 2000


@dataclass
class Report:
    """What was measured, in seconds, and the printed table of it."""

    silent: bool
    cases: dict[str, dict[str, float]] = field(default_factory=dict)

    def case(self, title: str) -> dict[str, float]:
        self.say(f"\n{title}")
        return self.cases.setdefault(title, {})

    def line(
        self, case: dict[str, float], what: str, seconds: float, ours: float = 0.0, note: str = ""
    ) -> None:
        case[what] = seconds
        ratio = f"{seconds / ours:9.1f}x" if ours else ""
        self.say(f"  {what:<52} {seconds * 1000:12.1f} ms {ratio:>11}  {note}")

    def say(self, text: str) -> None:
        if not self.silent:
            print(text, flush=True)


def simulated(n_items: int, n_raters: int, missing: float) -> np.ndarray:
    """Ratings 1-5, raters x items, nan = missing."""
    rng = np.random.default_rng(20)
    latent = rng.normal(3, 1, n_items)
    ratings = np.clip(np.round(latent + rng.normal(0, 0.8, (n_raters, n_items))), 1, 5)
    ratings[rng.random(ratings.shape) < missing] = np.nan
    return ratings


def coded(matrix: np.ndarray) -> CodedRatings:
    rater, unit = np.nonzero(~np.isnan(matrix))
    category = matrix[rater, unit].astype(int) - 1
    return code_ratings(unit=unit, rater=rater, category=category, scale=SCALE)


def long_codes(n_units: int, per_unit: int, n_raters: int) -> dict[str, np.ndarray]:
    """The same kind of ratings in long form: each unit by so many different raters."""
    rng = np.random.default_rng(3)
    unit = np.repeat(np.arange(n_units), per_unit)
    step = 1 + rng.integers(n_raters // per_unit, size=n_units)
    first = rng.integers(n_raters, size=n_units)
    rater = (first[:, None] + step[:, None] * np.arange(per_unit)).ravel() % n_raters
    latent = rng.normal(2, 1, n_units)[unit]
    category = np.clip(np.round(latent + rng.normal(0, 0.8, unit.size)), 0, 4).astype(int)
    return {"unit": unit, "rater": rater, "category": category}


def seconds_of(work: Callable[[], object], times: int = 1) -> float:
    """Processor seconds of the fastest of several runs."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def bootstrapped(ratings: CodedRatings, resample: Resample, replicates: int = REPLICATES) -> None:
    bootstrap_agreement(
        ratings=ratings, coefficients=WANTED, replicates=replicates, seed=1, resample=resample
    )


def package_alphas(matrix: np.ndarray) -> None:
    for level in LEVELS:
        krippendorff.alpha(reliability_data=matrix, level_of_measurement=level)


def package_alphas_of_counts(counts: np.ndarray) -> None:
    for level in LEVELS:
        krippendorff.alpha(value_counts=counts, value_domain=VALUES, level_of_measurement=level)


def evalica_alphas(frame: pd.DataFrame) -> None:
    for level in LEVELS:
        evalica.alpha(frame, level)


def evalica_bootstraps(frame: pd.DataFrame) -> None:
    for level in LEVELS:
        evalica.alpha_bootstrap(frame, level, n_resamples=REPLICATES, random_state=1)


def check_equal(ratings: CodedRatings, matrix: np.ndarray) -> None:
    """Stops when the sides do not compute the same numbers."""
    for result in estimate_agreement(ratings=ratings, coefficients=ALPHAS):
        theirs = {
            "krippendorff": krippendorff.alpha(
                reliability_data=matrix, level_of_measurement=result.level
            ),
            "evalica": evalica.alpha(pd.DataFrame(matrix), result.level).alpha,
        }
        for package, value in theirs.items():
            if result.value is None or abs(result.value - value) > 1e-9:
                raise SystemExit(f"{result.level}: ours {result.value}, {package} {value}")


def ratio_of(
    report: Report,
    case: dict[str, float],
    name: str,
    one: Callable[[], None],
    replicates: int,
    items: float,
) -> float:
    """How many times as long as our `items` seconds the package's replicates take."""
    # The mean, not the fastest: it stands for all the replicates.
    seconds = seconds_of(lambda: [one() for _ in range(replicates)]) / replicates * REPLICATES
    what = f"{REPLICATES} item replicates: krippendorff, {name}"
    report.line(case, what, seconds, items, f"scaled up from {replicates} replicates")
    return seconds / items


def compare(
    report: Report,
    n_items: int,
    n_raters: int,
    missing: float,
    package_replicates: int,
    *,
    ratios_only: bool = False,
) -> tuple[float, float]:
    """(ratio to the matrix form, ratio to the value-counts form) of the item bootstrap.

    `ratios_only` leaves out what these two do not need.
    """
    matrix = simulated(n_items, n_raters, missing)
    frame = pd.DataFrame(matrix)
    ratings = coded(matrix)
    counts = ratings.count_matrix()
    design = f"{n_items:,} items x {n_raters} raters, {missing:.0%} missing: "
    case = report.case(f"{design}{ratings.n_ratings:,} ratings")
    check_equal(ratings, matrix)

    ours = seconds_of(lambda: estimate_agreement(ratings=ratings, coefficients=ALPHAS), 5)
    report.line(case, "point: ours, from codes", ours)
    for name, work in (
        ("krippendorff, matrix", lambda: package_alphas(matrix)),
        ("krippendorff, value counts", lambda: package_alphas_of_counts(counts)),
        ("evalica", lambda: evalica_alphas(frame)),
    ):
        report.line(case, f"point: {name}", seconds_of(work, 3), ours)

    items = seconds_of(lambda: bootstrapped(ratings, "items"), 3)
    report.line(case, f"{REPLICATES} item replicates: ours", items)
    rng = np.random.default_rng(1)

    def one_of_matrix() -> None:
        package_alphas(matrix[:, rng.integers(n_items, size=n_items)])

    def one_of_counts() -> None:
        package_alphas_of_counts(counts[rng.integers(len(counts), size=len(counts))])

    ratios = [
        ratio_of(report, case, name, one, package_replicates, items)
        for name, one in (("matrix", one_of_matrix), ("value counts", one_of_counts))
    ]
    if not ratios_only:
        rest_of_comparison(report, case, ratings, frame, items)
    return ratios[0], ratios[1]


def rest_of_comparison(
    report: Report,
    case: dict[str, float],
    ratings: CodedRatings,
    frame: pd.DataFrame,
    items: float,
) -> None:
    """evalica's bootstrap, held against our item replicates in `items` seconds, and two-way."""
    seconds = seconds_of(lambda: evalica_bootstraps(frame))
    what = f"{REPLICATES} replicates of pairs: evalica"
    report.line(case, what, seconds, items, "alpha only; draws pairs, not items")
    two_way = seconds_of(lambda: bootstrapped(ratings, "two-way"))
    what = f"{REPLICATES} items x raters replicates: ours"
    report.line(case, what, two_way, note="no counterpart in either package")


def own_figures(
    report: Report, title: str, codes: dict[str, np.ndarray], two_way_replicates: int
) -> None:
    """Our times and memory where the packages' wide matrices cost seconds and gigabytes."""
    ratings = code_ratings(**codes, scale=SCALE)
    case = report.case(f"{title}: {ratings.n_ratings:,} ratings in long form")
    one = ALPHAS[1:2]

    def coding() -> CodedRatings:
        return code_ratings(**codes, scale=SCALE)

    report.line(case, "checking the codes", seconds_of(coding, 3))
    for what, wanted in (("ordinal alpha", one), ("three alphas and AC1", WANTED)):
        point = seconds_of(
            lambda wanted=wanted: estimate_agreement(ratings=ratings, coefficients=wanted), 5
        )
        report.line(case, f"point: {what}", point)
    report.line(
        case,
        f"{REPLICATES} item replicates",
        seconds_of(lambda: bootstrapped(ratings, "items")),
    )
    timed = seconds_of(lambda: bootstrapped(ratings, "two-way", two_way_replicates))
    note = ""
    if two_way_replicates < REPLICATES:
        note = f"scaled up from {two_way_replicates} replicates"
    what = f"{REPLICATES} items x raters replicates"
    report.line(case, what, timed / two_way_replicates * REPLICATES, note=note)
    for what, work in (
        ("codes and point", lambda: estimate_agreement(ratings=coding(), coefficients=one)),
        ("item replicates", lambda: bootstrapped(ratings, "items", 200)),
        ("items x raters replicates", lambda: bootstrapped(ratings, "two-way", 20)),
    ):
        memory = peak_megabytes(work)
        case[f"{what}: peak MB"] = memory
        report.say(f"  peak memory, {what:<39} {memory:12.0f} MB")


def peak_megabytes(work: Callable[[], object]) -> float:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="10,000 items x 20 raters only")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    report = Report(silent=options.json)
    if not options.quick:
        compare(report, 1_000, 5, 0.0, 100)
    ratios_only = options.quick and options.json
    matrix, counts = compare(report, 10_000, 20, 0.8, 20, ratios_only=ratios_only)
    if not options.quick:
        own_figures(report, "20,000 items, 5 of 50 raters each", long_codes(20_000, 5, 50), 2000)
        sparse = long_codes(100_000, 3, 200)
        own_figures(report, "100,000 items x 200 raters, 98.5 % missing", sparse, 200)
        million = long_codes(200_000, 5, 3_000)
        own_figures(report, "200,000 items, 5 of 3,000 raters each", million, 50)
    if options.json:
        ratios = {"ratio_matrix": round(matrix, 1), "ratio_value_counts": round(counts, 1)}
        print(json.dumps(ratios if options.quick else {**ratios, "seconds": report.cases}))


if __name__ == "__main__":
    main()
