"""Annotators are met in their browser's language; researchers' pages are in English."""

import pytest

pytestmark = pytest.mark.django_db
PERSIAN = {"accept-language": "fa,en;q=0.5"}


def test_a_broken_link_is_explained_in_the_language_of_the_browser(client):
    page = client.get("/a/nothing-here/", headers=PERSIAN).content.decode()
    assert '<html lang="fa" dir="rtl"' in page


@pytest.mark.parametrize("address", ["/admin/login/", "/"])
def test_researchers_pages_are_in_english_whatever_the_browser_reads(client, address):
    page = client.get(address, headers=PERSIAN, follow=True).content.decode()
    assert 'lang="en' in page
    assert 'dir="ltr"' in page


def test_one_request_leaves_its_language_to_no_other(client):
    client.get("/a/nothing-here/", headers=PERSIAN)
    page = client.get("/admin/login/", headers=PERSIAN).content.decode()
    assert 'lang="en' in page
