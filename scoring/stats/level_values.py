"""The same correlation at four levels; one data set can give four very different numbers.

- **pooled**: over all items.
- **within**: in each group (country, system, prompt), then averaged: the arithmetic mean, and the
  Fisher mean tanh(mean(atanh r)) beside it.
- **centred**: over all items after each group's mean has been taken off both sides.
- **system**: over the groups' means (a group is a system there), each item counting once.

Each level takes weights, shape (b, n_items), and mean ratings, shape (n_items,) or (b, n_items),
and gives values of shape (b, columns); weights 1 and the items' own means give the estimate.
"""

from __future__ import annotations

from typing import Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.association import (
    Method,
    Pairs,
    rounded_again,
    row_values,
    varies,
)
from scoring.stats.correlation import FEWEST_UNITS, why_undefined
from scoring.stats.counts import Codes

Floats = npt.NDArray[np.float64]

Level = Literal["pooled", "within", "centred", "system"]
LEVELS: tuple[Level, ...] = get_args(Level)


class LevelValues(Protocol):
    """A level of one metric's scores and the ratings of the same items."""

    reason: str | None
    """Why there is no value at this level; None where there is one."""

    n_points: int
    """How many items (or systems) the value rests on."""

    def values(self, method: Method, weights: Floats, means: Floats) -> Floats:
        """Shape (b, columns); nan undefined. Column 1 of "within" is the Fisher mean."""


def at_level(
    level: Level,
    x: Floats,
    y: Floats,
    group: Codes | None,
    *,
    whole_groups: bool = False,
    fewest_units: int = FEWEST_UNITS,
) -> LevelValues:
    """The level of scores x and mean ratings y, shape (n_items,), in groups (n_items,).

    `whole_groups`: groups are drawn as a whole, so a group counts as often as its items do.
    `fewest_units`: below it, the pooled level has no value.

    Raises ValueError where a level needs groups and none came.
    """
    if level not in LEVELS:
        raise ValueError(f"Level {level!r} is unknown; choose from {', '.join(LEVELS)}.")
    if level == "pooled":
        return Pooled(x, y, fewest_units=fewest_units)
    if group is None:
        raise ValueError(f"The level {level!r} needs the group of each item.")
    if level == "within":
        return Within(x, y, group, whole_groups=whole_groups)
    return Centred(x, y, group) if level == "centred" else Systems(x, y, group)


class Pooled:
    """Over all items."""

    def __init__(self, x: Floats, y: Floats, *, fewest_units: int = FEWEST_UNITS) -> None:
        self.pairs = Pairs(x, y)
        self.n_points = int(x.size)
        self.reason = why_undefined(x, y, fewest_units)

    def values(self, method: Method, weights: Floats, means: Floats) -> Floats:
        """Shape (b, 1)."""
        if means.ndim == 1:
            return self.pairs.values(method, weights)[:, None]
        return self.pairs.row_values(method, weights, means)[:, None]


class Within:
    """In each group, then averaged over the groups that have a value."""

    def __init__(self, x: Floats, y: Floats, group: Codes, *, whole_groups: bool) -> None:
        self.members = [np.flatnonzero(group == code) for code in np.unique(group)]
        self.codes = [int(code) for code in np.unique(group)]
        self.reasons = [why_undefined(x[of], y[of]) for of in self.members]
        self._defined = [
            (of, Pooled(x[of], y[of]))
            for of, reason in zip(self.members, self.reasons, strict=True)
            if reason is None
        ]
        self._whole = whole_groups
        self.n_points = sum(int(of.size) for of, _ in self._defined)
        self.reason = None if self._defined else _no_group(x, y)

    def values(self, method: Method, weights: Floats, means: Floats) -> Floats:
        """Shape (b, 2): arithmetic and Fisher mean."""
        if self._whole and means.ndim == 1:
            # A group drawn twice has twice its weights and the same coefficient.
            one = np.ones((1, weights.shape[1]))
            found = np.repeat(self.group_values(method, one, means), weights.shape[0], axis=0)
        else:
            found = self.group_values(method, weights, means)
        if not self._whole:
            return np.column_stack([found.mean(axis=1), fisher_mean(found)])
        # The weight of a group drawn as a whole is that of its heaviest item: an item can be
        # without raters in a replicate.
        times = np.column_stack([weights[:, of].max(axis=1) for of, _ in self._defined])
        times = np.where(np.isnan(found), 0.0, times)
        filled = np.where(np.isnan(found), 0.0, found)
        total = times.sum(axis=1)
        mean = np.divide(
            (times * filled).sum(axis=1), total, out=np.full(total.shape, np.nan), where=total > 0
        )
        return np.column_stack([mean, fisher_mean(filled, times)])

    def group_values(self, method: Method, weights: Floats, means: Floats) -> Floats:
        """Each defined group's coefficient, shape (b, n_defined)."""
        columns = [
            level.values(method, weights[:, of], means[of] if means.ndim == 1 else means[:, of])
            for of, level in self._defined
        ]
        return np.hstack(columns)


class Centred:
    """Over all items, each side less its group's mean. Groups of one item tell nothing."""

    def __init__(self, x: Floats, y: Floats, group: Codes) -> None:
        sizes = np.bincount(group)
        self._kept = sizes[group] > 1
        self._x, self._y = x[self._kept], y[self._kept]
        self.n_points = int(self._x.size)
        codes = np.unique(group[self._kept], return_inverse=True)[1]
        self._group = codes
        self._one_hot = np.eye(int(codes.max(initial=-1)) + 1)[codes]
        self._sizes = _size(self._x), _size(self._y)
        weights = np.ones((1, self._x.size))
        x_left, y_left = self._sides(weights, self._y)
        x_ties, y_ties = (
            rounded_again(side, size)[0]
            for side, size in zip((x_left, y_left), self._sizes, strict=True)
        )
        self.reason = why_undefined(x_ties, y_ties, FEWEST_UNITS)
        self._values_of_estimate = Pairs(x_left[0], y_left[0])
        self._ranks_of_estimate = Pairs(x_ties, y_ties)

    def values(self, method: Method, weights: Floats, means: Floats) -> Floats:
        """Shape (b, 1). Groups are centred anew in each replicate."""
        weights = weights[:, self._kept]
        means = means[..., self._kept]
        if (weights == 1).all() and means.ndim == 1:
            of_values = method == "pearson"
            pairs = self._values_of_estimate if of_values else self._ranks_of_estimate
            return pairs.values(method, weights)[:, None]
        x, y = self._sides(weights, means)
        return _of_rows(method, x, y, weights, self._sizes)

    def _sides(self, weights: Floats, means: Floats) -> tuple[Floats, Floats]:
        x = self._less_group_mean(np.broadcast_to(self._x, weights.shape), weights)
        y = self._less_group_mean(np.broadcast_to(means, weights.shape), weights)
        return x, y

    def _less_group_mean(self, values: Floats, weights: Floats) -> Floats:
        total = weights @ self._one_hot
        sums = (weights * values) @ self._one_hot
        mean = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
        return np.asarray(values - mean[:, self._group])


class Systems:
    """Over the groups' means. `pairs` are the systems' means, rounded so that equal ones tie."""

    def __init__(self, x: Floats, y: Floats, group: Codes) -> None:
        codes = np.unique(group, return_inverse=True)[1]
        self._one_hot = np.eye(int(codes.max(initial=-1)) + 1)[codes]
        self._x = x
        self._sizes = _size(x), _size(y)
        x_mean, y_mean, _ = self._sides(np.ones((1, x.size)), y)
        self.pairs = Pairs(
            rounded_again(x_mean[0], self._sizes[0]), rounded_again(y_mean[0], self._sizes[1])
        )
        self.n_points = int(self.pairs.x.size)
        reason = why_undefined(self.pairs.x, self.pairs.y, FEWEST_UNITS)
        names = {"one_item": "one_system", "too_few_items": "too_few_systems"}
        self.reason = names.get(reason, reason) if reason else None

    def values(self, method: Method, weights: Floats, means: Floats) -> Floats:
        """Shape (b, 1). Systems are never weighted; one without a drawn item is left out."""
        x, y, drawn = self._sides(weights, means)
        return _of_rows(method, x, y, drawn, self._sizes)

    def _sides(self, weights: Floats, means: Floats) -> tuple[Floats, Floats, Floats]:
        total = weights @ self._one_hot
        drawn = total > 0
        x, y = (
            np.divide(sums, total, out=np.zeros_like(total), where=drawn)
            for sums in ((weights * self._x) @ self._one_hot, (weights * means) @ self._one_hot)
        )
        return x, y, drawn.astype(np.float64)


def fisher_mean(values: Floats, times: Floats | None = None) -> Floats:
    """tanh(mean(atanh r)) of each row, shape (b,), each r counted `times`, shape (b, k).

    nan where any r is nan or, its transform being infinite, exactly -1 or 1.
    """
    counted = np.ones_like(values) if times is None else times
    usable = np.abs(values) < 1.0
    whole = (usable | (counted == 0)).all(axis=1) & (counted.sum(axis=1) > 0)
    inside = np.where(usable, values, 0.0)
    total = np.where(whole, counted.sum(axis=1), 1.0)
    mean = (np.arctanh(inside) * counted).sum(axis=1) / total
    return np.where(whole, np.tanh(mean), np.nan)


def _of_rows(
    method: Method, x: Floats, y: Floats, weights: Floats, sizes: tuple[float, float]
) -> Floats:
    """The coefficient of differences or means, shape (b, 1); ties are those of rounded values.

    Pearson's r takes the values as they are, unless only rounding makes a side vary.
    """
    x_ties, y_ties = rounded_again(x, sizes[0]), rounded_again(y, sizes[1])
    if method != "pearson":
        return row_values(method, x_ties, y_ties, weights)[:, None]
    defined = varies(x_ties, weights) & varies(y_ties, weights)
    return np.where(defined, row_values(method, x, y, weights), np.nan)[:, None]


def _size(values: Floats) -> float:
    return float(np.abs(values).max(initial=0.0))


def _no_group(x: Floats, y: Floats) -> str:
    return why_undefined(x, y, FEWEST_UNITS) or "no_defined_group"
