from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0012_scoring_steps"),
    ]

    operations = [
        migrations.AddField(
            model_name="runchunk",
            name="share",
            field=models.FloatField(
                default=0, help_text="Of its work that is done, 0 to 1, for pages."
            ),
        ),
        migrations.AddField(
            model_name="cachedscore",
            name="metric",
            field=models.CharField(blank=True, max_length=60),
        ),
        migrations.AddField(
            model_name="cachedscore",
            name="model",
            field=models.CharField(blank=True, help_text="As the run names it.", max_length=200),
        ),
        migrations.AddField(
            model_name="storedvector",
            name="model",
            field=models.CharField(blank=True, max_length=200),
        ),
    ]
