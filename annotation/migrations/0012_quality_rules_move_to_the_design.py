from django.db import migrations


class Migration(migrations.Migration):
    """The table becomes that of ``studies.QualityRule``; its rows stay."""

    dependencies = [
        ("annotation", "0011_quality_rules_flags_and_exclusions"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.AlterModelTable(name="qualityrule", table="studies_qualityrule"),
            ],
            state_operations=[
                migrations.DeleteModel(name="QualityRule"),
            ],
        ),
    ]
