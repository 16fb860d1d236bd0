import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Rules are part of the design: the table was made by, and renamed in, ``annotation``."""

    dependencies = [
        ("studies", "0012_units_by_country_and_purpose"),
        ("annotation", "0012_quality_rules_move_to_the_design"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="QualityRule",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("checks", "Checks failed"),
                                    ("fast", "Very fast"),
                                    ("straight", "Same answer throughout"),
                                    ("position", "Same position throughout"),
                                    ("short-text", "Short rationales"),
                                    ("copied-text", "Same text on several units"),
                                    ("shared-text", "Same text as others"),
                                    ("repeats", "Unlike themselves"),
                                    ("consensus", "Far from the others"),
                                ],
                                max_length=12,
                            ),
                        ),
                        ("threshold", models.FloatField()),
                        (
                            "action",
                            models.CharField(
                                choices=[
                                    ("off", "Not looked at"),
                                    ("flag", "Flag; a person decides"),
                                    ("exclude", "Exclude"),
                                ],
                                default="flag",
                                max_length=8,
                            ),
                        ),
                        ("declared_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "changes",
                            models.JSONField(
                                blank=True,
                                default=list,
                                help_text="Earlier values: threshold, action, when, by whom.",
                            ),
                        ),
                        (
                            "changed_after_ratings",
                            models.BooleanField(
                                default=False,
                                help_text="Changed when answers were there: no longer declared "
                                "before them.",
                            ),
                        ),
                        (
                            "study",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="quality_rules",
                                to="studies.study",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["study", "kind"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("study", "kind"), name="one_rule_a_kind"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("action", "exclude"), ("kind", "consensus"), _negated=True
                                ),
                                name="consensus_never_excludes",
                            ),
                        ],
                    },
                ),
            ],
        ),
    ]
