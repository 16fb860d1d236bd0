"""Reference pictures of cultural elements: what a clip or picture was asked to show, as it is."""

from django.db import models

from studies.models.item import new_public_id


def element_path(picture: "ElementPicture", filename: str) -> str:
    """Under its opaque id, never under the name it came with."""
    suffix = filename.rsplit(".", 1)[-1].lower()
    return f"elements/{picture.public_id[:2]}/{picture.public_id}.{suffix}"


class ElementPicture(models.Model):
    """One picture, shown beside every item of the study that names it."""

    study = models.ForeignKey(
        "studies.Study", on_delete=models.CASCADE, related_name="element_pictures"
    )
    name = models.CharField(max_length=300, help_text="As the items name it.")
    public_id = models.CharField(max_length=24, unique=True, default=new_public_id, editable=False)
    media = models.FileField(upload_to=element_path, max_length=200)
    content_type = models.CharField(max_length=40, editable=False)
    sha256 = models.CharField(max_length=64, editable=False)
    width = models.PositiveIntegerField(editable=False)
    height = models.PositiveIntegerField(editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="one_element_picture_a_name")
        ]

    def __str__(self):
        return self.name

    @property
    def media_url(self) -> str:
        """Opaque, and new for new content, so that browsers may keep it for good."""
        return f"/media/element/{self.public_id}?{self.sha256[:8]}"
