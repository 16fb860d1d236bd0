"""Saving what was launched: an edit becomes a revision, and what answers forbid is refused."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.db import connection
from django.http import HttpRequest

from studies.models import Study
from studies.refusals import EditRefused, WrongState, refuse_archived
from studies.revisions import revise

STAYS = "Stays as it is: the study was opened."
OUTDATED = (
    "The study was opened or revised after this page was loaded. Look at it as it is now, then "
    "save again."
)


def is_frozen(obj) -> bool:
    """Whether this study, or the study this is a part of, was launched."""
    study = obj if isinstance(obj, Study) or obj is None else obj.study
    return study is not None and not study.is_draft


def is_saving(request: HttpRequest) -> bool:
    """Whether this is the part of a request that writes: the admin has begun a transaction."""
    return request.method == "POST" and connection.in_atomic_block


def lock_study(pk: int) -> Study:
    """The study as it is now; it cannot be launched or moved before the transaction ends.

    Forms write whole rows: without the lock, a form that is saved during the launch would write
    the draft back.
    """
    return Study.objects.select_for_update().get(pk=pk)


def keep_fields(form: forms.ModelForm, names, why: str = STAYS) -> None:
    """Show these fields, and let nobody change them."""
    for name in form.fields.keys() & set(names):
        form.fields[name].disabled = True
        form.fields[name].help_text = why


class Revising:
    """An admin of a study or of a part of it: after the launch, saving makes the next revision.

    What answers forbid rolls everything back, and the form comes back with the reasons, as 422.
    """

    def study_of(self, obj) -> Study:
        return obj

    def changeform_view(self, request, object_id=None, form_url="", extra_context=None):
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except (EditRefused, WrongState) as refusal:
            request.refusals = getattr(refusal, "sentences", (str(refusal),))
            return super().changeform_view(request, object_id, form_url, extra_context)

    def get_form(self, request, obj=None, change=False, **kwargs):
        refusals = getattr(request, "refusals", ())
        base = super().get_form(request, obj, change=change, **kwargs)
        if not refusals:
            return base

        class Refused(base):
            """The same form, once more, with the reasons why it was not saved."""

            def clean(self):
                cleaned = super().clean()
                self.add_error(None, ["Nothing was saved.", *refusals])
                return cleaned

        return Refused

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        study = Study.objects.get(pk=self.study_of(form.instance).pk)
        refuse_archived(study)
        if study.is_draft:
            return
        if request.POST.get("revision", "0") != str(study.revision):
            raise EditRefused([OUTDATED])
        note = request.POST.get("revision_note", "").strip()[:300]
        if revision := revise(study=study, by=request.user, note=note):
            messages.info(
                request,
                f"This is revision {revision.number}. Answers keep the words they were given with.",
            )

    def render_change_form(self, request, context, add=False, change=False, form_url="", obj=None):
        study = context.get("study")
        context |= {
            "revising": study is not None and not study.is_draft and self._may_save(request, obj),
            "revision_note": request.POST.get("revision_note", ""),
        }
        response = super().render_change_form(request, context, add, change, form_url, obj)
        if context.get("errors"):
            response.status_code = 422
        return response

    def _may_save(self, request, obj) -> bool:
        return self.has_change_permission(request, obj)


class NamedInline:
    """Rows in a table whose fields have names of their own."""

    def formfield_for_dbfield(self, db_field, request, **kwargs):
        """Name the field itself: Django's tables name it by the head of its column alone."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and field.label:
            field.widget.attrs["aria-label"] = str(field.label)
        return field

    def get_formset(self, request, obj=None, **kwargs):
        class Named(super().get_formset(request, obj, **kwargs)):
            def add_fields(self, form, index):
                super().add_fields(form, index)
                for field in form.fields.values():
                    if field.label and not field.widget.is_hidden:
                        field.widget.attrs.setdefault("aria-label", str(field.label))
                if "DELETE" in form.fields:
                    form.fields["DELETE"].widget.attrs["aria-label"] = "Delete this row"

        return Named


class KeptInline(NamedInline):
    """Rows that are neither added nor removed once the study was opened."""

    def has_add_permission(self, request, obj):
        return super().has_add_permission(request, obj) and not is_frozen(obj)

    def has_delete_permission(self, request, obj=None):
        return super().has_delete_permission(request, obj) and not is_frozen(obj)
