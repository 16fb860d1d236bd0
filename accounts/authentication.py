"""How a program signs in: ``Authorization: Bearer <token>``."""

from __future__ import annotations

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.models import ApiToken, User
from accounts.tokens import find_token

UNKNOWN = "This token is unknown or was revoked. Make a new one under API tokens."


class TokenAuthentication(BaseAuthentication):
    """Other schemes are left to whoever knows them; a wrong token is never taken for nobody."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _, text = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        token = find_token(text.strip().decode("latin-1"))
        if token is None:
            raise AuthenticationFailed(UNKNOWN)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Concord"'
