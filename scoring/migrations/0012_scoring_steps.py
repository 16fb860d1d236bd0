"""AHEaD's steps are everybody's: CultureScore's bank of probes is one too."""

import django.db.models.deletion
from django.db import migrations, models


def rename_permissions(apps, schema_editor):
    """So that whoever may look at steps still may, and no permission is left over."""
    permissions = apps.get_model("auth", "Permission").objects.using(schema_editor.connection.alias)
    old = permissions.filter(content_type__app_label="scoring", codename__endswith="_aheadstep")
    for permission in old:
        action = permission.codename.removesuffix("_aheadstep")
        permission.codename, permission.name = f"{action}_scoringstep", f"Can {action} step"
        permission.save(update_fields=["codename", "name"])


def rename_permissions_back(apps, schema_editor):
    permissions = apps.get_model("auth", "Permission").objects.using(schema_editor.connection.alias)
    new = permissions.filter(content_type__app_label="scoring", codename__endswith="_scoringstep")
    for permission in new:
        action = permission.codename.removesuffix("_scoringstep")
        permission.codename, permission.name = f"{action}_aheadstep", f"Can {action} ahead step"
        permission.save(update_fields=["codename", "name"])


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0011_label_sets"),
        ("studies", "0014_descriptions"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.RenameModel(old_name="AheadStep", new_name="ScoringStep"),
        migrations.AlterModelOptions(
            name="scoringstep",
            options={"ordering": ["-requested_at", "-id"], "verbose_name": "step"},
        ),
        migrations.AlterField(
            model_name="scoringstep",
            name="study",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="scoring_steps",
                to="studies.study",
            ),
        ),
        migrations.RunPython(rename_permissions, rename_permissions_back),
    ]
