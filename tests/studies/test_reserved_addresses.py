"""Short addresses that pages of the site stand on belong to no study; unfinished ones to nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.urls import URLResolver, get_resolver, reverse

from studies.models import Study
from studies.models.study import RESERVED_SLUGS
from studies.presets.creating import free_slug

WORD = re.compile(r"studies/([\w-]+)/")


def routes(resolver: URLResolver, before: str = "") -> Iterator[str]:
    """Every address of the site as it is written, from its root."""
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern, route)
        else:
            yield route


def test_every_word_that_stands_where_a_study_does_is_reserved():
    fixed = {found[1] for route in routes(get_resolver()) if (found := WORD.match(route))}
    assert fixed == RESERVED_SLUGS


def test_no_study_is_given_a_reserved_address(db):
    assert free_slug("Import") == "import-2"


@pytest.fixture
def unfinished(researcher) -> Study:
    """A study that an import still writes."""
    return Study.objects.create(
        owner=researcher, title="Half there", slug="half", public_title="H", state="closed",
        is_whole=False,
    )  # fmt: skip


@pytest.mark.parametrize("page", ["studies:overview", "scoring:report", "annotation:monitor"])
def test_nobody_opens_a_study_that_is_still_being_written(client, unfinished, page):
    client.force_login(unfinished.owner)
    assert client.get(reverse(page, args=["half"])).status_code == 404


def test_no_list_names_a_study_that_is_still_being_written(client, unfinished):
    client.force_login(unfinished.owner)
    for address in ("/", "/find/?q=half", reverse("admin:studies_study_changelist")):
        assert "Half there" not in client.get(address).content.decode(), address
    assert unfinished not in Study.objects.in_use()
