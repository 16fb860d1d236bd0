"""Sets of items in three steps: one open after the other, on one screen, without scripts too."""

import re

import pytest
from django.test import Client

from annotation.assignment import claim_next_unit
from annotation.models import Assignment, Participation, Rating
from studies.models import Study, UnitProbe
from tests.annotation.people import somebody

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def person(live_triplets) -> Participation:
    return somebody(live_triplets)


@pytest.fixture
def screen(person) -> Assignment:
    return claim_next_unit(participation=person)


def address(assignment: Assignment, step: str = "") -> str:
    return f"/a/{assignment.participation.token}/{assignment.n}/{step}"


def questions(assignment: Assignment) -> dict[str, int]:
    study = assignment.participation.study
    return dict(study.questions.values_list("key", "id"))


def probes(assignment: Assignment) -> list[int]:
    given = UnitProbe.objects.filter(unit=assignment.unit_id).order_by("position")
    return list(given.values_list("probe_id", flat=True))


def public_ids(assignment: Assignment) -> list[str]:
    """In the order shown."""
    by_id = dict(assignment.unit.items.values_list("id", "public_id"))
    return [by_id[pk] for pk in assignment.item_order]


def first(assignment: Assignment, answer: str = "1") -> dict:
    id = questions(assignment)["useful"]
    data = {f"q_{id}_p{probe}": answer for probe in probes(assignment)}
    return {"key": assignment.key} | data


def second(assignment: Assignment, *marks: str) -> dict:
    id = questions(assignment)["seen"]
    return {f"q_{id}_p{probe}": list(marks or ("none",)) for probe in probes(assignment)}


def third(assignment: Assignment, places: str = "123") -> dict:
    id = questions(assignment)["order"]
    shown = public_ids(assignment)
    return {f"q_{id}_i{item}": place for item, place in zip(shown, places, strict=True)}


def whole(assignment: Assignment) -> dict:
    return first(assignment) | second(assignment) | third(assignment)


def reach(client: Client, assignment: Assignment, tier: int) -> None:
    if tier > 1:
        client.post(address(assignment), first(assignment) | {"step": "1"})
    if tier > 2:
        client.post(address(assignment), first(assignment) | second(assignment) | {"step": "2"})


def states(page: str) -> list[str]:
    return re.findall(r'class="step" data-tier="\d" data-step="\d" data-state="(\w+)"', page)


def test_the_first_step_alone_is_open_at_first(client, screen):
    page = client.get(address(screen)).content.decode()
    assert states(page) == ["now", "later", "later"]
    assert "Set 1 of 3" in page
    assert "Opens when step 2 is complete." in page
    assert page.count('data-card="yes_no"') == 3
    assert 'data-card="multi"' not in page
    assert "Is this of use: Can the Identity be seen?" in page


def test_a_step_that_is_complete_opens_the_next_on_the_same_screen(client, screen):
    response = client.post(address(screen), first(screen) | {"step": "1"}, **HTMX)
    page = response.content.decode()
    assert response.status_code == 200
    assert page.lstrip().startswith('<main id="unit"')
    assert states(page) == ["done", "now", "later"]
    assert "Go to step 3" in page
    assert "HX-Push-Url" not in response
    assert not Rating.objects.exists()


def test_a_step_with_gaps_stays_and_names_them(client, screen):
    data = first(screen)
    gap = list(data)[-1]
    del data[gap]
    response = client.post(address(screen), data | {"step": "1"}, **HTMX)
    page = response.content.decode()
    assert response.status_code == 422
    assert states(page) == ["now", "later", "later"]
    assert "1 answer is missing" in page
    assert f'href="#{gap}"' in page


def test_a_finished_step_says_what_was_answered_and_can_be_changed(client, screen):
    reach(client, screen, 2)
    page = client.get(address(screen)).content.decode()
    assert re.search(r"<summary>.*Step 1.*Done.*1: <bdi>Yes</bdi>.*Change", page, re.DOTALL)
    changed = first(screen, "0") | second(screen) | {"step": "2"}
    page = client.post(address(screen), changed, **HTMX).content.decode()
    assert states(page) == ["done", "done", "now"]
    assert "1: <bdi>No</bdi>" in page
    assert "4: <bdi>None of these</bdi>" in page


def test_the_last_step_sends(client, screen):
    reach(client, screen, 3)
    page = client.get(address(screen)).content.decode()
    assert "Send and go on" in page
    response = client.post(address(screen), whole(screen), **HTMX)
    assert response["HX-Push-Url"] == address(screen).replace("/1/", "/2/")
    screen.refresh_from_db()
    assert (screen.counted, screen.draft) == (True, {})
    kept = Rating.objects.filter(assignment=screen)
    assert {kind: kept.filter(question__kind=kind).count() for kind in ("yes_no", "multi")} == {
        "yes_no": 3,
        "multi": 9,
    }
    places = kept.filter(question__kind="ranking").order_by("value")
    assert list(places.values_list("item", flat=True)) == screen.item_order


def test_answers_are_about_ids_and_never_about_letters(client, screen):
    reach(client, screen, 3)
    marks = second(screen, public_ids(screen)[2])
    client.post(address(screen), first(screen) | marks | third(screen, "312"))
    probe = probes(screen)[0]
    seen = Rating.objects.filter(question__kind="multi", probe=probe).order_by("value")
    assert seen.last().item_id == screen.item_order[2]
    assert seen.last().subject == f"p{probe}i{screen.item_order[2]}"
    useful = Rating.objects.filter(question__kind="yes_no", probe=probe).get()
    assert (useful.item, useful.subject) == (None, f"p{probe}")
    best = Rating.objects.get(question__kind="ranking", value=1)
    assert (best.item_id, best.subject) == (screen.item_order[1], f"i{screen.item_order[1]}")


def test_everyone_answers_every_step_also_after_calling_a_probe_of_no_use(client, screen):
    client.post(address(screen), first(screen, "0") | {"step": "1"})
    page = client.get(address(screen)).content.decode()
    assert page.count('data-card="multi"') == 3


def test_a_whole_form_that_jumps_over_steps_opens_them_one_by_one(client, screen):
    for state in (["done", "now", "later"], ["done", "done", "now"]):
        page = client.post(address(screen), whole(screen), **HTMX).content.decode()
        assert states(page) == state
        assert not Rating.objects.exists()
    assert "HX-Push-Url" in client.post(address(screen), whole(screen), **HTMX)


def test_a_step_that_is_not_open_cannot_be_named(client, screen):
    page = client.post(address(screen), whole(screen) | {"step": "3"}, **HTMX).content.decode()
    assert states(page) == ["done", "now", "later"]


@pytest.mark.parametrize("stray", ["0", "9", "-1", "x", "1" * 5000, "\x00"])
def test_a_stray_step_is_the_one_that_is_open(client, screen, stray):
    page = client.post(address(screen), first(screen) | {"step": stray}, **HTMX).content.decode()
    assert states(page) == ["done", "now", "later"]


def test_a_step_sent_twice_changes_nothing(client, screen):
    data = first(screen) | {"step": "1"}
    pages = [client.post(address(screen), data, **HTMX).content.decode() for _ in range(2)]
    assert states(pages[1]) == ["done", "now", "later"]


def test_a_late_draft_of_the_step_before_does_not_close_the_open_one(client, screen):
    draft = first(screen) | {"counter": "1"}
    assert client.post(address(screen, "draft/"), draft).status_code == 204
    reach(client, screen, 2)
    client.post(address(screen, "draft/"), draft)
    client.post(address(screen, "draft/"), draft | {"counter": "99", "step": "1"})
    assert states(client.get(address(screen)).content.decode()) == ["done", "now", "later"]


def test_a_reload_gives_back_the_open_step_the_order_and_the_answers(client, screen):
    reach(client, screen, 2)
    mark = public_ids(screen)[1]
    draft = first(screen) | second(screen, mark, "none") | {"counter": "50"}
    client.post(address(screen, "draft/"), draft)
    page = client.get(address(screen)).content.decode()
    assert states(page) == ["done", "now", "later"]
    assert page.count(f'value="{mark}" checked') == 3
    assert page.count('value="none" checked') == 3
    shown = re.findall(r'data-medium="([^"]+)"', page)
    assert shown == public_ids(screen)


def test_letters_follow_the_order_shown(client, screen):
    reach(client, screen, 3)
    page = client.get(address(screen)).content.decode()
    tiles = re.findall(r'data-tile="([^"]+)" data-letter="(\w)"', page)
    assert tiles == list(zip(public_ids(screen), "ABC", strict=True))
    assert "best match" in page
    assert "weakest match" in page


def test_people_see_the_items_in_orders_of_their_own(live_triplets):
    live_triplets.panels.update(ratings_per_unit=9)
    orders = set()
    for _ in range(9):
        person = somebody(live_triplets)
        unit = claim_next_unit(participation=person)
        items = list(unit.unit.items.order_by("id").values_list("id", flat=True))
        orders.add(tuple(items.index(pk) for pk in unit.item_order))
        assert sorted(unit.item_order) == items
    assert len(orders) > 1


def test_items_keep_their_order_where_the_study_does_not_shuffle(triplet_study, researcher, client):
    from studies.lifecycle import launch_study

    Study.objects.filter(pk=triplet_study.pk).update(shuffle_items=False)
    launch_study(study=triplet_study, by=researcher, note="As published.")
    person = somebody(Study.objects.get(pk=triplet_study.pk))
    unit = claim_next_unit(participation=person)
    page = client.get(f"/a/{person.token}/1/").content.decode()
    assert unit.item_order == []
    as_imported = unit.unit.members.order_by("position").values_list("item__public_id", flat=True)
    assert re.findall(r'data-medium="([^"]+)"', page) == list(as_imported)


def test_two_on_one_place_come_back_in_words(client, screen):
    reach(client, screen, 3)
    data = whole(screen) | third(screen, "122")
    response = client.post(address(screen), data, **HTMX)
    assert response.status_code == 422
    assert "Two pictures share place 2." in response.content.decode()


def test_an_error_in_a_finished_step_unfolds_it(client, screen):
    reach(client, screen, 3)
    data = whole(screen)
    del data[next(name for name in first(screen) if name != "key")]
    page = client.post(address(screen), data, **HTMX).content.decode()
    assert re.search(r'data-step="1" data-state="done" open', page)


def test_a_form_of_another_screen_opens_no_step(client, screen):
    data = first(screen) | {"step": "1", "key": "somebody-elses"}
    assert client.post(address(screen), data, **HTMX)["HX-Redirect"] == address(screen)
    screen.refresh_from_db()
    assert screen.draft == {}


def test_the_whole_session_works_as_plain_forms(client, live_triplets):
    person = somebody(live_triplets)
    url = f"/a/{person.token}/1/"
    client.get(url)
    for n in (1, 2, 3):
        screen = claim_next_unit(participation=person)
        assert screen.n == n
        steps = [
            first(screen) | {"step": "1"},
            first(screen) | second(screen) | {"step": "2"},
            whole(screen),
        ]
        for data in steps:
            url = client.post(address(screen), data, follow=True).request["PATH_INFO"]
    assert url.endswith("/end/")
    assert "You rated 3 sets. Thank you." in client.get(url).content.decode()
    assert Rating.objects.count() == 3 * (3 + 9 + 3)


def test_sent_ten_times_it_is_saved_once(client, screen):
    reach(client, screen, 3)
    data = whole(screen)
    answers = {client.post(address(screen), data, **HTMX)["HX-Push-Url"] for _ in range(10)}
    assert len(answers) == 1
    assert Rating.objects.filter(assignment=screen).count() == 15


def test_serving_a_set_with_probes_takes_a_constant_number_of_queries(
    client, live_triplets, django_assert_max_num_queries
):
    live_triplets.panels.update(ratings_per_unit=4)
    for _ in range(3):
        person = somebody(live_triplets)
        screen = claim_next_unit(participation=person)
        reach(client, screen, 3)
        data = whole(screen)
        with django_assert_max_num_queries(24):
            response = client.post(address(screen), data, **HTMX)
        assert response.status_code == 200


def test_an_old_window_with_an_earlier_step_loses_nothing_of_the_later_ones(client, screen):
    reach(client, screen, 2)
    typed = first(screen) | second(screen, public_ids(screen)[1]) | {"counter": "50"}
    assert client.post(address(screen, "draft/"), typed).status_code == 204
    client.post(address(screen), first(screen, "0") | {"step": "1"})
    screen.refresh_from_db()
    marks = second(screen, public_ids(screen)[1])
    assert {name: [screen.draft[name]] for name in marks} == marks
    assert {screen.draft[name] for name in first(screen) if name != "key"} == {"0"}
