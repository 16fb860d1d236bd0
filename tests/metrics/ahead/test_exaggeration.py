"""EXAG and FAITH, worked out by hand."""

from __future__ import annotations

import pytest

from scoring.metrics.ahead.exaggeration import EXAG, exaggeration
from scoring.metrics.ahead.faithfulness import FAITH, SUBSETS, composite, subset_name
from scoring.metrics.image_text_score import BadScaleError, ImageTextValue
from tests.metrics.ahead.plane import by_output, cell_rows, everywhere, item, item_rows


def row(*values):
    return [
        ImageTextValue(None, value) if isinstance(value, str) else ImageTextValue(value)
        for value in values
    ]


def exag(pictures, real, candidates=("cap", "car")):
    keys = [str(n) for n in range(len(pictures))]
    return exaggeration(candidates=candidates, keys=keys, pictures=pictures, real=real)


class Table:
    """Image-text scores from a table by (hash of the file, text)."""

    name, model_id, revision, scale = "table", "table", "1", (0.0, 1.0)

    def __init__(self, values):
        self.values = values
        self.asked = []

    def score_pairs(self, pairs, *, on_progress=None):
        self.asked += [(image.sha256, text) for image, text in pairs]
        return [ImageTextValue(self.values[image.sha256, text]) for image, text in pairs]


def test_a_picture_has_the_largest_excess_over_the_mean_of_real_images():
    # cap: .9 - mean(.2, .4) = .6; car: .5 - mean(.1, .1) = .4.
    found = exag([row(0.9, 0.5)], [row(0.2, 0.1), row(0.4, 0.1)])
    assert found.value == pytest.approx(0.6)
    [picture] = found.evidence["pictures"]
    assert picture["candidate"] == "cap"
    assert picture["mean_real"] == pytest.approx(0.3)
    assert [one["token"] for one in found.evidence["exaggerated"]] == ["cap", "car"]


def test_of_several_pictures_it_is_the_mean_of_their_largest_and_not_the_largest_mean():
    found = exag([row(0.8, 0.1), row(0.1, 0.6)], [row(0.2, 0.2)])
    assert found.value == pytest.approx((0.6 + 0.4) / 2)
    assert [one["candidate"] for one in found.evidence["pictures"]] == ["cap", "car"]
    # The mean of each candidate alone is .3 and .2.
    assert [one["excess"] for one in found.evidence["exaggerated"]] == pytest.approx([0.3, 0.2])


def test_a_picture_below_the_real_ones_is_not_exaggerated_and_not_negative():
    found = exag([row(0.1, 0.3)], [row(0.5, 0.5)])
    assert found.value == 0.0
    assert found.evidence["pictures"][0]["candidate"] == "car"  # the nearest to an excess
    assert found.evidence["exaggerated"] == []


def test_of_a_tie_the_first_candidate_is_stored():
    assert exag([row(0.5, 0.5)], [row(0.0, 0.0)]).evidence["pictures"][0]["candidate"] == "cap"


@pytest.mark.parametrize(
    ("pictures", "real", "candidates", "reason"),
    [
        ([row()], [row()], (), "no_reference"),
        ([row(0.1, 0.1)], [], ("cap", "car"), "no_real_images"),
        ([row("refused", "refused")], [row(0.1, 0.1)], ("cap", "car"), "refused"),
        ([row(0.1, 0.1)], [row("no_logprobs", "no_logprobs")], ("cap", "car"), "no_logprobs"),
        ([row("missing_media", "missing_media")], [row(0.1, 0.1)], ("cap", "car"), "missing_media"),
    ],
)
def test_it_is_undefined_and_says_why(pictures, real, candidates, reason):
    found = exag(pictures, real, candidates)
    assert (found.value, found.reason) == (None, reason)


def test_single_missing_values_are_left_out_and_counted():
    found = exag([row("refused", 0.5), row(0.4, "refused")], [row(0.1, "refused"), row(0.3, 0.1)])
    # baselines .2 and .1; first picture: car .4; second: cap .2.
    assert found.value == pytest.approx(0.3)
    assert found.evidence["n_left_out"] == 2
    assert found.evidence["n_scored"] == 2


def test_pictures_and_real_images_that_lack_values_are_named_with_the_reason():
    found = exag(
        [row(0.9, 0.5), row("refused", 0.2)], [row(0.2, 0.1), row("missing_media", "missing_media")]
    )
    assert found.value == pytest.approx((0.7 + 0.1) / 2)
    assert found.evidence["left_out"] == {"1": "refused", "real image 2": "missing_media"}


def test_a_value_outside_0_to_1_against_the_declared_scale_is_an_error():
    with pytest.raises(ValueError, match="outside 0 to 1"):
        exag([row(1.2, 0.1)], [row(0.1, 0.1)])


REAL = [{"file": "/r.png", "sha256": "r"}]
SEEN = everywhere({"attire": ["cap", "street"]})


def test_the_metric_asks_every_picture_and_real_image_for_every_candidate_once():
    table = Table({("a", "car"): 0.7, ("b", "car"): 0.2, ("r", "car"): 0.4})
    items = [
        item(key, {"attire": ["cap", "suit"]}, SEEN, candidates=["car"], real=REAL) for key in "ab"
    ]
    rows = item_rows(items, scorer=table)
    assert sorted(table.asked) == [("a", "car"), ("b", "car"), ("r", "car")]
    assert by_output(rows)[EXAG, ""].value == pytest.approx(0.3)
    assert by_output(rows, "b")[EXAG, ""].value == 0.0
    # ALIGN 1/2 (cap), HAL 1/2 (street); FAITH = mean(.5, .5, .7).
    assert by_output(rows)[FAITH, ""].value == pytest.approx((0.5 + 0.5 + 0.7) / 3)


def test_a_cell_has_the_mean_over_its_pictures():
    table = Table({("a", "car"): 0.7, ("b", "car"): 0.2, ("r", "car"): 0.4})
    items = [item(key, {"attire": ["cap"]}, SEEN, candidates=["car"], real=REAL) for key in "ab"]
    rows = cell_rows(items, scorer=table)
    assert rows[EXAG, ""].value == pytest.approx(0.15)
    assert [one["item"] for one in rows[EXAG, ""].evidence["pictures"]] == ["a", "b"]


def test_faith_is_undefined_unless_all_three_are_defined():
    items = [item("a", {"attire": ["cap"]}, SEEN, candidates=["car"])]
    rows = by_output(item_rows(items, scorer=Table({})))
    assert (rows[FAITH, ""].value, rows[FAITH, ""].reason) == (None, "no_real_images")
    without = by_output(item_rows(items))
    assert (without[FAITH, ""].value, without[FAITH, ""].reason) == (None, "not_asked")


def test_a_clip_has_no_exaggeration():
    clip = item("a", {"attire": ["cap"]}, SEEN, candidates=["car"], real=REAL)
    clip.fields["kind"] = "video"
    rows = by_output(item_rows([clip], scorer=Table({})))
    assert rows[EXAG, ""].reason == "not_applicable"


def test_a_score_on_another_scale_is_refused():
    table = Table({})
    table.scale = (-1.0, 1.0)
    with pytest.raises(BadScaleError, match="from 0 to 1"):
        item_rows([], scorer=table)


def test_every_choice_of_parts_is_the_mean_of_them_turned_so_that_higher_is_better():
    parts = {"align": 0.6, "hal": 0.3, "exag": 0.1}
    values = {subset_name(names): composite(parts, names) for names in SUBSETS}
    assert values["ALIGN"] == 0.6
    assert values["1 − HAL"] == pytest.approx(0.7)
    assert values["ALIGN, 1 − HAL"] == pytest.approx(0.65)
    assert values["ALIGN, 1 − HAL, 1 − EXAG"] == pytest.approx((0.6 + 0.7 + 0.9) / 3)
    assert composite({**parts, "hal": None}, ("align", "hal")) is None
    assert composite({**parts, "hal": None}, ("align", "exag")) == pytest.approx(0.75)
