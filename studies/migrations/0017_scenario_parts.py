from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("studies", "0016_gold_plain_to_everybody")]

    operations = [
        migrations.AddField(
            model_name="scenario",
            name="parts",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text=(
                    "Identity, behavior and context of the base prompt, as a model took it apart."
                ),
            ),
        ),
        migrations.AddField(
            model_name="scenario",
            name="unique_without_country",
            field=models.BooleanField(
                help_text="Whether the wording without its country still tells which it is.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="scenario", name="unique_reason", field=models.TextField(blank=True)
        ),
    ]
