"""Which rows of answers leave for a bundle: enough to compute every layer of a report again.

People leave as their pseudonym, their panel and their language. What they said of themselves, who
they are outside, links and keys stay here.
"""

from __future__ import annotations

from django.db.models import Q

from studies.records import Records

_SENT = Q(submitted_at__isnull=False)
_ASSIGNMENT_SENT = Q(assignment__submitted_at__isnull=False)

ANSWER_RECORDS = (
    Records(
        label="annotation.Participation",
        only=~Q(code=""),
        kept=(
            "study_id",
            "panel_id",
            "code",
            "state",
            "outcome",
            "revision",
            "n_units",
            "n_repeats",
            "seed",
            "set_aside_at",
            "taken_back",
            "pilot",
            "language",
            "simulated",
        ),
    ),
    Records(
        label="annotation.Assignment",
        study="participation__study",
        only=_SENT,
        kept=(
            "participation_id",
            "n",
            "unit_id",
            "repeat_of_id",
            "gold",
            "item_order",
            "served_at",
            "first_action_at",
            "submitted_at",
            "changed_at",
            "timing",
            "counted",
            "set_aside",
            "excluded",
        ),
    ),
    Records(
        label="annotation.Rating",
        study="assignment__participation__study",
        only=_ASSIGNMENT_SENT,
        kept=(
            "assignment_id",
            "question_id",
            "item_id",
            "probe_id",
            "descriptor_id",
            "subject",
            "value",
            "not_applicable",
            "text",
            "created_at",
        ),
    ),
    Records(
        label="annotation.Flag",
        study="participation__study",
        kept=(
            "participation_id",
            "kind",
            "sentence",
            "numbers",
            "screens",
            "made_at",
            "decision",
            "decided_at",
        ),
    ),
    Records(
        label="annotation.Exclusion",
        study="participation__study",
        kept=(
            "participation_id",
            "assignment_id",
            "reason",
            "rule",
            "made_at",
            "reopened",
            "lifted_at",
            "lift_reason",
        ),
    ),
)
