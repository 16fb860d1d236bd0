from django.db import migrations, models
from django.db.models.functions import Cast, Length

import scoring.size_field


def written(column):
    return Length(Cast(column, models.TextField()))


def measure(apps, schema_editor):
    """Of the rows that are there, as the database writes them."""
    for name, size in (
        ("CachedScore", written("rows")),
        ("StoredVector", Length("vector")),
        ("ChatExchange", written("messages") + written("choices")),
    ):
        rows = apps.get_model("scoring", name).objects.using(schema_editor.connection.alias)
        rows.update(size=size)


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0013_shares_of_chunks_and_models_of_stores"),
    ]

    operations = [
        migrations.AddField(
            model_name="cachedscore",
            name="size",
            field=scoring.size_field.SizeField(default=0, editable=False, of=("rows",)),
        ),
        migrations.AddField(
            model_name="storedvector",
            name="size",
            field=scoring.size_field.SizeField(default=0, editable=False, of=("vector",)),
        ),
        migrations.AddField(
            model_name="chatexchange",
            name="size",
            field=scoring.size_field.SizeField(
                default=0, editable=False, of=("messages", "choices")
            ),
        ),
        migrations.RunPython(measure, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="cachedscore",
            index=models.Index(
                fields=["metric", "model", "created_at", "size"], name="stored_scores"
            ),
        ),
        migrations.AddIndex(
            model_name="storedvector",
            index=models.Index(fields=["model", "created_at", "size"], name="stored_vectors"),
        ),
        migrations.AddIndex(
            model_name="chatexchange",
            index=models.Index(fields=["model", "created_at", "size"], name="stored_exchanges"),
        ),
    ]
