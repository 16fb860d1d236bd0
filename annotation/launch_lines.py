"""What the launch check list of a study says about how people come in."""

from __future__ import annotations

from django.urls import reverse

from studies.check_lines import LaunchCheck, counted
from studies.models import Study
from studies.recruiting import recruitment_of


def invitation_lines(study: Study) -> list[LaunchCheck]:
    """A warning where people come by invitation only and nobody is invited; else nothing."""
    ways = recruitment_of(study)
    url = reverse("annotation:invitations", args=[study.slug])
    n = study.invitations.in_force().count()
    if n:
        return [LaunchCheck("ok", "Invitations", f"{counted(n, 'person', 'people')} invited", url)]
    if ways.open_link or ways.uses_prolific or ways.accounts:
        return []
    sentence = "by invitation only, and nobody is invited: nobody could come in"
    return [LaunchCheck("warn", "Invitations", sentence, url)]
