"""Requests for means, answered together: every interval of a part comes from the same draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from scoring.analysis.prompts import prompt_clusters
from scoring.analysis.series import Unit, UnitKey
from scoring.stats.means import Column, MeanResult, clustered_means


class Draws:
    """What is drawn anew of some units: prompts (or units), within countries."""

    def __init__(self, units: Mapping[UnitKey, Unit]) -> None:
        names = [unit.cluster for unit in units.values()]
        code = {name: number for number, name in enumerate(dict.fromkeys(names))}
        prompts = np.array([code[name] for name in names], dtype=np.intp)
        clusters = prompt_clusters(prompts)
        self.by_prompt = clusters is not None
        things = prompts if clusters is not None else np.arange(len(names))
        self.n = int(things.max(initial=-1)) + 1
        self._thing = dict(zip(units, things.tolist(), strict=True))
        countries = [unit.country for unit in units.values()]
        of_country = {country: n for n, country in enumerate(dict.fromkeys(countries))}
        self.strata = np.zeros(self.n, dtype=np.intp)
        self.strata[things] = [of_country[country] for country in countries]
        what = "clusters of items" if self.by_prompt else "items"
        self.resampled = f"{what} within countries" if len(of_country) > 1 else what

    def things(self, keys: list[UnitKey]) -> npt.NDArray[np.intp]:
        """What has to be drawn for each of the units to come, shape (len(keys),)."""
        return np.array([self._thing[key] for key in keys], dtype=np.intp)


class Requests:
    """Means that are asked for one by one and answered at once.

    ``ask`` returns a place; after ``answer`` the result lies at that place of ``results``.
    """

    def __init__(self, draws: Draws, *, replicates: int, seed: int) -> None:
        self._draws, self._replicates, self._seed = draws, replicates, seed
        self._columns: dict[tuple[str, str], list[tuple[int, Column]]] = {}
        self.results: list[MeanResult | None] = []

    def ask(
        self,
        keys: list[UnitKey],
        values: list[float],
        *,
        aggregation: str = "mean over items",
        unit: str = "item",
    ) -> int:
        """Ask for the mean of the units' values."""
        column = Column(np.array(values, dtype=np.float64), self._draws.things(keys))
        place = len(self.results)
        self._columns.setdefault((aggregation, unit), []).append((place, column))
        self.results.append(None)
        return place

    def answer(self, on_step: Callable[[], None]) -> None:
        for (aggregation, unit), asked in self._columns.items():
            found = clustered_means(
                columns=[column for _, column in asked],
                n_clusters=self._draws.n,
                strata=self._draws.strata,
                replicates=self._replicates,
                seed=self._seed,
                resampled=self._draws.resampled,
                aggregation=aggregation,
                unit_of_analysis=unit,
            )
            for (place, _), result in zip(asked, found, strict=True):
                self.results[place] = result
            on_step()

    def __getitem__(self, place: int) -> MeanResult:
        result = self.results[place]
        if result is None:
            raise LookupError(f"The mean at place {place} was asked for and not answered yet.")
        return result
