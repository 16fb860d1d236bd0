"""Who waits for a decision is named before Prolific decides by itself."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Attempt
from annotation.monitor.home import needs_of_all
from annotation.prolific.undecided import Undecided, undecided
from studies.models import Study
from tests.prolific.conftest import came, hear


def lines(study):
    return [
        (one.need.mark, one.need.sentence, one.url) for one in needs_of_all(Study.objects.all())
    ]


@pytest.mark.parametrize(
    ("waited", "mark", "says"),
    [
        (1, "info", "1 person waits for a decision; Prolific approves it by itself in 19 days."),
        (18, "warn", "1 person waits for a decision; Prolific approves it by itself in 2 days."),
        (30, "warn", "1 person waits for a decision; Prolific approves it by itself today."),
    ],
)
def test_home_says_how_long_is_left(study, waited, mark, says):
    hear(came(study), "AWAITING REVIEW")
    Attempt.objects.update(status_at=timezone.now() - timedelta(days=waited, minutes=1))
    url = "/studies/weddings/arrivals/?status=AWAITING+REVIEW"
    assert (mark, says, url) in lines(study)


def test_whom_nobody_waits_for_is_not_named(study):
    hear(came(study), "APPROVED")
    assert undecided(study, now=timezone.now()) == Undecided(0, None)
    assert not any("decision" in sentence for _, sentence, _ in lines(study))
