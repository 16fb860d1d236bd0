"""Forms in sections: what the pages of studies and questions have instead of Django's fieldsets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django import forms
from django.forms.boundfield import BoundField


@dataclass(frozen=True)
class FieldView:
    """One field with what stands beside it, such as where its value comes from."""

    bound: BoundField
    origin: object | None = None

    @property
    def is_tick(self) -> bool:
        return isinstance(self.bound.field.widget, forms.CheckboxInput)

    @property
    def is_group(self) -> bool:
        return isinstance(self.bound.field.widget, forms.CheckboxSelectMultiple)

    @property
    def is_needed(self) -> bool:
        """Whether it can be left empty by mistake: a choice or a number has a value anyway."""
        field = self.bound.field
        has_value = isinstance(field.widget, forms.Select | forms.NumberInput)
        return field.required and not field.disabled and not has_value


@dataclass(frozen=True)
class SectionView:
    """A part of a form. A folded one says in ``summary`` what is set in it."""

    key: str
    title: str
    rows: list[list[FieldView]]
    folded: bool = False
    summary: str = ""
    origins: list[object] = field(default_factory=list)

    @property
    def has_errors(self) -> bool:
        return any(view.bound.errors for row in self.rows for view in row)

    @property
    def is_open(self) -> bool:
        return not self.folded or self.has_errors

    @property
    def n_changed(self) -> int:
        return sum(bool(getattr(origin, "changed", False)) for origin in self.origins)


def section_view(
    form: forms.BaseForm,
    *,
    key: str,
    title: str,
    rows: Iterable[Iterable[str]],
    folded: bool = False,
    summary: str = "",
    origins: Mapping[str, object] | None = None,
) -> SectionView:
    """The section with the fields that ``form`` has; fields it lacks are left out."""
    known = origins or {}
    views = [
        [FieldView(form[name], known.get(name)) for name in row if name in form.fields]
        for row in rows
    ]
    views = [row for row in views if row]
    found = [view.origin for row in views for view in row if view.origin is not None]
    return SectionView(key, title, views, folded, summary, found)
