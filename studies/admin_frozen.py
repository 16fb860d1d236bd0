"""A design is edited while it is a draft, and never across its launch."""

from django.db import connection
from django.http import HttpRequest

from studies.models import Study


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


class FrozenAfterLaunch:
    """A part of a design: it can be edited as long as its study is a draft."""

    def has_change_permission(self, request, obj=None):
        return super().has_change_permission(request, obj) and not is_frozen(obj)

    def has_delete_permission(self, request, obj=None):
        return super().has_delete_permission(request, obj) and not is_frozen(obj)


class FrozenInline(FrozenAfterLaunch):
    def has_add_permission(self, request, obj):
        return super().has_add_permission(request, obj) and not is_frozen(obj)

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
                if "DELETE" in form.fields:
                    form.fields["DELETE"].widget.attrs["aria-label"] = "Delete this row"

        return Named
