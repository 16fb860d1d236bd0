"""Intraclass correlations: ICC(1), ICC(2) = ICC(A), ICC(3) = ICC(C), of one rating and of the mean.

Two-way forms rest on the units every rater rated. Over those n units and k raters let vbar be the
mean of the raters' variances, cbar the mean covariance of two distinct raters and s half the mean
squared difference of two distinct raters' means. Shrout and Fleiss 1979 in these terms (the mean
squares are MSR = vbar + (k - 1) cbar, MSE = vbar - cbar, MSC = n s):

    ICC3  = cbar / vbar                                   ICC(C,1), raters' levels do not matter
    ICC2  = cbar / (vbar + s - (vbar - cbar) / n)         ICC(A,1), they do
    ICC3k = k cbar / (vbar + (k - 1) cbar)                of the mean of k ratings
    ICC2k = k cbar / (vbar + (k - 1) cbar + s - (vbar - cbar) / n)

Where items differ less than chance would have it the denominators of the forms of a mean, sums of
estimated variances, can be 0 or less; the coefficient is undefined then (`no_item_variance`).

ICC1 is the one-way form, for units rated by different people; it takes every unit with two ratings
or more, whoever gave them. With unequal numbers of ratings k is (N - sum k_i^2 / N) / (n - 1).

Means over *distinct* raters keep a bootstrap honest: a rater drawn twice does not agree with
himself. `value(unit_weights, rater_weights)` takes multiplicities; with all 1 it is the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from scoring.stats.counts import CodedRatings, Codes, Floats
from scoring.stats.weights import category_numbers

IccForm = Literal["ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k"]
ICC_FORMS: tuple[IccForm, ...] = get_args(IccForm)

ALIASES: dict[str, IccForm] = {
    "ICC(1)": "ICC1",
    "ICC(1,1)": "ICC1",
    "ICC(1,K)": "ICC1k",
    "ICC(2,1)": "ICC2",
    "ICC(2,K)": "ICC2k",
    "ICC(3,1)": "ICC3",
    "ICC(3,K)": "ICC3k",
    "ICC(A,1)": "ICC2",
    "ICC(A,K)": "ICC2k",
    "ICC(C,1)": "ICC3",
    "ICC(C,K)": "ICC3k",
    **{form.upper(): form for form in ICC_FORMS},
}
"""Other names of the forms (McGraw and Wong 1996 write A for agreement, C for consistency)."""


SMALLEST = 1e-12
"""A sum of variances below this share of their sizes is what rounding left of 0."""


class UnknownIccFormError(ValueError):
    """A form of the intraclass correlation that does not exist."""


def icc_form(name: str) -> IccForm:
    """The form a name means: "ICC2", "icc(a,1)", "ICC(2, 1)". Raises UnknownIccFormError."""
    try:
        return ALIASES[name.replace(" ", "").upper()]
    except KeyError:
        raise UnknownIccFormError(
            f"The form {name!r} is unknown; choose from {', '.join(ICC_FORMS)} or the like of "
            "ICC(A,1) and ICC(C,k)."
        ) from None


def icc_statistic(ratings: CodedRatings, form: IccForm) -> OneWay | TwoWay:
    """The ratings made ready for one form. Raises WithoutOrderError."""
    if form in ("ICC1", "ICC1k"):
        return OneWay.of(ratings, of_mean=form == "ICC1k")
    return TwoWay.of(ratings, form)


def complete_matrix(ratings: CodedRatings) -> tuple[Codes, Codes]:
    """(unit codes, categories (n, k)) of the units that every rater rated."""
    sizes = np.bincount(ratings.unit, minlength=ratings.n_units)
    units = np.flatnonzero(sizes == ratings.n_raters) if ratings.n_raters else np.empty(0, np.intp)
    row = np.full(ratings.n_units, -1, dtype=np.intp)
    row[units] = np.arange(units.size)
    kept = row[ratings.unit] >= 0
    matrix = np.empty((units.size, ratings.n_raters), dtype=np.intp)
    matrix[row[ratings.unit[kept]], ratings.rater[kept]] = ratings.category[kept]
    return units, matrix


def why_not_complete(ratings: CodedRatings, n_complete: int) -> str | None:
    """The reason code where the units that every rater rated are too few, else None."""
    sizes = np.bincount(ratings.unit, minlength=ratings.n_units)
    if int(sizes.max(initial=0)) < 2:
        return "no_pairs"
    if n_complete == 0:
        return "no_complete_items"
    return "one_item" if n_complete == 1 else None


@dataclass(frozen=True, eq=False)
class TwoWay:
    """ICC2, ICC3 and their means of k over complete units; `matrix` (n, k) holds numbers."""

    form: IccForm
    units: Codes
    matrix: Floats
    n_units_used: int
    obstacle: str | None

    @classmethod
    def of(cls, ratings: CodedRatings, form: IccForm) -> TwoWay:
        """Takes the units that every rater rated."""
        units, categories = complete_matrix(ratings)
        numbers = category_numbers(ratings.scale)[categories]
        return cls(form, units, numbers, units.size, why_not_complete(ratings, units.size))

    def value(self, unit_weights: Floats, rater_weights: Floats) -> float:
        """The coefficient of weighted units and raters; nan where it is undefined."""
        found = self._components(unit_weights[self.units], rater_weights)
        if found is None:
            return float("nan")
        variance, covariance, levels, n = found
        k = self.matrix.shape[1]
        of_mean = self.form.endswith("k")
        numerator = k * covariance if of_mean else covariance
        parts = [variance, (k - 1) * covariance] if of_mean else [variance]
        if self.form.startswith("ICC2"):
            parts += [levels, (covariance - variance) / n]
        return _share(numerator, parts)

    @property
    def varies(self) -> bool:
        """Whether the ratings in use differ at all."""
        return _varies(self.matrix)

    def mean_squares(
        self, unit_weights: Floats, rater_weights: Floats
    ) -> tuple[float, float, float, float, int] | None:
        """(of units, of raters, of the rest, n units, k raters); None without variation."""
        found = self._components(unit_weights[self.units], rater_weights)
        if found is None:
            return None
        variance, covariance, levels, n = found
        k = self.matrix.shape[1]
        return variance + (k - 1) * covariance, n * levels, variance - covariance, n, k

    def _components(self, w: Floats, v: Floats) -> tuple[float, float, float, float] | None:
        """(vbar, cbar, s, n); None without two units, two raters or any variation."""
        drawn, raters = w > 0, v > 0
        n, total = float(w.sum()), float(v.sum())
        pairs = total * total - float(v @ v)
        if n < 2 or pairs <= 0 or not _varies(self.matrix[np.ix_(drawn, raters)]):
            return None
        # Deviations from a value that occurs are exactly zero where nothing varies.
        x = self.matrix - self.matrix[drawn][0, raters][0]
        means = (w @ x) / n
        centred = x - means
        covariances = (centred * w[:, None]).T @ centred / (n - 1.0)
        own = np.diag(covariances)
        variance = float(v @ own) / total
        covariance = (float(v @ covariances @ v) - float((v * v) @ own)) / pairs
        centre = float(v @ means) / total
        # Half the mean squared difference over distinct raters; a rater differs not from himself.
        levels = total * float(v @ (means - centre) ** 2) / pairs
        return variance, covariance, levels, n


@dataclass(frozen=True, eq=False)
class OneWay:
    """ICC1 and ICC1k over all units with two ratings or more."""

    of_mean: bool
    ratings: CodedRatings
    numbers: Floats
    n_units_used: int
    obstacle: str | None

    @classmethod
    def of(cls, ratings: CodedRatings, *, of_mean: bool) -> OneWay:
        """Takes every unit with two ratings or more."""
        sizes = np.bincount(ratings.unit, minlength=ratings.n_units)
        n = int((sizes > 1).sum())
        obstacle = "no_pairs" if n == 0 else "one_item" if n == 1 else None
        numbers = category_numbers(ratings.scale)[ratings.category]
        return cls(of_mean, ratings, numbers, n, obstacle)

    def value(self, unit_weights: Floats, rater_weights: Floats) -> float:
        """The coefficient of weighted units and raters; nan where it is undefined."""
        squares = self.mean_squares(unit_weights, rater_weights)
        if squares is None:
            return float("nan")
        between, within, k, _ = squares
        if self.of_mean and between <= SMALLEST * within:
            return float("nan")
        parts = [between] if self.of_mean else [between, (k - 1.0) * within]
        return _share(between - within, parts)

    @property
    def varies(self) -> bool:
        """Whether the ratings in use differ at all."""
        sizes = np.bincount(self.ratings.unit, minlength=self.ratings.n_units)
        return _varies(self.numbers[sizes[self.ratings.unit] > 1])

    def mean_squares(self, w: Floats, v: Floats) -> tuple[float, float, float, float] | None:
        """(between units, within units, ratings a unit, number of units); None without variation.

        Within a unit, squared differences run over distinct raters.
        """
        unit, each = self.ratings.unit, v[self.ratings.rater]
        size = np.bincount(unit, weights=each, minlength=w.size)
        own = np.bincount(unit, weights=each * each, minlength=w.size)
        pairs = size * size - own
        paired = (pairs > 0) & (w > 0)
        n = float(w[paired].sum())
        in_use = paired[unit] & (each > 0)
        if n < 2 or not _varies(self.numbers[in_use]):
            return None
        x = self.numbers - self.numbers[in_use][0]
        safe = np.where(paired, size, 1.0)
        mean = np.bincount(unit, weights=each * x, minlength=w.size) / safe
        away = x - mean[unit]
        inside = np.bincount(unit, weights=each * away * away, minlength=w.size)
        # sum over distinct raters of v_r v_s (x_r - x_s)^2 / 2 = size * inside.
        variance = np.divide(size * inside, pairs, out=np.zeros_like(size), where=paired)
        weight = np.where(paired, w, 0.0)
        total = float(weight @ size)
        within = float(weight @ (variance * (size - 1.0))) / (total - n)
        centre = float(weight @ (size * mean)) / total
        between = float(weight @ (size * (mean - centre) ** 2)) / (n - 1.0)
        # A rater drawn twice makes a unit's mean noisier than as many ratings by others would.
        excess = np.divide(own, size, out=np.ones_like(size), where=paired) - 1.0
        between -= float(weight @ (variance * excess)) / n
        k = (total - float(weight @ (size * size)) / total) / (n - 1.0)
        return between, within, k, n


def _share(part: float, whole: list[float]) -> float:
    """The part of a sum of variances; nan unless the sum is above 0, as a variance has to be."""
    total = sum(whole)
    return part / total if total > SMALLEST * sum(map(abs, whole)) else float("nan")


def _varies(numbers: Floats) -> bool:
    return bool(numbers.size) and float(numbers.min()) < float(numbers.max())
