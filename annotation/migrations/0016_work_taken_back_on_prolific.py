"""Who took back what was sent: told apart from an exclusion, which may come on top of it."""

from django.db import migrations, models

OUTCOMES = [
    ("does-not-fit", "Does not fit"),
    ("no-consent", "No consent"),
    ("full", "Study full"),
    ("closed", "Study closed"),
    ("failed-checks", "Failed the checks"),
    ("withdrew", "Withdrew, answers kept"),
    ("withdrew-removed", "Withdrew, answers removed"),
    ("taken-back", "Returned or rejected"),
]


def mark_those_before(apps, schema_editor):
    """Set aside and not excluded: that was Prolific's word. Of who is both, the next word tells."""
    participations = apps.get_model("annotation", "Participation")
    exclusions = apps.get_model("annotation", "Exclusion").objects.filter(
        participation=models.OuterRef("pk"), assignment=None, lifted_at=None
    )
    participations.objects.filter(~models.Exists(exclusions), set_aside_at__isnull=False).update(
        taken_back=True
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0015_imports_of_ratings")]

    operations = [
        migrations.AddField(
            model_name="participation",
            name="taken_back",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="It was on Prolific: returned or rejected there, and not to count by "
                "the study's choice.",
            ),
        ),
        migrations.AlterField(
            model_name="participation",
            name="set_aside_at",
            field=models.DateTimeField(
                blank=True,
                help_text="Returned or rejected on Prolific, or excluded: answers are kept, and "
                "count for nothing.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="participation",
            name="outcome",
            field=models.CharField(blank=True, choices=OUTCOMES, max_length=16),
        ),
        migrations.RunPython(mark_those_before, migrations.RunPython.noop),
    ]
