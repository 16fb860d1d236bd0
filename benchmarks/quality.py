"""What a review of everybody's answers costs: python benchmarks/quality.py [--people 1000]

A study in which so many people sent ``--screens`` screens each, three a unit: a Likert question, a
rationale, seconds of work, two attention checks and four repeats a person; every hundredth person
is careless. Measured in process, with the number of queries:

    review    annotation.quality.review.review: every rule, flags written
    again     the same once more: nothing is new
    baseline  what a loop over people does, one person at a time: their screens, their answers and
              those of the others on the same units, by the same thresholds

Baseline and review are held against each other on what both measure: who was very fast, who gave
one answer throughout, who is far from the others. SQLite in a scratch folder is the default; with
DATABASE_URL it runs there.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import timedelta
from statistics import median

from scratch import scratch_site

K = 3
REPEATS = 4
CARELESS = 100  # one in so many


def build(people: int, screens: int):
    """The study with all its answers, made in bulk. Screen r is of unit r mod a third of them."""
    from django.utils import timezone

    from accounts.models import User
    from benchmarks.monitor import copies, moment
    from studies.design import current_design
    from studies.models import DesignRevision, Panel, Question, ScalePoint, Study, Unit

    owner, _ = User.objects.get_or_create(username="ana", is_staff=True, is_superuser=True)
    start = timezone.now() - timedelta(days=2)
    study = Study.objects.create(
        owner=owner, title="Many", slug="many", state="live", revision=1, launched_at=start
    )
    scale = Question.objects.create(study=study, key="faithfulness", text="How faithful?")
    ScalePoint.objects.bulk_create(
        ScalePoint(question=scale, value=n, label=str(n)) for n in range(1, 6)
    )
    why = Question.objects.create(study=study, key="why", kind="text", text="What is wrong?")
    DesignRevision.objects.create(study=study, number=1, design=current_design(study).to_json())
    panel = Panel.objects.create(study=study, country="NP", ratings_per_unit=K)
    units = people * screens // K
    first = copies(
        Unit.objects.create(study=study, key="x", country="NP"), units + 1, key="'u' || i"
    )
    seen = moment(start, "i * 60")
    answered(study, panel, (people, screens, units), first, (scale, why), seen)
    return study


def answer(i: str, screens: int, units: int) -> str:
    """SQL for the answer on a screen: close to that of others, and always 5 of the careless."""
    careless = f"({i} / {screens}) % {CARELESS} = 7"
    mixed = f"1 + (({i} % {units}) * 7 + {i} / {units} % 2) % 5"
    return f"CASE WHEN {careless} THEN 5 ELSE {mixed} END"


def answered(study, panel, size, unit: int, questions, seen: str) -> None:
    """People, their screens and repeats; then answers, texts and checks."""
    from annotation.models import Assignment, Participation
    from benchmarks.monitor import copies

    people, screens, units = size
    person = copies(
        Participation.objects.create(
            study=study, panel=panel, revision=1, n_units=screens, state="complete"
        ),
        people,
        token="'n-' || i",
        code="'NP-' || i",
        **dict.fromkeys(("arrived_at", "instructed_at", "finished_at", "last_seen_at"), seen),
    )
    total, careless = people * screens, f"(i / {screens}) % {CARELESS} = 7"
    seconds = f"CASE WHEN {careless} THEN 2 ELSE 20 + (i * 13) % 30 END"
    row = {"participation_id": person, "unit_id": unit + units, "n": 0, "key": "x"}
    screen = copies(
        Assignment.objects.create(**row),
        total,
        participation=f"{person} + i / {screens}",
        unit=f"{unit} + i % {units}",
        n=f"1 + i % {screens}",
        key="'a' || i",
        submitted_at="CURRENT_TIMESTAMP",
        timing=f"'{{\"active\": ' || ({seconds}) || '}}'",
        counted="1 = 1",
    )
    again = copies(
        Assignment.objects.create(**row),
        people * REPEATS,
        participation=f"{person} + i / {REPEATS}",
        unit=f"{unit} + ((i / {REPEATS}) * {screens} + i % {REPEATS}) % {units}",
        n=f"{screens} + 1 + i % {REPEATS}",
        key="'r' || i",
        submitted_at="CURRENT_TIMESTAMP",
        repeat_of=f"{screen} + (i / {REPEATS}) * {screens} + i % {REPEATS}",
    )
    answers(size, screen, again, questions)


def answers(size, screen: int, again: int, questions) -> None:
    """What stands on the screens (ids from ``screen``) and their repeats (from ``again``)."""
    from annotation.models import CheckAnswer, Rating
    from benchmarks.monitor import copies

    people, screens, units = size
    scale, why = questions
    total, careless = people * screens, f"(i / {screens}) % {CARELESS} = 7"
    first = f"((i / {REPEATS}) * {screens} + i % {REPEATS})"  # of a repeat: the screen before
    of = Rating.objects.create
    copies(
        of(assignment_id=screen, question=scale, value=1, subject="x"),
        total,
        assignment=f"{screen} + i",
        value=answer("i", screens, units),
        subject="''",
    )
    copies(
        of(assignment_id=again, question=scale, value=1, subject="y"),
        people * REPEATS,
        assignment=f"{again} + i",
        value=answer(first, screens, units),
        subject="''",
    )
    words = "'the people wear what nobody wears there, and the picture of '"
    text = f"CASE WHEN {careless} THEN 'it is just fine and good' ELSE {words} || i END"
    copies(
        of(assignment_id=screen, question=why, text="x", subject="z"),
        total,
        assignment=f"{screen} + i",
        text=text,
        subject="''",
    )
    copies(
        CheckAnswer.objects.create(assignment_id=screen, value=1, passed=True),
        people * 2,
        assignment=f"{screen} + (i / 2) * {screens} + 10 + (i % 2) * {screens // 2}",
        passed=f"(i / 2) % {CARELESS} <> 7",
    )


def measured(name: str, work: Callable[[], object]) -> object:
    """Run it, print seconds and queries, give back what it gave."""
    from django.db import connection

    n = 0

    def count(execute, sql, params, many, context):
        nonlocal n
        n += 1
        return execute(sql, params, many, context)

    start = time.perf_counter()
    with connection.execute_wrapper(count):
        result = work()
    took = time.perf_counter() - start
    print(f"{name:9} {took:8.2f} s {n:8,} queries")
    return result


def by_person(study) -> dict[str, dict[int, float]]:
    """The baseline: kind -> person -> value, one person after the other."""
    from annotation.models import Assignment, Participation

    everybody = Participation.objects.filter(study=study, pilot=False)
    own_seconds = [
        row.timing["active"]
        for row in Assignment.objects.filter(participation__study=study, repeat_of=None)
    ]
    usual = median(own_seconds)
    found: dict[str, dict[int, float]] = {"fast": {}, "straight": {}, "consensus": {}}
    for person in everybody:
        sent = list(person.assignments.filter(repeat_of=None))
        fast = [row for row in sent if row.timing["active"] < usual / 3]
        found["fast"][person.pk] = len(fast) / len(sent)
        found["straight"][person.pk], found["consensus"][person.pk] = of_answers(person)
    return found


def of_answers(person) -> tuple[float, float]:
    """The share of one person's commonest answer, and how far they are from the others."""
    from annotation.models import Rating

    mine = Rating.objects.filter(
        assignment__participation=person, assignment__repeat_of=None, value__isnull=False
    ).select_related("assignment")
    given = {row.assignment.unit_id: row.value for row in mine}
    counts = defaultdict(int)
    for value in given.values():
        counts[value] += 1
    others = defaultdict(list)
    rows = Rating.objects.filter(
        assignment__unit__in=list(given), assignment__repeat_of=None, value__isnull=False
    ).exclude(assignment__participation=person)
    for row in rows.select_related("assignment"):
        others[row.assignment.unit_id].append(row.value)
    apart = [
        abs(value - sum(others[unit]) / len(others[unit])) / 4
        for unit, value in given.items()
        if others[unit]
    ]
    return max(counts.values()) / len(given), sum(apart) / len(apart)


def check(study, baseline: dict[str, dict[int, float]]) -> None:
    """Stop where review and baseline disagree on a number."""
    from annotation.quality.evidence import Evidence

    findings = Evidence(study).findings()
    for kind, values in baseline.items():
        of_kind = findings[kind]
        if of_kind.keys() != values.keys():
            raise SystemExit(f"{kind}: not the same people")
        worst = max(abs(of_kind[pk].value - value) for pk, value in values.items())
        if worst > 1e-9:
            raise SystemExit(f"{kind}: {worst} apart")
    print("          the same numbers by both ways, for everybody")


def measure(study) -> None:
    from annotation.models import Flag
    from annotation.quality.review import review

    done = measured("review", lambda: review(study))
    print(f"          {done.people:,} people, {done.flagged} flags")
    again = measured("again", lambda: review(study))
    if again.flagged or again.unflagged or not Flag.objects.exists():
        raise SystemExit("A second review changed something, or the first found nothing.")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"          {peak:.0f} MB at most")
    check(study, measured("baseline", lambda: by_person(study)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--screens", type=int, default=100)
    arguments = parser.parse_args()
    with scratch_site("quality", settings="tests.settings"):
        from django.db import connection

        start = time.perf_counter()
        study = build(arguments.people, arguments.screens)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        made = time.perf_counter() - start
        print(f"{arguments.people:,} people x {arguments.screens} screens (made in {made:.0f} s)")
        measure(study)
    return 0


if __name__ == "__main__":
    sys.exit(main())
