"""The page of the stores: what is in them by model, and emptying them by model or age.

Stores belong to the whole site, so seeing and emptying them are rights of their own: those to view
and to delete cached scores, stored vectors and chat exchanges.
"""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from scoring.forms_stores import EmptyForm
from scoring.stores import STORES, Store, contents, empty, metric_name

AT_MOST = 20_000  # rows that one press deletes: a page answers within seconds


@require_GET
@login_required
def stores(request: HttpRequest) -> HttpResponse:
    shown = [store for store in STORES.values() if _may(request, store.may_be_seen_with)]
    if not shown:
        raise PermissionDenied
    return render(request, "scoring/stores.html", {"cards": [_card(request, s) for s in shown]})


@require_http_methods(["GET", "POST"])
@login_required
def empty_store(request: HttpRequest, key: str) -> HttpResponse:
    """What would go, and then the deletion."""
    if key not in STORES:
        raise Http404
    store = STORES[key]
    if not _may(request, store.may_be_emptied_with):
        raise PermissionDenied
    form = EmptyForm(request.POST or request.GET, store=store, found=contents(store))
    if not form.is_valid():
        context = {"cards": [_card(request, store) | {"form": form}]}
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return render(request, "scoring/stores.html", context, status=status)
    found = contents(store, form.which)
    n = sum(one.n for one in found)
    if request.method == "POST":
        gone = empty(store, form.which, at_most=AT_MOST)
        left = f" {n - gone:,} are left: press again to go on." if gone < n else ""
        messages.success(request, f"{gone:,} rows of {store.name.lower()} are gone.{left}")
        return redirect("scoring:stores")
    n_bytes = sum(one.n_bytes for one in found)
    context = {"store": store, "form": form, "words": form.words, "n": n, "n_bytes": n_bytes}
    context["at_most"] = AT_MOST
    return render(request, "scoring/stores_empty.html", context)


def _card(request: HttpRequest, store: Store) -> dict[str, object]:
    found = contents(store)
    may_empty = _may(request, store.may_be_emptied_with)
    return {
        "store": store,
        "rows": [{"kept": one, "metric": metric_name(one.metric)} for one in found],
        "by_metric": "metric" in store.named,
        "n": sum(one.n for one in found),
        "n_bytes": sum(one.n_bytes for one in found),
        "form": EmptyForm(store=store, found=found) if may_empty and found else None,
    }


def _may(request: HttpRequest, permission: str) -> bool:
    return bool(request.user.is_staff and request.user.has_perm(permission))
