"""Holding a study's answers against its rules. Rules flag; only one that was set to excludes.

Run as often as one likes: a flag that nobody decided follows the answers, one that was decided
stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.models import Assignment, Exclusion, Flag, Measure, Participation
from annotation.quality.evidence import Evidence
from annotation.quality.exclusions import AlreadyExcluded, exclude, reopens
from annotation.quality.findings import Finding
from annotation.quality.rules import Rule, rules_of
from studies.models import Study
from studies.quality_rules import Action, Kind

LONGEST = 300
LATELY = timedelta(minutes=30)  # longer than the worker is ever busy between two looks


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a review changed: flags made and taken away, people whom a rule excluded."""

    people: int
    flagged: int
    unflagged: int
    excluded: int


def review(study: Study) -> Reviewed:
    """Look at everything sent so far. Idempotent."""
    evidence = Evidence(study)
    findings = evidence.findings()
    met: dict[tuple[int, str], Finding] = {}
    rules = rules_of(study)
    _keep_measures(study, findings)
    for kind, rule in rules.items():
        if rule.action != Action.OFF:
            for person, finding in findings.get(kind, {}).items():
                if rule.is_met_by(finding):
                    met[person, kind] = finding
    flagged, unflagged = _write_flags(study, met)
    excluding = [rule for rule in rules.values() if _excludes(rule)]
    excluded = sum(_exclude_by(study, rule) for rule in excluding)
    return Reviewed(len(evidence.people), flagged, unflagged, excluded)


def has_new_answers(study: Study) -> bool:
    """Whether something was sent or changed within ``LATELY``."""
    since = timezone.now() - LATELY
    lately = Q(submitted_at__gte=since) | Q(changed_at__gte=since)
    return Assignment.objects.filter(lately, participation__study=study).exists()


def _excludes(rule: Rule) -> bool:
    # A minority view is no error, whatever a row says.
    return rule.action == Action.EXCLUDE and rule.kind != Kind.CONSENSUS


@transaction.atomic
def _keep_measures(study: Study, findings: dict[str, dict[int, Finding]]) -> None:
    """What was measured of everybody, whether a rule is met by it or looked at at all."""
    now = timezone.now()
    Measure.objects.bulk_create(
        [
            Measure(
                participation_id=person,
                kind=kind,
                value=finding.value,
                sentence=finding.sentence[:LONGEST],
                numbers=finding.numbers,
                measured_at=now,
            )
            for kind, of_kind in findings.items()
            for person, finding in of_kind.items()
        ],
        update_conflicts=True,
        unique_fields=["participation", "kind"],
        update_fields=["value", "sentence", "numbers", "measured_at"],
        batch_size=500,
    )
    Measure.objects.filter(participation__study=study, measured_at__lt=now).delete()


@transaction.atomic
def _write_flags(study: Study, met: dict[tuple[int, str], Finding]) -> tuple[int, int]:
    flags = Flag.objects.filter(participation__study=study).select_for_update(of=("self",))
    known = {(flag.participation_id, flag.kind): flag for flag in flags}
    stale = [flag.pk for key, flag in known.items() if key not in met and not flag.decision]
    Flag.objects.filter(pk__in=stale).delete()
    fresh, changed = [], []
    for key, finding in met.items():
        flag = known.get(key)
        if flag is None:
            fresh.append(Flag(participation_id=key[0], kind=key[1], **_words(finding)))
        elif not flag.decision:
            for name, value in _words(finding).items():
                setattr(flag, name, value)
            changed.append(flag)
    Flag.objects.bulk_create(fresh, ignore_conflicts=True, batch_size=500)
    Flag.objects.bulk_update(changed, ["sentence", "numbers", "screens"], batch_size=500)
    return len(fresh), len(stale)


def _words(finding: Finding) -> dict:
    return {
        "sentence": finding.sentence[:LONGEST],
        "numbers": finding.numbers,
        "screens": list(finding.screens),
    }


def _exclude_by(study: Study, rule: Rule) -> int:
    """Leave out whoever has finished and met the rule; never again whom a person took in."""
    judged = Exclusion.objects.filter(rule=rule.kind).values("participation")
    flags = Flag.objects.filter(
        participation__study=study,
        participation__pilot=False,
        participation__state__in=[Participation.State.COMPLETE, Participation.State.OUT],
        kind=rule.kind,
        decision="",
    ).exclude(participation__in=judged)
    n, reopen = 0, reopens(study)
    for flag in flags.select_related("participation"):
        person, reason = flag.participation, flag.sentence
        try:
            exclude(participation=person, reason=reason, rule=rule.kind, reopen=reopen)
        except AlreadyExcluded:
            continue  # somebody was faster, or another rule: the flag waits for a person
        decide(flag=flag, decision=Flag.Decision.EXCLUDED)
        n += 1
    return n


def decide(*, flag: Flag, decision: str, by=None) -> bool:
    """Keep or exclude, once: False where it was decided before."""
    return bool(
        Flag.objects.filter(pk=flag.pk, decision="").update(
            decision=decision, decided_by=by, decided_at=timezone.now()
        )
    )
