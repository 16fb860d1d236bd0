"""The admin's pages of imports, as a browser and a worker use them together."""

from __future__ import annotations

from django.core.files.uploadedfile import SimpleUploadedFile

from studies.importing import work
from studies.models import ImportUpload
from tests.importing.conftest import png, zipped

PICTURES = {"a.png": png("red"), "b.png": png("green")}
RIGHT = "item_id,file,country,mood\na,a.png,NP,calm\nb,b.png,Namibia,\n"
WRONG = "item_id,file,country,mood\na,a.png,Nepaal,calm\nb,bb.png,Namibia,\n"


def send(client, study, table=RIGHT, pictures=PICTURES, address="import/", **more):
    """Post the form; the answer."""
    data = {}
    if table is not None:
        data["table"] = SimpleUploadedFile("items.csv", table.encode(), "text/csv")
    if pictures is not None:
        data["files"] = [SimpleUploadedFile("p.zip", zipped(pictures), "application/zip")]
    return client.post(f"/admin/studies/study/{study.pk}/{address}", data | more)


def let_the_worker_work() -> None:
    for pk in ImportUpload.objects.filter(heartbeat_at=None).values_list("pk", flat=True):
        work.run_import(pk)


def upload(client, study, *args, **more):
    """Post the form and let a worker check; the page that then stands there."""
    answer = send(client, study, *args, **more)
    let_the_worker_work()
    return client.get(answer["Location"]) if answer.status_code == 302 else answer


def confirm(client, study, row, **options):
    answer = client.post(f"/admin/studies/study/{study.pk}/import/{row.pk}/confirm/", **options)
    let_the_worker_work()
    return answer


def page(response) -> str:
    return " ".join(response.content.decode().split())


def address_of(study, row) -> str:
    return f"/admin/studies/study/{study.pk}/import/{row.pk}/"
