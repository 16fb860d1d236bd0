import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("studies", "0005_pilots_plans_and_saved_presets"),
    ]

    operations = [
        migrations.CreateModel(
            name="Translation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("language", models.CharField(max_length=12)),
                (
                    "key",
                    models.CharField(
                        help_text="Which text: see studies.words.texts.", max_length=240
                    ),
                ),
                ("text", models.TextField()),
                ("source", models.TextField()),
                ("changed_at", models.DateTimeField(auto_now=True)),
                (
                    "changed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="translations",
                        to="studies.study",
                    ),
                ),
            ],
            options={
                "ordering": ["language", "key"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "language", "key"), name="one_translation_a_text"
                    )
                ],
            },
        ),
    ]
