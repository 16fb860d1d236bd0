import pytest

from studies.models import Panel


@pytest.fixture
def two_languages(draft_study):
    """The shared study with a panel that reads Persian and Dari."""
    Panel.objects.create(
        study=draft_study, country="IR", language="fa", more_languages=["prs"], ratings_per_unit=1
    )
    return draft_study
