"""The workshop's words page: every text beside its translation, and files for translators."""

from collections.abc import Mapping

from django import forms
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, reverse
from django.utils.http import urlencode
from django.utils.translation import get_language_info
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from studies.admin_pages import study_pages
from studies.models import Study
from studies.names import language_name
from studies.refusals import EditRefused
from studies.revisions import revise
from studies.words.exchange import (
    MAX_BYTES,
    UnreadableTranslations,
    read_translations,
    to_csv,
    to_xliff,
)
from studies.words.translating import (
    Entry,
    entries,
    entries_in,
    save_translations,
    wanted_languages,
)

A_PAGE = 40
SHOWN = {
    "all": lambda entry: True,
    "missing": lambda entry: entry.is_missing,
    "stale": lambda entry: entry.is_stale,
}


class FileForm(forms.Form):
    file = forms.FileField(
        label="File from the translator",
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.xlsx,.xlf,.xliff"}),
        error_messages={"required": "Choose a file.", "empty": "This file is empty."},
    )

    def clean_file(self):
        if self.cleaned_data["file"].size > MAX_BYTES:
            raise forms.ValidationError("The file is over 20 MB.")
        return self.cleaned_data["file"]


def words_urls(admin_site: AdminSite) -> list[URLPattern]:
    """The addresses of this module, below those of the study in the admin."""
    pages = [
        ("words/", words, "words"),
        ("words/<str:language>/", words_in, "words_in"),
        ("words/<str:language>/import/", bring_in, "words_import"),
        ("words/<str:language>/texts.<str:ending>", take_out, "words_export"),
    ]
    return study_pages(admin_site, pages, tab="words")


def _page(
    request,
    own: dict,
    name: str,
    context: dict,
    status: int = 200,
    found: Mapping[str, list[Entry]] | None = None,
) -> HttpResponse:
    """``own`` is what every page of the study is given, ``found`` the entries of each language
    that the page offers."""
    languages = [
        {"code": code, "name": language_name(code), "left": sum(e.is_missing for e in rows)}
        for code, rows in (found or {}).items()
    ]
    everything = {**own, "languages": languages, "title": "Words", **context}
    return render(request, f"admin/studies/words/{name}.html", everything, status=status)


@require_safe
def words(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    """The first language of the panels, or what makes this page useful."""
    languages = wanted_languages(study)
    if languages:
        return redirect("admin:studies_study_words_in", study.pk, languages[0])
    return _page(request, context, "none", {"base": language_name(study.base_language)})


def _is_rtl(language: str) -> bool:
    try:
        return get_language_info(language)["bidi"]
    except KeyError:
        return language.split("-")[0] in {"ur", "ps", "he", "sd", "ug", "yi", "dv", "ckb"}


@require_http_methods(["GET", "HEAD", "POST"])
def words_in(request: HttpRequest, context: dict, study: Study, language: str) -> HttpResponse:
    """Texts side by side. What cannot be saved comes back as typed, with its reason."""
    _judge(study, language)
    typed, refused, status = {}, {}, 200
    if request.method == "POST":
        typed = _typed(request)
        changed, refusals = save_translations(
            study=study,
            language=language,
            texts=typed,
            by=request.user,
            confirmed=request.POST.getlist("right"),
        )
        _revise(request, study, changed)
        if not refusals:
            messages.success(request, f"{_counted(changed)} saved.")
            return redirect(_address(request, study, language))
        refused = {refusal.key: refusal.sentence for refusal in refusals}
        status = 422
    return _table(request, context, language, {"typed": typed, "refused": refused}, status)


def _typed(request: HttpRequest) -> dict[str, str]:
    """What was changed on the page, by key: a box that nobody touched says nothing, and somebody
    else may have written there meanwhile."""
    keys, texts = request.POST.getlist("key"), request.POST.getlist("text")
    before = request.POST.getlist("was")
    typed = dict(zip(keys, texts, strict=False))
    if len(before) != len(keys):
        return typed
    was = dict(zip(keys, before, strict=True))
    return {key: text for key, text in typed.items() if _lines(text) != _lines(was[key])}


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _counted(n: int) -> str:
    return "1 text" if n == 1 else f"{n} texts"


def _revise(request: HttpRequest, study: Study, changed: int) -> None:
    """After the launch, new words are a new revision like any other edit.

    Where something else keeps the study from a revision, the words are kept and wait for it.
    """
    if not changed or study.is_draft:
        return
    try:
        revision = revise(study=study, by=request.user, note="Translations changed")
    except EditRefused as refusal:
        waiting = "The words are kept, but people do not read them yet."
        messages.warning(request, f"{waiting} {refusal}")
        return
    if revision is not None:
        messages.info(request, f"This is revision {revision.number} now.")


def _address(request: HttpRequest, study: Study, language: str) -> str:
    here = reverse("admin:studies_study_words_in", args=[study.pk, language])
    kept = {name: request.GET[name] for name in ("show", "page") if name in request.GET}
    return f"{here}?{urlencode(kept)}" if kept else here


def _judge(study: Study, language: str) -> None:
    if language not in wanted_languages(study):
        raise Http404("No panel of this study reads that language.")


def _table(request, own: dict, language: str, told: dict, status: int = 200) -> HttpResponse:
    study = own["study"]
    everything = entries_in(study, wanted_languages(study))
    found = everything[language]
    show = request.GET.get("show", "all")
    wanted = [entry for entry in found if SHOWN.get(show, SHOWN["all"])(entry)]
    page = Paginator(wanted, A_PAGE).get_page(request.GET.get("page"))
    typed, refused = told.get("typed", {}), told.get("refused", {})
    rows = [
        {
            "entry": entry,
            "value": typed.get(entry.text.key, entry.translation),
            "long": entry.text.is_long or "\n" in entry.translation,
            "error": refused.get(entry.text.key, ""),
        }
        for entry in page
    ]
    return _page(
        request,
        own,
        "language",
        {
            "language": language,
            "language_name": language_name(language),
            "base_name": language_name(study.base_language),
            "rtl": _is_rtl(language),
            "base_rtl": _is_rtl(study.base_language),
            "rows": rows,
            "page": page,
            "show": show if show in SHOWN else "all",
            "counts": _counts(found),
            "here": _address(request, study, language),
            "file_form": told.get("file_form") or FileForm(),
            "problems": told.get("problems", []),
        },
        status,
        everything,
    )


def _counts(found: list[Entry]) -> dict[str, int]:
    counts = {name: sum(map(test, found)) for name, test in SHOWN.items()}
    done = sum(bool(entry.translation) for entry in found)
    return {**counts, "done": done, "wanted": done + counts["missing"]}


@require_POST
def bring_in(request: HttpRequest, context: dict, study: Study, language: str) -> HttpResponse:
    """Take a translator's file: all that is right is saved, the rest is named. Empty rows wait."""
    _judge(study, language)
    form = FileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _table(request, context, language, {"file_form": form}, 422)
    file = form.cleaned_data["file"]
    try:
        returned = read_translations(file.read(), file.name, language=language)
    except UnreadableTranslations as refusal:
        form.add_error("file", str(refusal))
        return _table(request, context, language, {"file_form": form}, 422)
    filled = {key: text for key, text in returned.texts.items() if text.strip()}
    changed, refusals = save_translations(
        study=study,
        language=language,
        texts=filled,
        by=request.user,
        confirmed=returned.confirmed & filled.keys(),
    )
    _revise(request, study, changed)
    messages.success(
        request,
        f"{_counted(changed)} of the file {'is' if changed == 1 else 'are'} new or changed.",
    )
    if refusals:
        return _table(request, context, language, {"problems": refusals}, 422)
    return redirect("admin:studies_study_words_in", study.pk, language)


@require_safe
def take_out(
    request: HttpRequest, context: dict, study: Study, language: str, ending: str
) -> HttpResponse:
    """Every text for a translator, as CSV or XLIFF."""
    _judge(study, language)
    found = entries(study, language)
    if ending == "csv":
        response = HttpResponse(to_csv(found), content_type="text/csv; charset=utf-8")
    elif ending == "xlf":
        document = to_xliff(found, source=study.base_language, target=language, study=study.slug)
        response = HttpResponse(document, content_type="application/xliff+xml")
    else:
        raise Http404("Texts are given as .csv and .xlf.")
    name = f"{study.slug}-{language}.{ending}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
