"""How often 95 % intervals hold the true value: python benchmarks/coverage.py --out coverage.jsonl

Data sets are simulated with a known truth: every one of R raters rates each of n items on five
points. A rating is the item's effect (normal, sd 1) plus the rater's bias (normal, sd 0.5) plus
noise (normal, sd 0.7), cut at -1.2, -0.4, 0.4 and 1.2. The truth is the coefficient over all the
items and all the raters there could be, found by integration, not by simulation.

Each data set gives intervals of every kind (percentile, BCa, jackknife-t) with items drawn anew and
with items and raters drawn anew. Results go to a file, a line for each chunk of data sets; a second
run goes on where the first stopped (`--seconds` bounds a run), and every run prints the table of
what is in the file. Chunks are seeded by their number, so the file does not depend on the runs.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scipy.stats import norm  # noqa: E402

from scoring.stats.agreement import Coefficient  # noqa: E402
from scoring.stats.bootstrap import (  # noqa: E402
    INTERVAL_KINDS,
    Resample,
    agreement_intervals,
)
from scoring.stats.counts import CodedRatings, code_ratings  # noqa: E402
from scoring.stats.scale import declare_scale  # noqa: E402

BIAS, NOISE = 0.5, 0.7
CUTS = np.array([-1.2, -0.4, 0.4, 1.2])
SCALE = declare_scale(level="ordinal", categories=[1, 2, 3, 4, 5])

RATERS = [3, 5, 10, 20]
ITEMS = [10, 20, 50, 200]
RESAMPLED: tuple[Resample, ...] = ("items", "two-way")
COEFFICIENTS = {
    "ordinal alpha": Coefficient("krippendorff_alpha", "ordinal"),
    "AC1": Coefficient("gwet_ac1"),
}
CHUNK = 25

Key = tuple[str, str, str, int, int]
"""(coefficient, resampled, kind, raters, items)."""


@dataclass
class Tally:
    """Data sets of one cell: how many, with an interval, held by it, and the summed widths."""

    sets: int = 0
    given: int = 0
    held: int = 0
    width: float = 0.0


def truths() -> dict[str, float]:
    """The coefficients over all possible items and raters.

    Given the item's effect, ratings by different raters are independent with category shares
    p(effect); the effect is integrated by 200-point Gauss-Hermite quadrature.
    """
    effect, weight = np.polynomial.hermite_e.hermegauss(200)
    weight = weight / weight.sum()
    edges = np.concatenate([[-np.inf], CUTS, [np.inf]])
    below = norm.cdf((edges - effect[:, None]) / np.hypot(BIAS, NOISE))
    shares = np.diff(below, axis=1)
    prevalence = weight @ shares
    midranks = np.cumsum(prevalence) - prevalence / 2.0
    second = prevalence @ midranks**2
    within = second - weight @ (shares @ midranks) ** 2
    between = second - (prevalence @ midranks) ** 2
    agreement = weight @ (shares**2).sum(axis=1)
    chance = (prevalence * (1.0 - prevalence)).sum() / (prevalence.size - 1)
    return {
        "ordinal alpha": float(1.0 - within / between),
        "AC1": float((agreement - chance) / (1.0 - chance)),
    }


def simulated(rng: np.random.Generator, n_raters: int, n_items: int) -> CodedRatings:
    effect = rng.normal(0, 1, (n_items, 1)) + rng.normal(0, BIAS, n_raters)
    category = np.searchsorted(CUTS, effect + rng.normal(0, NOISE, (n_items, n_raters)))
    unit, rater = np.indices(category.shape)
    return code_ratings(
        unit=unit.ravel(), rater=rater.ravel(), category=category.ravel(), scale=SCALE
    )


def chunk_lines(
    n_raters: int, n_items: int, chunk: int, replicates: int, true: dict[str, float]
) -> dict[str, Any]:
    """The tallies of CHUNK data sets of one design."""
    rng = np.random.default_rng([n_raters, n_items, chunk])
    cells: dict[tuple[str, str, str], Tally] = defaultdict(Tally)
    for number in range(CHUNK):
        ratings = simulated(rng, n_raters, n_items)
        for resample in RESAMPLED:
            by_kind = agreement_intervals(
                ratings=ratings,
                coefficients=tuple(COEFFICIENTS.values()),
                replicates=replicates,
                seed=chunk * CHUNK + number,
                resample=resample,
                kinds=INTERVAL_KINDS,
            )
            for kind, results in by_kind.items():
                for name, result in zip(COEFFICIENTS, results, strict=True):
                    tally = cells[name, resample, kind]
                    tally.sets += 1
                    bounds = result.interval
                    if bounds is None or bounds.low is None or bounds.high is None:
                        continue
                    tally.given += 1
                    tally.held += int(bounds.low <= true[name] <= bounds.high)
                    tally.width += bounds.high - bounds.low
    return {
        "raters": n_raters,
        "items": n_items,
        "chunk": chunk,
        "replicates": replicates,
        "cells": [[*key, *vars(tally).values()] for key, tally in cells.items()],
    }


def missing_chunks(
    done: set[tuple[int, int, int]], options: argparse.Namespace
) -> Iterator[tuple[int, int, int]]:
    """What is still to be computed: all designs advance together."""
    for chunk in range(-(-options.sets // CHUNK)):
        for n_items in options.items:
            for n_raters in options.raters:
                if (n_raters, n_items, chunk) not in done:
                    yield n_raters, n_items, chunk


def read_lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def simulate(path: Path, options: argparse.Namespace) -> None:
    stop = time.monotonic() + options.seconds
    replicates = options.replicates
    lines = read_lines(path)
    if any(line["replicates"] != replicates for line in lines):
        raise SystemExit(f"{path} holds results of another number of replicates; name a new file.")
    done = {(line["raters"], line["items"], line["chunk"]) for line in lines}
    true = truths()
    with path.open("a", encoding="utf-8") as file:
        for design in missing_chunks(done, options):
            if time.monotonic() > stop:
                print(f"Stopped after {options.seconds:.0f} s; run again to go on.")
                return
            file.write(json.dumps(chunk_lines(*design, replicates, true)) + "\n")
            file.flush()


def tallies(lines: list[dict[str, Any]]) -> dict[Key, Tally]:
    sums: dict[Key, Tally] = defaultdict(Tally)
    for line in lines:
        for name, resample, kind, sets, given, held, width in line["cells"]:
            tally = sums[name, resample, kind, line["raters"], line["items"]]
            tally.sets += sets
            tally.given += given
            tally.held += held
            tally.width += width
    return sums


def print_tables(lines: list[dict[str, Any]]) -> None:
    sums = tallies(lines)
    if not sums:
        print("No results yet.")
        return
    sets = {tally.sets for tally in sums.values()}
    true = truths()
    print(
        f"Share of 95 % intervals that hold the truth (mean width): {min(sets)} to {max(sets)} "
        f"data sets a cell, {lines[0]['replicates']} replicates."
    )
    columns = [(resample, kind) for resample in RESAMPLED for kind in INTERVAL_KINDS]
    for name in COEFFICIENTS:
        print(f"\n{name}, truth {true[name]:.3f}\n")
        print("| raters | items | " + " | ".join(f"{r}, {k}" for r, k in columns) + " |")
        print("| --: | --: |" + " --: |" * len(columns))
        for n_raters, n_items in sorted({key[3:] for key in sums}):
            cells = [cell(sums[name, r, k, n_raters, n_items]) for r, k in columns]
            print(f"| {n_raters} | {n_items} | " + " | ".join(cells) + " |")
    without = sum(tally.sets - tally.given for tally in sums.values())
    print(f"\nNo interval was given in {without} of {sum(t.sets for t in sums.values())} cases.")


def cell(tally: Tally) -> str:
    """ ".93 (.21)"; data sets without an interval are left out of both numbers."""
    if tally.given == 0:
        return "-"
    share, width = tally.held / tally.given, tally.width / tally.given
    return f"{share:.2f} ({width:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="coverage.jsonl", type=Path, help="file of results")
    parser.add_argument("--sets", default=400, type=int, help="data sets a cell (default 400)")
    parser.add_argument("--replicates", default=1000, type=int, help="bootstrap replicates")
    for name, default in (("raters", RATERS), ("items", ITEMS)):
        parser.add_argument(
            f"--{name}", default=default, type=int, nargs="+", help=f"numbers of {name}"
        )
    parser.add_argument("--seconds", default=600.0, type=float, help="stop after so long")
    options = parser.parse_args()
    simulate(options.out, options)
    print_tables(read_lines(options.out))


if __name__ == "__main__":
    main()
