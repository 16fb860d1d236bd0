"""Whatever the policy, one person gets every unit of a session once."""

import pytest

from annotation.models import Assignment
from studies.lifecycle import launch_study
from studies.models import Study
from tests.annotation.people import rate_all, somebody


@pytest.mark.django_db
@pytest.mark.parametrize("policy", Study.Policy.values)
@pytest.mark.parametrize("apart", [False, True], ids=["any order", "prompts apart"])
def test_a_person_gets_every_unit_once(draft_study, researcher, policy, apart):
    Study.objects.update(policy=policy, avoid_same_prompt=apart)
    launch_study(study=draft_study, by=researcher)
    draft_study.refresh_from_db()
    person = somebody(draft_study)
    assert rate_all(draft_study, person) == 6
    shown = Assignment.objects.filter(participation=person).values_list("unit", flat=True)
    assert sorted(shown) == sorted(draft_study.units.values_list("pk", flat=True))
