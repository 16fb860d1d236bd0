"""API tokens: made and shown once, found by their digest, revoked."""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import timedelta

from django.db import models
from django.utils import timezone

from accounts.models import ApiToken, User

MARK = "concord_"
"""Tokens begin with it, so that scanners of leaked secrets can tell them."""

_SHAPE = re.compile(rf"{MARK}[A-Za-z0-9_-]{{43}}")
_SHOWN = len(MARK) + 6
_NOTED_EVERY = timedelta(minutes=1)


class TokenNameTaken(Exception):
    """The person has a token of that name in use. The text is for people."""


def make_token(*, user: User, name: str) -> tuple[ApiToken, str]:
    """A new token and its text of 256 random bits, which is kept nowhere.

    Raises TokenNameTaken: a page that is sent twice makes one token.
    """
    if user.api_tokens.in_use().filter(name=name).exists():
        raise TokenNameTaken(
            f"You have a token “{name}”. Revoke it, or give this one another name."
        )
    text = MARK + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user, name=name, prefix=text[:_SHOWN], digest=_digest(text)
    )
    return token, text


def find_token(text: str) -> ApiToken | None:
    """The token in use with this text, of somebody who may still sign in; noted as used."""
    if not _SHAPE.fullmatch(text):
        return None
    tokens = ApiToken.objects.in_use().filter(digest=_digest(text), user__is_active=True)
    token = tokens.select_related("user").first()
    if token is not None:
        _note_use(token)
    return token


def revoke_token(token: ApiToken) -> None:
    """It opens nothing from now on; its row stays for the record."""
    ApiToken.objects.in_use().filter(pk=token.pk).update(revoked_at=timezone.now())


def _note_use(token: ApiToken) -> None:
    """At most once a minute: reading must not become writing."""
    now = timezone.now()
    stale = models.Q(last_used_at=None) | models.Q(last_used_at__lt=now - _NOTED_EVERY)
    if token.last_used_at is None or token.last_used_at < now - _NOTED_EVERY:
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
