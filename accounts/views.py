"""The page where a researcher makes, sees and revokes API tokens."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.tokens import TokenNameTaken, make_token, revoke_token


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=80,
        help_text="What it is for, so that you know later which one to revoke.",
        error_messages={"required": "Give the token a name."},
    )


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """The list; a post makes a token and shows it, this once."""
    _staff_only(request)
    form, text, status = TokenForm(request.POST or None), "", 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                _, text = make_token(user=request.user, name=form.cleaned_data["name"])
            except TokenNameTaken as taken:
                form.add_error("name", str(taken))
            else:
                form, status = TokenForm(), 201
    context = {"form": form, "text": text, "tokens": request.user.api_tokens.all()}
    return render(request, "accounts/tokens.html", context, status=status)


@login_required
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    _staff_only(request)
    token = get_object_or_404(request.user.api_tokens, pk=pk)
    revoke_token(token)
    messages.success(request, f"“{token}” is revoked: it opens nothing any more.")
    return redirect("accounts:tokens")


def _staff_only(request: HttpRequest) -> None:
    if not request.user.is_staff:
        raise PermissionDenied
