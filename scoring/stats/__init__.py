"""Agreement between raters and correlation of scores with ratings: pure, no Django.

`scale` and `counts` code ratings, `agreement` estimates and `bootstrap` adds intervals (both by
the formulas of `coefficients`, on sliders by `many_values`), `correlation` holds a metric against
mean ratings, `self_check` repeats alpha with an independent package, and `result` is what they
all return.
"""
