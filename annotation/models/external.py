"""Where the ratings of a study came from, if another tool gathered them."""

from django.conf import settings
from django.db import models


class ExternalSource(models.Model):
    """One import of ratings: its files, and the columns as they were read, to be used again."""

    study = models.OneToOneField(
        "studies.Study", on_delete=models.CASCADE, related_name="external_source"
    )
    files = models.JSONField(help_text="Name, SHA-256 and ratings of each file.")
    columns = models.JSONField(help_text="Which columns said what.")
    scales = models.JSONField(help_text="Each question's points as they were declared.")
    n_ratings = models.PositiveIntegerField()
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    imported_at = models.DateTimeField(auto_now_add=True)

    def __str__(self):
        return f"ratings of {self.study} from elsewhere"
