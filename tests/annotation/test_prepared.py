"""Queries whose SQL is made once give what the queries themselves give."""

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation.assignment import claim_next_unit, lock_person
from annotation.models import Assignment, Participation
from annotation.prepared import INTEGERS, SMALL, TEXT, Prepared, insert, save_fields
from tests.annotation.people import send, somebody

pytestmark = pytest.mark.django_db


def test_rows_are_the_same_objects_with_what_belongs_to_them(live_study, django_assert_num_queries):
    person = somebody(live_study)
    found = Prepared(
        lambda token: Participation.objects.select_related("study", "panel").filter(token=token),
        TEXT,
    )
    for _ in range(2):
        with django_assert_num_queries(1):
            row = found.first(person.token)
            assert (row.study.title, row.panel.country) == ("Weddings", "NP")
        person.refresh_from_db()
        for field in Participation._meta.concrete_fields:
            assert getattr(row, field.attname) == getattr(person, field.attname)
    assert found.first("nobody") is None


def test_each_value_goes_into_its_own_slot(live_study):
    person = somebody(live_study)
    send(live_study, claim_next_unit(participation=person))
    second = claim_next_unit(participation=person)
    screens = Prepared(
        lambda pk, n: Assignment.objects.filter(participation=pk, n=n), INTEGERS[0], SMALL
    )
    assert screens.rows(person.pk, 2) == [second]
    assert screens.rows(person.pk, 3) == []
    assert screens.rows(person.pk + 1, 2) == []


def test_tuples_hold_values_as_fields_give_them(live_study):
    person = somebody(live_study)
    screen = claim_next_unit(participation=person)
    times = Prepared(
        lambda pk: Assignment.objects.filter(participation=pk).values_list("served_at", "draft"),
        INTEGERS[0],
    )
    assert times.rows(person.pk) == [(screen.served_at, {})]


def test_the_sql_is_made_once(live_study):
    person = somebody(live_study)
    made = []

    def build(pk):
        made.append(pk)
        return Participation.objects.filter(pk=pk)

    found = Prepared(build, INTEGERS[0])
    assert found.first(person.pk) == found.first(person.pk) == person
    assert len(made) == 1


def test_the_person_is_locked_where_the_database_locks_rows(live_study):
    person = somebody(live_study)
    with (
        transaction.atomic(),
        CaptureQueriesContext(
            connection,
        ) as queries,
    ):
        lock_person(person.pk)
    assert ("FOR UPDATE" in queries[0]["sql"]) == (connection.vendor == "postgresql")


def test_a_person_who_is_not_there_cannot_be_locked(db):
    with transaction.atomic(), pytest.raises(Participation.DoesNotExist):
        lock_person(0)


def test_a_row_is_stored_and_changed_as_django_does(live_study):
    person = somebody(live_study)
    unit = live_study.units.first()
    row = Assignment(participation=person, n=1, unit=unit, item_order=[3, 1], timing={"a": 1.5})
    insert(row)
    stored = Assignment.objects.get(pk=row.pk)
    assert (stored.key, stored.item_order, stored.timing) == (row.key, [3, 1], {"a": 1.5})
    assert stored.served_at == row.served_at
    row.draft, row.counted = {"q_1": "ü"}, True
    save_fields(row, "draft", "counted")
    stored.refresh_from_db()
    assert (stored.draft, stored.counted, stored.n) == ({"q_1": "ü"}, True, 1)
