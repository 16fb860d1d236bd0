"""Who may come into a study and with which codes they leave: a section of its page, and a form."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from studies.admin_sections import SectionView, section_view
from studies.admin_study_form import counted
from studies.models import OutcomeCode, Recruitment, Study
from studies.recruiting import prolific_link, recruitment_of, save_recruitment

WHAT_IF_EMPTY = {
    OutcomeCode.Outcome.CLOSED: "Empty: the completion code, for who has sent something.",
}
PAID = {OutcomeCode.Outcome.CLOSED}
PLEASE_RETURN = "Empty: they are asked to return the submission."


def _address_problem(address: str, code: str) -> str:
    """What is wrong with a return address; '' where nothing is."""
    if not address:
        return ""
    if not address.startswith("https://"):
        return "It starts with https://"
    if not code:
        return "Write the code that it carries too."
    given = parse_qs(urlsplit(address).query).get("cc", [])
    if given and given != [code]:
        return f"It carries the code {given[0]}, not {code}."
    return ""


def recruitment_line(study: Study) -> str:
    """What the closed section says, e.g. "Prolific, invitations, 2 codes of outcomes"."""
    recruitment = recruitment_of(study)
    ways = [
        words
        for words, there in (
            ("anybody with the link", recruitment.open_link),
            ("Prolific", recruitment.uses_prolific),
            ("accounts", recruitment.accounts),
        )
        if there
    ]
    n_codes = study.outcome_codes.count()
    codes = [counted(n_codes, "code") + " beside the completion code"] if n_codes else []
    return ", ".join([*(ways or ["personal invitations only"]), *codes])


def recruitment_context(study: Study) -> dict[str, object]:
    """What the section shows."""
    return {
        "recruitment": recruitment_of(study),
        "recruitment_line": recruitment_line(study),
        "prolific_link": prolific_link(study),
        "outcome_codes": study.outcome_codes.all(),
    }


class RecruitmentForm(forms.ModelForm):
    """The ways in, and a code and an address for each way out."""

    class Meta:
        model = Recruitment
        fields = ["open_link", "uses_prolific", "prolific_study_id", "accounts", "erase_after_days"]

    def __init__(self, *args, study: Study, **kwargs):
        super().__init__(*args, instance=recruitment_of(study), **kwargs)
        self.study = study
        known = {row.outcome: row for row in study.outcome_codes.all()}
        for outcome in OutcomeCode.Outcome:
            row = known.get(outcome)
            self.fields[f"code_{outcome}"] = forms.CharField(
                required=False,
                max_length=40,
                label=f"Code: {outcome.label.lower()}",
                help_text=WHAT_IF_EMPTY.get(outcome, PLEASE_RETURN),
                initial=row.code if row else "",
            )
            self.fields[f"address_{outcome}"] = forms.URLField(
                required=False,
                assume_scheme="https",
                label=f"Return address: {outcome.label.lower()}",
                help_text="Empty: Prolific’s completion page with this code.",
                initial=row.return_address if row else "",
            )

    def clean(self):
        cleaned = super().clean()
        for outcome in OutcomeCode.Outcome:
            code = (cleaned.get(f"code_{outcome}") or "").strip()
            if code and code == self.study.completion_code and outcome not in PAID:
                self.add_error(
                    f"code_{outcome}", "That is the completion code: they would look finished."
                )
            if problem := _address_problem(cleaned.get(f"address_{outcome}") or "", code):
                self.add_error(f"address_{outcome}", problem)
        return cleaned

    def codes(self) -> dict[str, tuple[str, str]]:
        return {
            outcome.value: (
                self.cleaned_data[f"code_{outcome}"].strip(),
                self.cleaned_data[f"address_{outcome}"],
            )
            for outcome in OutcomeCode.Outcome
        }


def _sections(form: RecruitmentForm) -> list[SectionView]:
    ways = [("open_link",), ("uses_prolific",), ("prolific_study_id",), ("accounts",)]
    codes = [(f"code_{outcome}", f"address_{outcome}") for outcome in OutcomeCode.Outcome]
    return [
        section_view(form, key="ways", title="Who may come", rows=ways),
        section_view(form, key="codes", title="Codes of those who do not finish", rows=codes),
        section_view(form, key="erasure", title="Personal data", rows=[("erase_after_days",)]),
    ]


def recruitment_page(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    form = RecruitmentForm(request.POST or None, study=study)
    if request.method == "POST" and form.is_valid():
        recruitment = form.save(commit=False)
        save_recruitment(recruitment=recruitment, codes=form.codes())
        messages.success(request, "Saved. It holds for who comes from now on.")
        page = reverse("admin:studies_study_change", args=[study.pk])
        return redirect(f"{page}#section-recruitment")
    context |= {"title": "Arrivals and codes", "form": form, "sections": _sections(form)}
    status = 422 if form.is_bound else 200
    return render(request, "admin/studies/study/recruitment.html", context, status=status)
