"""Steps of before are steps of now: a database that is brought up to date keeps them."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]
BEFORE, AFTER = "0011_label_sets", "0012_scoring_steps"


@pytest.fixture
def migrated():
    """Brings scoring to a migration of its own; up to date again at the end."""

    def to(name):
        executor = MigrationExecutor(connection)
        others = [leaf for leaf in executor.loader.graph.leaf_nodes() if leaf[0] != "scoring"]
        targets = [*others, ("scoring", name)]
        executor.migrate(targets)
        return MigrationExecutor(connection).loader.project_state(targets).apps

    yield to
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_steps_and_the_rights_to_see_them_outlive_their_new_name(migrated):
    old = migrated(BEFORE)
    user = old.get_model("accounts", "User").objects.create(username="ana")
    study = old.get_model("studies", "Study").objects.create(
        owner=user, title="W", slug="w", public_title="W"
    )
    step = old.get_model("scoring", "AheadStep").objects.create(
        study=study, kind="probes", parameters={"model": "m"}, requested_by=user
    )
    kind, _ = old.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="scoring", model="aheadstep"
    )
    permission, _ = old.get_model("auth", "Permission").objects.get_or_create(
        content_type_id=kind.pk, codename="view_aheadstep", defaults={"name": "Can view ahead step"}
    )
    new = migrated(AFTER)
    kept = new.get_model("scoring", "ScoringStep").objects.get(pk=step.pk)
    assert (kept.kind, kept.parameters, kept.study_id) == ("probes", {"model": "m"}, study.pk)
    again = new.get_model("auth", "Permission").objects.get(pk=permission.pk)
    assert (again.codename, again.name) == ("view_scoringstep", "Can view step")
    another = new.get_model("scoring", "ScoringStep").objects.create(
        study_id=study.pk, kind="edits"
    )
    assert another.pk != step.pk, "the sequence of keys goes on"
