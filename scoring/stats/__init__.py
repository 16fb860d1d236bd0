"""Agreement between raters and correlation of scores with ratings: pure, no Django.

`counts` codes ratings, `agreement` estimates, `bootstrap` adds intervals, `correlation` holds a
metric against mean ratings, `self_check` repeats alpha with an independent package and `result`
is what they all return.
"""
