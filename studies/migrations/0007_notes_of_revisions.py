from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("studies", "0006_translations"),
    ]

    operations = [
        migrations.AddField(
            model_name="designrevision",
            name="note",
            field=models.TextField(blank=True, help_text="Why it was made."),
        ),
    ]
