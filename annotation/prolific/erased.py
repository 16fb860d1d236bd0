"""What stays of a submission whose person was erased: a mark that says "known, and nobody's".

Prolific goes on listing the submission. Without a mark the next list would bring the person's id
back as one who never arrived. The mark is a keyed digest: it cannot be turned into the id.
"""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from annotation.models import Attempt


def erased_mark(submission_id: str) -> str:
    digest = salted_hmac("annotation.prolific.erased", submission_id, algorithm="sha256")
    return f"erased-{digest.hexdigest()[:40]}"


def attempts_of(submission_id: str) -> QuerySet[Attempt]:
    """The attempts of a submission, in whichever studies, erased ones by their mark."""
    return Attempt.objects.filter(session_id__in=[submission_id, erased_mark(submission_id)])
