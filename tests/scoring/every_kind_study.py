"""A study with every kind of question, missing ratings, a constant question, a panel of two,
answers that something does not apply, repeats, exclusions and a pilot: what makes a report hard.
"""

from __future__ import annotations

import itertools
from datetime import timedelta

import numpy as np
from django.utils import timezone

from annotation.models import Assignment, Participation, Rating
from annotation.models.rating import subject_key
from studies.models import (
    AnalysisPlan,
    Descriptor,
    Probe,
    Question,
    ScalePoint,
    Study,
    System,
    Unit,
    UnitItem,
    UnitProbe,
)
from tests.scoring.report_study import a_question, a_rater, a_run, a_study, an_item

SYSTEMS = ("Lantern", "Moth", "Kite")
DIMENSIONS = ("behavior", "context", "identity")
_positions = itertools.count(100)


def every_kind_study(owner) -> Study:
    """Nepal has four raters, Iran two; of Nepal's the third is excluded by a rule, and one screen
    of the fourth by hand."""
    study = a_study(owner=owner, seed=5)
    AnalysisPlan.objects.create(
        study=study,
        coefficients=["krippendorff_alpha"],
        correlations=["spearman"],
        rescaled=True,
        fixed_at=timezone.now() - timedelta(days=30),
    )
    asked = _questions(study)
    singles, triplets = _items(study)
    people = [a_rater(study, f"NP-{n}", country="NP") for n in range(1, 5)]
    people += [a_rater(study, f"IR-{n}", country="IR") for n in range(1, 3)]
    rng = np.random.default_rng(1)
    for number, person in enumerate(people):
        country = person.panel.country
        for place, item in enumerate(one for one in singles if one.country == country):
            if (place + number) % 7 == 6:
                continue  # missing ratings
            _rate_single(rng, asked, person, item, place, number)
        for place, unit in enumerate(one for one in triplets if one.country == country):
            _rate_triplet(rng, asked, person, unit, place)
    _repeats(asked, people[0])
    _pilot(study, asked, singles[0])
    _exclude(people)
    a_run(
        study,
        {
            "ahead_align": {item: float(rng.random()) for item in singles},
            "ahead_hal": dict.fromkeys(singles, 0.5),
        },
    )
    return study


def _questions(study: Study) -> dict[str, Question]:
    asked = {"faithfulness": a_question(study, "faithfulness")}
    asked["realism"] = a_question(study, "realism")
    Question.objects.filter(pk=asked["faithfulness"].pk).update(allow_na=True)
    kinds = {
        "clear": ("yes_no", {}),
        "style": ("choice", {}),
        "liking": ("slider", {}),
        "list": ("descriptors", {}),
        "relevance": ("yes_no", {"asked_of": "probe", "tier": 1}),
        "accuracy": ("multi", {"asked_of": "probe", "tier": 2}),
        "preference": ("ranking", {"tier": 3}),
    }
    for key, (kind, more) in kinds.items():
        asked[key] = Question.objects.create(
            study=study, key=key, kind=kind, text=f"{key}?", position=next(_positions), **more
        )
    for value, label in enumerate(("Drawing", "Photo", "Painting"), start=1):
        ScalePoint.objects.create(question=asked["style"], value=value, label=label)
    for value in range(1, 6):
        ScalePoint.objects.create(question=asked["list"], value=value, label=f"{value} of 5")
    asked["why"] = Question.objects.create(
        study=study, key="why", kind="text", text="Why?", position=next(_positions)
    )
    # Their order is that in which they stand here, however many studies other tests have made.
    for place, question in enumerate(asked.values(), start=1):
        Question.objects.filter(pk=question.pk).update(position=place)
    return asked


def _items(study: Study):
    for place, name in enumerate(SYSTEMS):
        System.objects.create(study=study, name=name, position=place)
    singles = [
        an_item(
            study,
            f"{country.lower()}{number:02}",
            country=country,
            system=SYSTEMS[number % 3],
            prompt=f"{country} prompt {number // 3}",
            category=("dance", "wedding")[number % 2],
        )
        for country, n in (("NP", 24), ("IR", 9))
        for number in range(n)
    ]
    for country in ("NP", "IR"):
        for number, dimension in enumerate(("setting", "attire", "setting")):
            Descriptor.objects.create(
                study=study,
                kind="reference",
                country=country,
                dimension=dimension,
                token=f"{country} thing {number}",
            )
    return singles, _triplets(study)


def _triplets(study: Study) -> list[Unit]:
    units = []
    for country in ("NP", "IR"):
        for number in range(4):
            unit = Unit.objects.create(study=study, key=f"t-{country}-{number}", country=country)
            for place, system in enumerate(SYSTEMS):
                item = an_item(
                    study,
                    f"t-{country}-{number}-{system}",
                    country=country,
                    system=system,
                    prompt=f"{country} scene {number}",
                    scenario=f"scene {number}",
                )
                item.units.all().delete()
                UnitItem.objects.create(unit=unit, item=item, position=place)
            for place, dimension in enumerate(DIMENSIONS):
                probe = Probe.objects.create(
                    study=study,
                    external_id=f"{country}-{number}-{dimension}",
                    scenario=f"scene {number}",
                    country=country,
                    dimension=dimension,
                    text=f"Is {dimension} right?",
                )
                UnitProbe.objects.create(unit=unit, probe=probe, position=place)
            units.append(unit)
    return units


def _screen(person: Participation, unit: Unit, **more) -> Assignment:
    values = {"counted": True, "submitted_at": timezone.now()} | more
    return Assignment.objects.create(
        participation=person, n=person.assignments.count() + 1, unit=unit, **values
    )


def answer(
    screen: Assignment, question: Question, *, probe=None, item=None, descriptor=None, **how
):
    Rating.objects.create(
        assignment=screen,
        question=question,
        probe=probe,
        item=item,
        descriptor=descriptor,
        subject=subject_key(
            probe=probe and probe.pk, item=item and item.pk, descriptor=descriptor and descriptor.pk
        ),
        **how,
    )


def _rate_single(rng, asked, person, item, place: int, number: int) -> None:
    screen = _screen(person, item.units.get())
    point = int(np.clip(1 + (place + int(rng.integers(0, 2))) % 5, 1, 5))
    # The last item of Nepal does not apply to anybody; elsewhere one person says so now and then.
    if item.external_id == "np23" or (place % 11 == 5 and number == 0):
        answer(screen, asked["faithfulness"], item=item, not_applicable=True)
    else:
        answer(screen, asked["faithfulness"], item=item, value=point)
    answer(screen, asked["realism"], item=item, value=3)
    answer(screen, asked["clear"], item=item, value=int(rng.random() < 0.8))
    answer(screen, asked["style"], item=item, value=int(rng.integers(1, 4)))
    answer(
        screen, asked["liking"], item=item, value=int(np.clip(point * 18 + rng.integers(9), 0, 100))
    )
    for token in Descriptor.objects.filter(study=person.study, country=item.country):
        right = int(rng.random() < 0.9)
        answer(screen, asked["list"], item=item, descriptor=token, value=right)
    gap = "The lamp is missing." if place == 0 else ""
    answer(screen, asked["list"], item=item, value=4, text=gap)
    answer(screen, asked["why"], item=item, text=f"Because of {item.external_id}.")


def _rate_triplet(rng, asked, person, unit: Unit, place: int) -> None:
    screen = _screen(person, unit)
    items = [member.item for member in unit.members.select_related("item__system")]
    for given in unit.unit_probes.select_related("probe"):
        probe = given.probe
        # Everybody calls the context of the first set irrelevant.
        relevant = 0 if probe.dimension == "context" and place == 0 else int(rng.random() < 0.8)
        answer(screen, asked["relevance"], probe=probe, value=relevant)
        for item in items:
            chosen = int(rng.random() < 0.4 + 0.2 * (item.system.name == "Lantern"))
            answer(screen, asked["accuracy"], probe=probe, item=item, value=chosen)
    order = sorted(items, key=lambda item: SYSTEMS.index(item.system.name) + 1.4 * rng.random())
    for number, item in enumerate(order, start=1):
        answer(screen, asked["preference"], item=item, value=number)


def _repeats(asked, person: Participation) -> None:
    first = person.assignments.filter(unit__members__position=0).order_by("n")[:6]
    for number, earlier in enumerate(list(first)):
        screen = _screen(person, earlier.unit, repeat_of=earlier, counted=None)
        for given in earlier.ratings.filter(question=asked["clear"]):
            value = given.value if number % 3 else 1 - given.value
            answer(screen, asked["clear"], item=given.item, value=value)


def _pilot(study: Study, asked, item) -> None:
    person = a_rater(study, "NP-pilot", country="NP")
    Participation.objects.filter(pk=person.pk).update(pilot=True)
    screen = _screen(person, item.units.get(), counted=None)
    answer(screen, asked["faithfulness"], item=item, value=5)


def _exclude(people: list[Participation]) -> None:
    from annotation.models import Exclusion

    by_rule, by_hand = people[2], people[3]
    Exclusion.objects.create(participation=by_rule, rule="straight", reason="All alike.")
    by_rule.assignments.update(excluded="rule")
    screen = by_hand.assignments.order_by("n").first()
    Exclusion.objects.create(participation=by_hand, assignment=screen, reason="A slip.")
    Assignment.objects.filter(pk=screen.pk).update(excluded="person")
