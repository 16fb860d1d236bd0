"""Speed of bootstrapped correlations against a scipy loop, in one run: benchmarks/correlation.py

The other side draws items anew and calls scipy for each replicate, as people write it. A few of
its replicates are timed and multiplied up, which is said. Times are processor time, so that other
work on the machine counts less; memory is the peak beyond the data. `--coverage` simulates how
often 95 % intervals hold the true value, by what is drawn and how bounds are read off. `--json`
prints the ratios only.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scoring.stats.association import Method  # noqa: E402
from scoring.stats.correlation import correlate_scores  # noqa: E402
from scoring.stats.level_values import at_level  # noqa: E402
from scoring.stats.levels import correlate_at_level  # noqa: E402
from scoring.stats.rated_items import RatedItems, Redraw, rate_items  # noqa: E402

REPLICATES = 2000
SCIPY: dict[Method, Callable[[np.ndarray, np.ndarray], float]] = {
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
}


def simulated(n: int, per_item: int = 5, *, crossed: bool, seed: int = 1) -> RatedItems:
    """Items with a score and ratings 1-5 by people who differ in level and in how far they go."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=n)
    item = np.repeat(np.arange(n), per_item)
    rater = np.tile(np.arange(per_item), n) if crossed else np.arange(item.size)
    n_raters = int(rater.max()) + 1
    level, reach = rng.normal(0, 0.7, n_raters), np.exp(rng.normal(0, 0.4, n_raters))
    rating = 3 + 0.8 * reach[rater] * latent[item] + level[rater] + rng.normal(0, 0.8, item.size)
    return rate_items(
        score=latent + rng.normal(size=n),
        item=item,
        rater=rater,
        value=np.clip(np.round(rating), 1, 5),
        group=np.arange(n) % 10,
    )


def seconds(work: Callable[[], object], times: int = 2) -> float:
    """Processor seconds of the fastest of several runs."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def peak(work: Callable[[], object]) -> float:
    """Peak memory in MB beyond what was held before."""
    tracemalloc.start()
    work()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / 1e6


def scipy_seconds(x: np.ndarray, y: np.ndarray, method: Method, replicates: int) -> float:
    """Processor seconds of 2,000 replicates, multiplied up from a few."""
    rng = np.random.default_rng(0)
    start = time.process_time()
    for _ in range(replicates):
        drawn = rng.integers(x.size, size=x.size)
        SCIPY[method](x[drawn], y[drawn])
    return (time.process_time() - start) / replicates * REPLICATES


def against_scipy(n: int, method: Method, replicates: int, *, quiet: bool) -> float:
    items = simulated(n, crossed=True)
    x, y = items.score, items.mean

    def ours() -> object:
        return correlate_scores(
            scores=x, mean_ratings=y, methods=[method], replicates=REPLICATES, seed=1
        )

    (result,) = correlate_scores(scores=x, mean_ratings=y, methods=[method])
    if abs((result.value or 0) - SCIPY[method](x, y)) > 1e-9:
        raise SystemExit(f"{method}, {n} items: ours {result.value}, scipy {SCIPY[method](x, y)}")
    own, loop = seconds(ours), scipy_seconds(x, y, method, replicates)
    if not quiet:
        print(
            f"  {n:>7} items  {method:<9} ours {own:8.3f} s  scipy loop {loop:9.2f} s"
            f"  {loop / own:7.1f}x  peak {peak(ours):5.0f} MB"
            f"  (scipy from {replicates} replicates)"
        )
    return loop / own


def own_figures() -> None:
    print(f"\nNo counterpart: {REPLICATES} replicates of other levels, ratings drawn too")
    for n in (800, 10_000):
        items = simulated(n, crossed=False)
        for level in ("pooled", "within", "centred", "system"):
            for raters in ("fixed", "within"):

                def work(items=items, level=level, raters=raters) -> object:
                    return correlate_at_level(
                        items=items, level=level, replicates=REPLICATES, raters=raters
                    )

                print(
                    f"  {n:>7} items  {level:<8} ratings {raters:<7}"
                    f" {seconds(work, 1):8.2f} s  peak {peak(work):5.0f} MB"
                )


def coverage(data_sets: int = 400, replicates: int = 400) -> None:
    """Share of 95 % intervals of Spearman's rho that hold the value of a very large sample."""
    print(f"\nCoverage of 95 % intervals, {data_sets} data sets, {replicates} replicates each")
    for n, per_item, crossed in ((50, 2, False), (200, 2, False), (50, 5, True), (200, 5, True)):
        truth = float(
            np.mean([estimate(simulated(3000, per_item, crossed=crossed, seed=s))
                     for s in range(10_000, 10_100)])
        )  # fmt: skip
        held: dict[str, list[bool]] = {}
        for seed in range(data_sets):
            items = simulated(n, per_item, crossed=crossed, seed=seed).paired()
            for raters in ("fixed", "within", "crossed") if crossed else ("fixed", "within"):
                drawn = replicate_values(items, raters, replicates, seed)
                low, high = np.nanquantile(drawn, [0.025, 0.975])
                shift = estimate(items) - np.nanmedian(drawn)
                held.setdefault(f"{raters}, plain", []).append(low <= truth <= high)
                held.setdefault(f"{raters}, recentred", []).append(
                    low + shift <= truth <= high + shift
                )
        who = "the same people rate all" if crossed else "every item has its own people"
        print(f"  {n} items, {per_item} ratings each, {who} (rho {truth:.3f})")
        for kind, found in held.items():
            print(f"    ratings {kind:<20} {np.mean(found):.3f}")


def estimate(items: RatedItems) -> float:
    (result,) = correlate_scores(scores=items.score, mean_ratings=items.mean)
    if result.value is None:
        raise SystemExit("A simulated correlation is undefined; take more items.")
    return result.value


def replicate_values(items: RatedItems, raters: str, replicates: int, seed: int) -> np.ndarray:
    values = at_level("pooled", items.score, items.mean, None)
    blocks = Redraw(items.scored_by(items.score), raters).blocks(
        np.random.default_rng(seed), replicates
    )
    return np.concatenate([values.values("spearman", w, means)[:, 0] for w, means in blocks])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the smaller sizes only")
    parser.add_argument("--json", action="store_true", help="print the ratios as one JSON object")
    parser.add_argument("--coverage", action="store_true", help="simulate intervals instead")
    asked = parser.parse_args()
    if asked.coverage:
        coverage()
        return
    if not asked.json:
        print(f"{REPLICATES} item replicates of one correlation")
    sizes = [(100, 200), (800, 100)] if asked.quick else [(100, 200), (800, 100), (10_000, 20)]
    ratios = {
        f"{method}_{n}": against_scipy(n, method, replicates, quiet=asked.json)
        for n, replicates in sizes
        for method in SCIPY
    }
    if asked.json:
        print(json.dumps({name: round(ratio, 1) for name, ratio in ratios.items()}))
    elif not asked.quick:
        own_figures()


if __name__ == "__main__":
    main()
