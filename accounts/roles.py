"""What a researcher may do in the admin. Superusers may do everything on every study."""

from django.contrib.auth.models import Group, Permission

RESEARCHER_MODELS = {
    "studies": ["study", "panel", "question", "scalepoint", "attentioncheck"],
    "scoring": ["labelset"],
}
RESEARCHER_RIGHTS = [("annotation", "see_prolific_ids")]  # of their own studies
RESEARCHER_RECORDS = {
    "studies": ["item", "descriptor"],
    "scoring": ["metricrun", "score", "reportsnapshot"],
}


def researchers_group() -> Group:
    """The group "Researchers" with its permissions, made or brought up to date."""
    group, _ = Group.objects.get_or_create(name="Researchers")
    codenames = [
        (app, f"{action}_{model}")
        for app, models in RESEARCHER_MODELS.items()
        for model in models
        for action in ("view", "add", "change", "delete")
    ]
    codenames += [(app, f"view_{m}") for app, models in RESEARCHER_RECORDS.items() for m in models]
    codenames += RESEARCHER_RIGHTS
    group.permissions.set(
        Permission.objects.get(content_type__app_label=app, codename=codename)
        for app, codename in codenames
    )
    return group
