"""Help: every document is there, its links lead somewhere, its pictures are shown."""

import re

import pytest
from django.conf import settings

from accounts.models import User
from guide.contents import CHAPTERS, chapters, document, picture

DOCS = settings.BASE_DIR / "docs"
NAMES = sorted(path.stem for path in DOCS.glob("*.md"))


@pytest.fixture
def signed_in(client, researcher):
    client.force_login(researcher)
    return client


def test_every_named_document_exists_once_and_every_document_is_listed():
    named = [entry.name for _, entries in CHAPTERS for entry in entries]
    assert sorted(set(named)) == sorted(named)
    assert set(named) <= set(NAMES)
    assert sorted(entry.name for _, entries in chapters() for entry in entries) == NAMES


def test_no_name_leads_out_of_the_folder():
    for name in ("../README", "..", "img/x", "/etc/passwd", ""):
        assert document(name) is None
        assert picture(f"{name}.png") is None
    assert picture("../../static/img/mark.svg") is None


@pytest.mark.django_db
class TestPages:
    def test_the_list_names_documents_by_their_titles(self, signed_in):
        page = signed_in.get("/help/").content.decode()
        for head, entries in chapters():
            assert f">{head}</h2>" in page
            for entry in entries:
                assert f'href="/help/{entry.name}/"' in page

    @pytest.mark.parametrize("name", NAMES)
    def test_every_link_and_picture_of_a_document_leads_somewhere(self, signed_in, name):
        response = signed_in.get(f"/help/{name}/")
        assert response.status_code == 200
        article = re.search(r"<article.*</article>", response.content.decode(), re.DOTALL)[0]
        assert "style=" not in article
        written = re.findall(r"\]\(([^)\s]+)\)", (DOCS / f"{name}.md").read_text())
        outside = [address for address in written if address.startswith("https://")]
        links = re.findall(r'<a href="([^"]+)"', article)
        pictures = re.findall(r'<img src="([^"]*)"', article)
        inside = [address for address in links if not address.startswith("https://")]
        assert len(inside) + len(pictures) == len(written) - len(outside), "a link was dropped"
        for address in inside:
            where, _, anchor = address.partition("#")
            target = article if not where else signed_in.get(where).content.decode()
            assert not anchor or f'id="{anchor}"' in target, address
        for address in pictures:
            shown = signed_in.get(address)
            assert shown["Content-Type"] == "image/png", address
            assert b"".join(shown.streaming_content).startswith(b"\x89PNG")

    def test_the_parts_of_a_document_are_listed(self, signed_in):
        page = signed_in.get("/help/runs/").content.decode()
        assert 'href="#starting-one"' in page
        assert '<h2 id="starting-one">Starting one</h2>' in page

    @pytest.mark.parametrize("address", ["/help/none/", "/help/img/none.png", "/help/img/../x.png"])
    def test_what_is_not_there_is_not_found(self, signed_in, address):
        assert signed_in.get(address).status_code == 404

    @pytest.mark.parametrize("address", ["/help/", "/help/runs/", "/help/img/report.png"])
    def test_strangers_sign_in_and_annotators_are_refused(self, client, address):
        assert client.get(address)["Location"].startswith("/admin/login/")
        client.force_login(User.objects.create_user("nadia"))
        assert client.get(address).status_code == 403

    def test_both_rooms_lead_here(self, signed_in, live_study):
        for address in ("/", f"/admin/studies/study/{live_study.pk}/change/", "/help/runs/"):
            page = signed_in.get(address).content.decode()
            assert 'href="/help/"' in page, address
            assert 'href="/metrics/"' in page, address
        assert 'href="/help/" aria-current="page"' in signed_in.get("/help/").content.decode()
