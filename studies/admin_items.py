"""The workshop's pages for a study's items: the list, taking some out, and the prompt book."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db.models import Count, QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from studies.importing import book
from studies.importing.removing import ItemsInUse, remove_items
from studies.importing.wording import counted
from studies.importing.writing import takes_items
from studies.models import CountryGroup, Descriptor, Item, ScenarioPrompt, Study
from studies.refusals import DesignFrozen

ITEMS_A_PAGE = 24
REMOVED_A_PAGE = 200
EXAMPLE = settings.BASE_DIR / "fixtures" / "example_items.csv"


@admin.register(CountryGroup)
class CountryGroupAdmin(admin.ModelAdmin):
    list_display = ["name", "grouping", "study", "listed"]
    list_filter = ["grouping"]
    list_select_related = ["study"]
    search_fields = ["name", "grouping"]
    actions = None

    @admin.display(description="countries")
    def listed(self, group: CountryGroup) -> str:
        return " ".join(group.countries)

    def get_queryset(self, request: HttpRequest):
        groups = super().get_queryset(request)
        if request.user.is_superuser:
            return groups
        return groups.filter(study__owner=request.user) | groups.filter(study=None)

    def formfield_for_foreignkey(self, db_field, request, **kwargs):
        if db_field.name == "study":
            kwargs["queryset"] = Study.objects.visible_to(request.user)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: CountryGroup | None = None) -> bool:
        """Groups for all studies are the site's: only who sees all studies changes them."""
        allowed = super().has_change_permission(request, obj)
        return allowed and (obj is None or obj.study_id is not None or request.user.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: CountryGroup | None = None) -> bool:
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or obj.study_id is not None or request.user.is_superuser)


# ---- the list


@require_safe
def items(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    rows = study.items.select_related("system", "parent")
    page = Paginator(rows, ITEMS_A_PAGE).get_page(request.GET.get("page"))
    for item in page:
        item.was_converted = any(done.startswith("transcoded") for done in item.preparation)
    counts = study.descriptors.order_by().values("kind").annotate(n=Count("pk"))
    by_kind = {row["kind"]: row["n"] for row in counts}
    kinds = [(kind.label.lower(), by_kind[kind]) for kind in Descriptor.Kind if kind in by_kind]
    context |= {
        "title": "Items",
        "page": page,
        "n_items": page.paginator.count,
        "kinds": kinds,
        "takes_items": takes_items(study),
        "n_probes": study.probes.count(),
        "n_gold": study.gold_labels.count(),
        "n_scenarios": study.scenarios.count(),
        "n_prompts": ScenarioPrompt.objects.filter(scenario__study=study).count(),
    }
    return render(request, "admin/studies/items.html", context)


@require_safe
def example(request: HttpRequest, context: dict, study: Study) -> FileResponse:
    return FileResponse(EXAMPLE.open("rb"), as_attachment=True, content_type="text/csv")


# ---- taking some out


def remove(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """Choose items of a draft by hand, or all that a filter finds, and take them out."""
    found = _filtered(study, request.GET)
    page = Paginator(found, REMOVED_A_PAGE).get_page(request.GET.get("page"))
    context |= {
        "title": "Remove items",
        "page": page,
        "n_found": page.paginator.count,
        "q": request.GET.get("q", ""),
        "system": request.GET.get("system", ""),
        "country": request.GET.get("country", ""),
        "systems": list(study.systems.values_list("name", flat=True)),
        "countries": sorted(set(study.items.values_list("country", flat=True)) - {""}),
        "frozen": "" if study.is_draft else "The study was opened: its items stay.",
    }
    template = "admin/studies/import/remove.html"
    if request.method != "POST":
        return render(request, template, context)
    if "all" in request.POST:
        chosen = list(found.values_list("pk", flat=True))
    else:
        chosen = [int(pk) for pk in request.POST.getlist("item") if pk.isdecimal()]
    if not chosen:
        context["refusal"] = "Choose the items that shall go."
        return render(request, template, context, status=422)
    try:
        n = remove_items(study=study, ids=chosen)
    except (ItemsInUse, DesignFrozen) as refusal:
        context["refusal"] = str(refusal)
        return render(request, template, context, status=409)
    messages.success(request, f"{counted(n, 'item')} removed.")
    return redirect("admin:studies_study_items", study.pk)


def _filtered(study: Study, wanted) -> QuerySet[Item]:
    rows = study.items.select_related("system").order_by("external_id")
    if q := wanted.get("q", "").strip():
        rows = rows.filter(external_id__icontains=q)
    if system := wanted.get("system"):
        rows = rows.filter(system__name=system)
    if country := wanted.get("country"):
        rows = rows.filter(country=country)
    return rows


# ---- the prompt book


class PromptsForm(forms.Form):
    systems = forms.CharField(
        label="Models",
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One a line: every prompt goes to each of them.",
        error_messages={"required": "Name at least one model."},
    )
    replicates = forms.IntegerField(
        label="Files a prompt and model",
        min_value=1,
        max_value=100,
        initial=1,
        help_text="How many times each model is asked the same, with another seed each time.",
    )

    def clean_systems(self) -> list[str]:
        names = [line.strip() for line in self.cleaned_data["systems"].splitlines()]
        return list(dict.fromkeys(name for name in names if name))


def prompts(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """The CSV that goes to the generators, with the name that each file shall have."""
    known = "\n".join(book.systems_of(study))
    context |= {
        "title": "Prompts for the generators",
        "form": PromptsForm(initial={"systems": known}),
        "n_prompts": ScenarioPrompt.objects.filter(scenario__study=study).count(),
    }
    template = "admin/studies/import/prompts.html"
    if request.method != "POST":
        return render(request, template, context)
    form = context["form"] = PromptsForm(request.POST)
    if not form.is_valid():
        return render(request, template, context, status=422)
    try:
        text = book.prompt_table(
            study,
            systems=form.cleaned_data["systems"],
            replicates=form.cleaned_data["replicates"],
        )
    except book.EmptyBook as empty:
        form.add_error(None, str(empty))
        return render(request, template, context, status=422)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="prompts.csv"'
    return response
