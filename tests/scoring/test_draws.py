"""How often a bootstrap of correlations draws: fewer times where each draw is of many ratings."""

import numpy as np
import pytest

from scoring.analysis.against_levels import DRAWN_RATINGS, FEWEST_DRAWS, draws_for
from scoring.stats.rated_items import rate_items


def rated(n_ratings: int):
    item = np.arange(n_ratings) // 2
    return rate_items(score=np.zeros(n_ratings // 2), item=item, value=np.ones(n_ratings))


@pytest.mark.parametrize(
    ("ratings", "wanted", "drawn"),
    [
        (1_600, 2000, 2000),
        (10_000, 2000, 2000),
        (20_000, 2000, 1000),
        (400_000, 2000, FEWEST_DRAWS),
        (400_000, 100, 100),
        (400_000, 0, 0),
    ],
)
def test_all_that_are_wanted_up_to_ten_thousand_ratings_and_never_too_few(ratings, wanted, drawn):
    assert DRAWN_RATINGS // 10_000 == 2000
    assert draws_for(wanted, rated(ratings)) == drawn
