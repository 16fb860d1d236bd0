"""Studies under way take new items, and keep what was shown; drafts give items back."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from annotation.assignment import claim_next_unit, ensure_places
from annotation.models import Participation, Place
from studies.importing.removing import ItemsInUse, remove_items
from studies.models import Item, Panel, Study, System, Unit
from studies.refusals import DesignFrozen
from tests.annotation.people import somebody
from tests.importing.conftest import png

pytestmark = pytest.mark.django_db


@pytest.fixture
def add(tmp_path):
    """Imports a table into a study, with a picture for each name."""

    def add(study: Study, table: str, names: str = "", size: int = 50) -> str:
        folder = tmp_path / "more"
        folder.mkdir(exist_ok=True)
        for n, name in enumerate(names):
            (folder / f"{name}.png").write_bytes(png(size=(size, 30 + n)))
        (tmp_path / "items.csv").write_text(table)
        out, err = io.StringIO(), io.StringIO()
        try:
            call_command(
                "import_items",
                study.slug,
                tmp_path / "items.csv",
                media=folder,
                stdout=out,
                stderr=err,
            )
        except CommandError as error:
            raise CommandError(f"{err.getvalue()}\n{error}") from error
        return out.getvalue() + err.getvalue()

    return add


@pytest.fixture
def person(live_study) -> Participation:
    """Somebody who is rating."""
    panel = live_study.panels.get()
    ensure_places(panel=panel)
    return Participation.objects.create(
        study=live_study,
        panel=panel,
        revision=1,
        state=Participation.State.RATING,
        n_units=6,
        code="NP-01",
    )


def test_a_live_study_gets_units_and_places_for_new_items(add, live_study, person):
    before = Place.objects.count()
    assert "2 new" in add(live_study, "item_id,file,country\nx,x.png,NP\ny,y.png,NP\n", "xy")
    assert live_study.units.count() == 8
    assert Place.objects.count() == before + 2 * 3
    assert set(Place.objects.filter(unit__key="x").values_list("number", flat=True)) == {1, 2, 3}


def test_places_are_opened_once(add, live_study, person):
    for _ in range(2):
        add(live_study, "item_id,file,country\nx,x.png,NP\n", "x")
    assert Place.objects.filter(unit__key="x").count() == 3


def test_items_of_a_country_without_a_panel_are_named(add, live_study):
    printed = add(live_study, "item_id,file,country\nx,x.png,JP\n", "x")
    assert "No panel rates items of JP yet." in printed


def test_other_media_under_answers_are_refused(add, live_study, person):
    assignment = claim_next_unit(participation=person)
    item = assignment.unit.items.get()
    row = f'{item.external_id},x.png,NP,"{item.prompt}",{item.category}'
    with pytest.raises(CommandError, match="The item has answers, and this is another file"):
        add(live_study, f"item_id,file,country,prompt,category\n{row}\n", "x")
    item.refresh_from_db()
    assert item.source_name == f"{item.external_id}.png"


def test_other_media_of_an_item_nobody_saw_are_taken(add, live_study, person):
    claim_next_unit(participation=person)
    unseen = Item.objects.filter(memberships__unit__assignments=None).first()
    assert "1 changed" in add(
        live_study,
        f"item_id,file,country\n{unseen.external_id},x.png,NP\n",
        "x",
    )


def test_an_item_that_is_with_a_panel_keeps_its_country(add, live_study, person):
    item = live_study.items.first()
    with pytest.raises(CommandError, match="The item is with a panel already"):
        add(live_study, f"item_id,file,country\n{item.external_id},{item.source_name},IR\n")


def test_sets_of_a_live_study_grow_by_complete_ones_alone(add, live_study):
    Study.objects.update(items_per_unit=2)
    System.objects.filter(study=live_study).delete()
    table = (
        "item_id,file,country,scenario,system\n"
        "x1,x.png,NP,tea,A\nx2,y.png,NP,tea,B\nz1,z.png,NP,feast,A\n"
    )
    before = set(live_study.units.values_list("pk", flat=True))
    add(live_study, table, "xyz")
    (new,) = live_study.units.exclude(pk__in=before)
    assert set(new.items.values_list("external_id", flat=True)) == {"x1", "x2"}
    assert before <= set(live_study.units.values_list("pk", flat=True))


def test_units_of_a_study_that_every_panel_rates_have_no_country(add, study):
    Study.objects.update(every_panel_rates_all=True)
    add(study, "item_id,file,country\nx,x.png,NP\n", "x")
    assert Unit.objects.get().country == ""


# ---- removing


def test_items_of_a_draft_are_removed_with_units_and_files(
    add, study, django_capture_on_commit_callbacks
):
    add(study, "item_id,file,system\nx,x.png,A\ny,y.png,B\n", "xy")
    item = study.items.get(external_id="x")
    with django_capture_on_commit_callbacks(execute=True):
        assert remove_items(study=study, ids=[item.pk]) == 1
    assert list(study.items.values_list("external_id", flat=True)) == ["y"]
    assert list(study.units.values_list("key", flat=True)) == ["y"]
    assert list(study.systems.values_list("name", flat=True)) == ["B"]
    assert not item.media.storage.exists(item.media.name)


def test_an_original_is_not_removed_from_under_its_edit(add, study):
    add(study, "item_id,file,parent\nx,x.png,\ny,y.png,x\n", "xy")
    original = study.items.get(external_id="x")
    with pytest.raises(ItemsInUse, match="y of x. Remove both."):
        remove_items(study=study, ids=[original.pk])
    assert remove_items(study=study, ids=list(study.items.values_list("pk", flat=True))) == 2


def test_items_of_an_opened_study_stay(live_study):
    with pytest.raises(DesignFrozen):
        remove_items(study=live_study, ids=[live_study.items.first().pk])


def test_the_page_removes_the_ticked_items_or_all_that_are_found(add, study, client, researcher):
    client.force_login(researcher)
    add(study, "item_id,file,country\nx,x.png,NP\ny,y.png,NP\nz,z.png,IR\n", "xyz")
    address = f"/admin/studies/study/{study.pk}/items/remove/"
    assert "3 items" in client.get(address).content.decode()
    none = client.post(address)
    assert none.status_code == 422
    assert "Choose the items that shall go." in none.content.decode()
    client.post(address, {"item": [study.items.get(external_id="x").pk]})
    assert study.items.count() == 2
    client.post(f"{address}?country=IR", {"all": "1"})
    assert list(study.items.values_list("external_id", flat=True)) == ["y"]


def test_a_panel_that_nobody_entered_makes_its_places_with_the_first_arrival(add, live_study):
    add(live_study, "item_id,file,country\nx,x.png,NP\n", "x")
    assert not Place.objects.exists()
    ensure_places(panel=Panel.objects.get())
    assert Place.objects.filter(unit__key="x").count() == 3


LIST = "kind,activity,country,dimension,token\nreference,{activity},NP,objects,{token}\n"


def list_more(study: Study, folder, activity: str = "Wedding", token: str = "oil lamp") -> str:
    (folder / "list.csv").write_text(LIST.format(activity=activity, token=token))
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("import_descriptors", study.slug, folder / "list.csv", stdout=out, stderr=err)
    except CommandError as error:
        raise CommandError(f"{err.getvalue()}\n{error}") from error
    return out.getvalue()


def test_a_list_that_people_judge_grows_no_more(live_kinds, tmp_path):
    assert "1 new" in list_more(live_kinds, tmp_path)  # nobody has seen it yet
    claim_next_unit(participation=somebody(live_kinds))
    with pytest.raises(CommandError, match="People have judged the list of wedding, NP"):
        list_more(live_kinds, tmp_path, activity="wedding", token="copper jar")
    assert "0 new, 1 already there" in list_more(live_kinds, tmp_path)
    assert "1 new" in list_more(live_kinds, tmp_path, activity="greeting")


def test_a_list_that_only_a_pilot_saw_can_grow(live_kinds, tmp_path):
    person = somebody(live_kinds)
    claim_next_unit(participation=person)
    Participation.objects.update(pilot=True)
    assert "1 new" in list_more(live_kinds, tmp_path)
