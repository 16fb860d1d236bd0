"""What somebody said of the study itself, once they had finished: no answer of theirs."""

from django.db import models


class Remark(models.Model):
    """Their answer to "How was it?": voluntary, worth nothing, and in no result and no export."""

    LONGEST = 2000

    participation = models.OneToOneField(
        "annotation.Participation", on_delete=models.CASCADE, related_name="remark"
    )
    text = models.TextField(max_length=LONGEST)
    said_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-said_at", "-id"]

    def __str__(self):
        return f"{self.participation}: a remark"
