"""The pages of a study: a row of tabs, and a menu that works without scripts."""

import re

import pytest

from studies.study_tabs import TABS

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(client, live_study):
    client.force_login(live_study.owner)
    return client


@pytest.mark.parametrize("tab", TABS, ids=lambda tab: tab.key)
def test_the_menu_leads_where_the_tab_leads(signed_in, live_study, tab):
    page = signed_in.get("/studies/weddings/quality/").content.decode()
    row = re.search(r'<nav class="tabs".*?</nav>', page, re.DOTALL)[0]
    assert f'<a href="{tab.address(live_study)}"' in row
    assert f'<option value="{tab.key}"' in page
    led = signed_in.get("/studies/weddings/go/", {"to": tab.key})
    assert led["Location"] == tab.address(live_study)
    assert signed_in.get(led["Location"]).status_code in {200, 302}


def test_the_current_page_is_chosen_in_both(signed_in, live_study):
    for address, key, label in (
        ("/studies/weddings/quality/", "quality", "Quality"),
        (f"/admin/studies/study/{live_study.pk}/change/", "design", "Design"),
    ):
        page = signed_in.get(address).content.decode()
        assert page.count('aria-current="page">') == 1
        assert f'aria-current="page">{label}</a>' in page
        menu = re.search(r'<form class="tabs-menu".*?</form>', page, re.DOTALL)[0]
        assert re.findall(r'<option value="(\w+)" selected>', menu) == [key]


def test_a_page_that_does_not_exist_and_somebody_elses_study_are_not_found(signed_in, colleague):
    assert signed_in.get("/studies/weddings/go/", {"to": "nowhere"}).status_code == 404
    assert signed_in.get("/studies/weddings/go/").status_code == 404
    signed_in.force_login(colleague)
    assert signed_in.get("/studies/weddings/go/", {"to": "quality"}).status_code == 404
