"""Personal links: made from a list, shown again at any time, revoked and renewed.

A link is the invitation's key and a signature over key and nonce. Nothing secret is stored; with a
new nonce the old link opens nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.signing import Signer
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from annotation.arrivals import ArrivalRefused, Reason
from annotation.models import Invitation
from annotation.models.arrival import new_nonce
from studies.models import Panel, Study
from studies.names import country_choices, language_choices
from studies.recruiting import recruitment_of

_SIGNER = Signer(salt="invitation", sep=".")
MAX_ROWS = 5000
HEADS = {
    "label": ("name", "label", "email", "e-mail", "annotator"),
    "country": ("country", "panel"),
    "language": ("language",),
}


class UnreadableList(Exception):
    """The list of people cannot be read; ``problems`` says it line by line."""

    def __init__(self, *problems: str) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Invited:
    """One line of the list."""

    label: str
    panel: Panel | None = None
    language: str = ""


def link_of(invitation: Invitation) -> str:
    return settings.SITE_URL + reverse("annotation:invitation", args=[token_of(invitation)])


def token_of(invitation: Invitation) -> str:
    signature = _SIGNER.signature(f"{invitation.key}:{invitation.nonce}")
    return f"{invitation.key}.{signature}"


def invitation_of(token: str) -> Invitation | None:
    """The invitation of a link; None for a link that was never made here.

    Raises ArrivalRefused for one that was revoked, or renewed meanwhile.
    """
    key = token.partition(".")[0]
    invitation = Invitation.objects.select_related("study").filter(key=key).first()
    if invitation is None:
        return None
    theirs = constant_time_compare(token, token_of(invitation))
    if not theirs or invitation.revoked_at is not None:
        raise ArrivalRefused(Reason.REVOKED)
    return invitation


def decoded(data: bytes) -> str:
    """The text of an uploaded list. Raises UnreadableList for what is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableList("The file is not in UTF-8; save it as “CSV UTF-8”.") from error


def read_list(*, study: Study, text: str) -> list[Invited]:
    """People from CSV text with a head: name or email; country and language where wanted.

    Without a head, the first cell of each line is the name. Raises UnreadableList.
    """
    if "\x00" in text:
        raise UnreadableList("The file is no text.")
    try:
        rows = [
            row for row in csv.reader(io.StringIO(text, newline="")) if any(map(str.strip, row))
        ]
    except csv.Error as error:
        raise UnreadableList(f"This is no CSV: {error}.") from error
    if not rows:
        raise UnreadableList("The list is empty.")
    if len(rows) > MAX_ROWS:
        raise UnreadableList(f"The list has {len(rows)} lines; bring at most {MAX_ROWS} at once.")
    columns = _columns(rows[0])
    numbered = list(enumerate(rows, 1))[1 if columns else 0 :]
    columns = columns or {"label": 0}
    if "label" not in columns:
        raise UnreadableList("The first line names no column “name” or “email”.")
    panels = {panel.country: panel for panel in study.panels.all()}
    people, problems = [], []
    for number, row in numbered:
        try:
            people.append(_read_row(row, columns, panels))
        except UnreadableList as problem:
            problems += [f"Line {number}: {text}" for text in problem.problems]
    if problems:
        raise UnreadableList(*problems)
    return people


def _columns(head: list[str]) -> dict[str, int]:
    cells = [cell.strip().lower() for cell in head]
    return {
        field: cells.index(name)
        for field, names in HEADS.items()
        for name in reversed(names)
        if name in cells
    }


def _read_row(row: list[str], columns: dict[str, int], panels: dict[str, Panel]) -> Invited:
    def cell(field: str) -> str:
        at = columns.get(field)
        return row[at].strip() if at is not None and at < len(row) else ""

    label, country, language = cell("label"), cell("country"), cell("language")
    if not label:
        raise UnreadableList("nobody is named.")
    if len(label) > 200:
        raise UnreadableList("the name has more than 200 characters.")
    country = _code(country, country_choices())
    if country and country not in panels:
        raise UnreadableList(f"the study has no panel for “{cell('country')}”.")
    code = _code(language, language_choices())
    if language and code not in dict(language_choices()):
        raise UnreadableList(f"“{language}” is no language; write e.g. en or ne.")
    return Invited(label=label, panel=panels.get(country), language=code)


def _code(text: str, choices: Iterable[tuple[str, str]]) -> str:
    """The code of a country or language that is written as a code or by its English name."""
    known = {}
    for code, name in choices:
        known[str(name).casefold()] = known[code.casefold()] = code
    return known.get(text.casefold(), text)


@transaction.atomic
def invite(*, study: Study, people: Iterable[Invited]) -> tuple[list[Invitation], int]:
    """Invitations for those who have none yet under that name; and how many had one already.

    Somebody who is named twice is invited once, so that a list can be brought again with more
    people at its end.
    """
    known = set(study.invitations.values_list("label", flat=True))
    made, had = [], 0
    for person in people:
        if person.label in known:
            had += 1
            continue
        known.add(person.label)
        made.append(
            Invitation(
                study=study, label=person.label, panel=person.panel, language=person.language
            )
        )
    Invitation.objects.bulk_create(made)
    return made, had


def revoke(*, invitation: Invitation) -> None:
    """The link opens nothing any more. Who has begun goes on in the browser they began in."""
    if invitation.revoked_at is None:
        invitation.revoked_at = timezone.now()
        invitation.save(update_fields=["revoked_at"])


def renew(*, invitation: Invitation) -> None:
    """A new link for the same person; the old one opens nothing."""
    invitation.nonce, invitation.revoked_at = new_nonce(), None
    invitation.save(update_fields=["nonce", "revoked_at"])


def forget_unopened(*, now: datetime | None = None) -> int:
    """Delete the names of people who never came, a closed study's days after they were invited."""
    n = 0
    for study in Study.objects.filter(
        state=Study.State.CLOSED, invitations__isnull=False
    ).distinct():
        days = timedelta(days=recruitment_of(study).erase_after_days)
        old = study.invitations.filter(identity=None, created_at__lt=(now or timezone.now()) - days)
        n += old.delete()[0]
    return n


def as_rows(study: Study) -> list[list[str]]:
    """Head and rows of the list with links: what is sent to people."""
    rows = [["name", "country", "language", "link", "state"]]
    for invitation in study.invitations.select_related("panel", "identity__participation"):
        link = "" if invitation.revoked_at else link_of(invitation)
        country = invitation.panel.country if invitation.panel else ""
        state = state_of(invitation)
        rows.append([_cell(invitation.label), country, invitation.language, link, state])
    return rows


def _cell(text: str) -> str:
    """A name that a spreadsheet would run as a formula gets an apostrophe in front."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def state_of(invitation: Invitation) -> str:
    """Where the invited person stands, in a word or two."""
    identity = invitation.identity
    if invitation.revoked_at is not None:
        return "Revoked"
    if identity is None or identity.participation is None:
        return "Not opened"
    return identity.participation.get_state_display()
