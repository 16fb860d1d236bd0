"""A whole collection: two hundred people who leave, return, come late and send twice.

``BUSY_DAY_UNITS=2000`` makes it as long as it is meant to be; 150 are enough for every day.
"""

import os
import queue
import random
from collections import Counter

import pytest
from django.db.models import Count, F

from annotation.assignment import claim_next_unit
from annotation.entry import withdraw
from annotation.models import Assignment, Participation, Place, Rating
from annotation.responding import save_draft, skip_unit
from studies.lifecycle import launch_study
from studies.models import Item, Unit, UnitItem
from tests.annotation.people import expire_leases, rate_all, send, somebody
from tests.annotation.threads import in_threads

UNITS, K, PEOPLE, AT_ONCE = int(os.environ.get("BUSY_DAY_UNITS", "150")), 3, 200, 8
SESSION = max(6, UNITS * K // PEOPLE)
DONE = Place.State.DONE


def more_items(study, n: int) -> None:
    """Items that share one file: what is shown does not matter here."""
    first = study.items.first()
    items = Item.objects.bulk_create(
        Item(
            study=study,
            external_id=f"more-{i}",
            country="NP",
            category="wedding",
            media=first.media.name,
            content_type="image/png",
            sha256=f"{i:064x}",
            width=64,
            height=48,
        )
        for i in range(n)
    )
    units = Unit.objects.bulk_create(
        Unit(study=study, key=item.external_id, country="NP") for item in items
    )
    UnitItem.objects.bulk_create(
        UnitItem(unit=unit, item=item) for unit, item in zip(units, items, strict=True)
    )


class Visitor:
    """One person's visit. ``acknowledged`` are the screens they were told are saved."""

    def __init__(self, study, number: int):
        self.study, self.chance = study, random.Random(number)
        self.person, self.acknowledged, self.comes_back = None, [], None

    def visit(self) -> None:
        if self.person is None:
            self.person = somebody(self.study)
        while (screen := claim_next_unit(participation=self.person)) is not None:
            act = self.chance.random()
            if act < 0.04:
                return  # gone without a word
            if act < 0.10 and self.comes_back is None:
                expire_leases(holder=self.person)
                self.comes_back = screen
                return
            if act < 0.12:
                return withdraw(participation=self.person)
            if act < 0.16:
                skip_unit(assignment=screen, reason="black")
                continue
            if act < 0.30:
                save_draft(assignment=screen, counter=1, fields={"q_1": "3"})
            if act < 0.45:
                send(self.study, screen)  # the button was pressed twice
            send(self.study, screen)
            self.acknowledged.append(screen.pk)

    def return_late(self) -> None:
        """Send what was on the screen all the time, then go on."""
        if self.comes_back is not None:
            send(self.study, self.comes_back)
            self.acknowledged.append(self.comes_back.pk)
            self.visit()


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_every_unit_gets_exactly_k_ratings_and_no_answer_is_lost(draft_study, researcher):
    more_items(draft_study, UNITS - draft_study.units.count())
    draft_study.units_per_session = SESSION
    draft_study.repeats, draft_study.repeat_gap = 1, 3
    draft_study.save()
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    visitors = [Visitor(draft_study, i) for i in range(PEOPLE)]
    todo: queue.SimpleQueue = queue.SimpleQueue()
    for visitor in visitors:
        todo.put(visitor.visit)
    for visitor in visitors:
        todo.put(visitor.return_late)

    def work(_):
        while True:
            try:
                step = todo.get_nowait()
            except queue.Empty:
                return
            step()

    in_threads(AT_ONCE, work)
    while Place.objects.exclude(state=DONE).exists():
        expire_leases()
        assert rate_all(draft_study, somebody(draft_study)) > 0

    counted = Assignment.objects.filter(counted=True)
    per_unit = Counter(counted.values_list("unit", flat=True))
    assert per_unit == dict.fromkeys(draft_study.units.values_list("pk", flat=True), K)
    assert counted.values("unit", "participation").distinct().count() == UNITS * K
    assert set(Place.objects.values_list("unit", "holder")) == set(
        counted.values_list("unit", "participation")
    )
    again = Assignment.objects.exclude(repeat_of=None)
    assert again.exists()
    assert not again.filter(counted__isnull=False).exists()
    assert not again.exclude(unit=F("repeat_of__unit")).exists()
    acknowledged = [pk for visitor in visitors for pk in visitor.acknowledged]
    sent = Assignment.objects.filter(submitted_at__isnull=False)
    assert len(acknowledged) > UNITS
    assert set(acknowledged) <= set(sent.values_list("pk", flat=True))
    per_screen = sent.annotate(saved=Count("ratings")).values_list("saved", flat=True)
    assert set(per_screen) == {3}
    assert Rating.objects.count() == 3 * sent.count()
    codes = Participation.objects.exclude(code="").values_list("code", flat=True)
    assert len(set(codes)) == len(codes)
