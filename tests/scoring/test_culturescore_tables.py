"""CultureScore's tables against the published counts, and its differences on matched sets."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from scoring.metrics.culturescore_tables import (
    Answers,
    Tally,
    difference,
    matched_scenarios,
    shares_of,
    table,
)

# 49 country x category cells of verified questions and answers "yes", reconstructed as integers
# from the percentages printed in the CultureScore paper; all printed values follow from them.
COUNTS = Path(__file__).parent.parent / "data" / "culturescore" / "published_counts.csv"
SYSTEMS = ("ltx2", "wan22")


@pytest.fixture(scope="module")
def published() -> list[Answers]:
    cells: dict[tuple[str, str, str, str], dict[str, Tally]] = {}
    with COUNTS.open() as file:
        for row in csv.DictReader(file):
            for system in SYSTEMS:
                for variant in ("base", "extended"):
                    cell = (system, variant, row["country"], row["category"])
                    tally = Tally(int(row["n_questions"]), int(row[f"yes_{system}_{variant}"]))
                    cells.setdefault(cell, {})[row["dimension"]] = tally
    return [
        Answers(system, variant, (country, category), country, category, tallies)
        for (system, variant, country, category), tallies in cells.items()
    ]


@pytest.mark.parametrize(
    ("system", "variant", "headline", "pooled"),
    [
        ("ltx2", "base", "31.23", "31.10"),
        ("ltx2", "extended", "51.35", "51.11"),
        ("wan22", "base", "38.42", "38.21"),
        ("wan22", "extended", "56.82", "56.55"),
    ],
)
def test_headline_and_pooled_share_are_two_published_numbers(
    published, system, variant, headline, pooled
):
    chosen = [a for a in published if (a.system, a.variant) == (system, variant)]
    shares = shares_of(chosen)
    assert sum(tally.answered for tally in shares.tallies.values()) == 8811
    assert f"{100 * shares.headline:.2f}" == headline
    assert f"{100 * shares.pooled:.2f}" == pooled


def test_all_588_printed_cells_come_out_at_the_printed_digit(published):
    shares = table(published, by=lambda a: (a.country, a.category, a.system, a.variant))
    n = 0
    with COUNTS.open() as file:
        for row in csv.DictReader(file):
            for system in SYSTEMS:
                for variant in ("base", "extended"):
                    cell = shares[row["country"], row["category"], system, variant]
                    share = 100 * cell.dimensions[row["dimension"]]
                    assert share == pytest.approx(float(row[f"pct_{system}_{variant}"]), abs=0.0501)
                    n += 1
    assert n == 588


def test_a_countrys_overall_is_pooled_and_not_the_mean_of_its_columns(published):
    chosen = [a for a in published if (a.system, a.variant) == ("ltx2", "extended")]
    brazil = table(chosen, by=lambda a: a.country)["Brazil"]
    assert f"{100 * brazil.pooled:.2f}" == "49.72"
    assert f"{100 * brazil.headline:.2f}" == "50.03"


def test_a_gain_is_taken_from_unrounded_shares(published):
    gain = difference(published, "headline", "extended", "base", system="ltx2")
    assert 100 * gain.value == pytest.approx(51.35 - 31.23, abs=0.011)
    assert gain.scenarios == 49
    assert gain.value == gain.after - gain.before


def video(variant: str, scenario: str, yes: int, *, system: str = "s", of: int = 4) -> Answers:
    tallies = {name: Tally(of, yes) for name in ("identity", "behavior", "context")}
    return Answers(system, variant, scenario, "BR", "family", tallies)


def test_a_drop_counts_only_unique_scenarios_that_are_present_in_every_variant():
    answers = [
        *(video("base", s, 2) for s in "abc"),
        *(video("extended", s, 4) for s in "abc"),
        video("country-removed", "a", 1),
        video("country-removed", "c", 0),
        video("country-removed", "b", 4, system="other"),
    ]
    three = ("base", "extended", "country-removed")
    assert matched_scenarios(answers, three, system="s") == {"a", "c"}
    assert matched_scenarios(answers, three, system="s", unique={"a", "b"}) == {"a"}
    drop = difference(
        answers,
        "context",
        "country-removed",
        "extended",
        system="s",
        unique={"a", "b"},
        variants=three,
    )
    assert (drop.after, drop.before, drop.value, drop.scenarios) == (0.25, 1.0, -0.75, 1)


def test_nothing_matched_is_undefined_and_not_zero():
    drop = difference([video("base", "a", 1)], "pooled", "country-removed", "base", system="s")
    assert drop.value is None and drop.scenarios == 0


def test_the_headline_needs_all_three_dimensions():
    shares = shares_of([Answers("s", "base", "a", "BR", "", {"identity": Tally(2, 1)})])
    assert shares.headline is None and shares.pooled == 0.5
    assert shares.value("behavior") is None


def test_more_yes_than_answers_is_refused():
    with pytest.raises(ValueError, match="5 of 4"):
        Tally(4, 5)
