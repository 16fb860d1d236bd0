"""The foot of the workshop's pages: which Concord it is, and the way to help."""

import pytest
from django.conf import settings

pytestmark = pytest.mark.django_db


def test_the_workshop_names_its_version_and_leads_to_help(client, researcher):
    client.force_login(researcher)
    page = client.get("/admin/studies/study/").content.decode()
    foot = page.partition('<footer id="footer">')[2].partition("</footer>")[0]
    assert f"Concord {settings.VERSION}" in foot
    assert 'href="/help/"' in foot


def test_a_stranger_at_the_sign_in_is_told_no_version(client):
    page = client.get("/admin/login/").content.decode()
    assert settings.VERSION not in page.partition('<footer id="footer">')[2]
