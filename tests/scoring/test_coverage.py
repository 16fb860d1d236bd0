"""Which activity of an item the descriptors are matched with."""

import pytest

from scoring.coverage import ItemFields
from studies.models import Descriptor
from tests.conftest import add_item

pytestmark = pytest.mark.django_db


def reference(study, activity, country="NP"):
    Descriptor.objects.create(
        study=study, kind="reference", activity=activity, country=country, token="garland"
    )


def test_the_activity_is_the_category_where_descriptors_are_written_for_that(draft_study):
    item = add_item(draft_study, "x", scenario="np-wedding-3", category="wedding")
    reference(draft_study, "Wedding ")
    fields = ItemFields(draft_study)
    assert (fields.activity(item), fields.has_reference(item)) == ("wedding", True)


def test_the_activity_is_the_scenario_where_descriptors_are_that_fine(draft_study):
    item = add_item(draft_study, "x", scenario="Maruni", category="dance")
    reference(draft_study, "dance")
    reference(draft_study, "maruni")
    assert ItemFields(draft_study).activity(item) == "Maruni"


def test_descriptors_of_another_country_do_not_count(draft_study):
    item = add_item(draft_study, "x", scenario="Maruni", category="dance")
    reference(draft_study, "maruni", country="IR")
    fields = ItemFields(draft_study)
    assert (fields.activity(item), fields.has_reference(item)) == ("dance", False)
