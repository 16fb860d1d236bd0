"""Similarity of countries' texts: chunks, matrices, pairs, regions and swings by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from scoring.metrics.text_similarity import (
    WORDS_A_CHUNK,
    CountryText,
    chunks,
    similarities,
    swings,
)

PLANE = {"east": (1.0, 0.0), "north": (0.0, 1.0), "both": (1.0, 1.0), "west": (-1.0, 0.0)}


class Compass:
    """Embeds a chunk by its first word."""

    def embed(self, texts):
        return np.array([PLANE[text.split()[0]] for text in texts])


def test_long_texts_are_cut_at_sentences_and_nothing_is_lost():
    text = " ".join(f"Sentence {n} has exactly six words." for n in range(50))
    found = chunks(text)
    assert all(len(chunk.split()) <= WORDS_A_CHUNK for chunk in found)
    assert " ".join(found) == text
    assert all(chunk.endswith(".") for chunk in found)


def test_a_sentence_longer_than_a_chunk_is_cut():
    found = chunks(" ".join(["word"] * 300))
    assert [len(chunk.split()) for chunk in found] == [120, 120, 60]
    assert chunks("  ") == []


TEXTS = [
    CountryText("A", "food", "east"),
    CountryText("B", "food", "north"),
    CountryText("C", "food", "both"),
    CountryText("A", "faith", "east"),
    CountryText("B", "faith", "east"),
]


def test_matrices_are_overall_and_by_category():
    overall, faith, food = similarities(TEXTS, Compass())
    assert [overall.category, faith.category, food.category] == ["", "faith", "food"]
    half = 1 / np.sqrt(2)
    assert food.matrix == pytest.approx(np.array([[1, 0, half], [0, 1, half], [half, half, 1]]))
    assert faith.countries == ("A", "B") and faith.mean == pytest.approx(1)
    # overall B is the mean of north and east
    assert overall.matrix[0, 1] == pytest.approx(half)


def test_pairs_means_and_the_closest_and_farthest():
    food = similarities(TEXTS, Compass())[2]
    half = 1 / np.sqrt(2)
    assert [(p.first, p.second) for p in food.pairs] == [("A", "C"), ("B", "C"), ("A", "B")]
    assert food.mean == pytest.approx(2 * half / 3)
    assert food.mean_of("A") == pytest.approx(half / 2)
    assert food.mean_of("C") == pytest.approx(half)


def test_within_regions_against_between_them():
    food = similarities(TEXTS, Compass())[2]
    within, between = food.within_and_between({"A": "x", "B": "x", "C": "y"})
    assert within == pytest.approx(0)
    assert between == pytest.approx(1 / np.sqrt(2))
    assert food.within_and_between({"A": "x"}) == (None, None)


def test_a_swing_is_between_the_categories_that_a_pair_has():
    [swing] = swings(similarities(TEXTS, Compass()))
    assert (swing.first, swing.second) == ("A", "B")
    assert (swing.low_category, swing.high_category) == ("food", "faith")
    assert swing.size == pytest.approx(1)


def test_one_country_has_no_mean_and_an_empty_text_is_named():
    [alone] = similarities([CountryText("A", "", "east")], Compass())
    assert alone.mean is None and alone.mean_of("A") is None
    with pytest.raises(ValueError, match="text of B, food is empty"):
        similarities([CountryText("A", "food", "east"), CountryText("B", "food", " ")], Compass())


def test_the_command_compares_with_the_real_embedder(tmp_path, capsys):
    path = tmp_path / "texts.csv"
    path.write_text(
        "country,category,text\n"
        "Nepal,tea,Families drink sweet tea with milk and spices in small glasses.\n"
        "India,tea,People drink sweet milk tea with spices from small clay cups.\n"
        "Chile,tea,The asado is grilled for hours over wood in the yard.\n"
    )
    call_command("compare_texts", str(path), json=True)
    overall = json.loads(capsys.readouterr().out)[0]
    assert overall["countries"] == ["Chile", "India", "Nepal"]
    matrix = overall["matrix"]
    assert matrix[1][2] > 0.6 > matrix[0][1]
    call_command("compare_texts", str(path))
    assert "closest India and Nepal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("country,text\nA,b\n", "no column category"),
        ("country,category,text\n", "no rows"),
        ("country,category,text\n,x,y\n", "row 2: no country"),
    ],
)
def test_what_the_command_cannot_read_is_named(tmp_path, content, said):
    path = tmp_path / "texts.csv"
    path.write_text(content)
    with pytest.raises(CommandError, match=said):
        call_command("compare_texts", str(path))
