"""Agreement between raters, and scores held against ratings: pure, no Django.

- Coding: `scale`, `sets`, `counts`.
- Agreement: `coefficients` says what there is; those of the count family are functions of the sums
  of `totals` (many values: `many_values`) with the differences of `weights`; those that must know
  who rated what are behind `by_rater` (`rater_margins`, `anova`, `concordance`). `agreement`
  estimates them all; `standard_errors` and `anova_intervals` need no bootstrap; `consistency` is
  people's agreement with themselves; `self_check` repeats alpha with an independent package.
- Bootstrap of agreement: `bootstrap`, from `resampling`, `draws`, `item_sums`, `pair_sums`,
  `left_out`, `intervals`, `progress`.
- Scores against people: `correlation` and `levels`, from `rated_items`, `association`, `kendall`,
  `permutation`, `level_values`; `ceiling` and `slots` for what people reach among themselves;
  `comparison`, `dependent_correlations` and `multiplicity` for several metrics; `binary`,
  `applicability`, `normalisation`.
- Rankings: `rankings`, `strengths`. Means of answers by people to items: `clustered`.

All return what `result` declares, or dataclasses of their own: a value, or None and a reason code.
"""
