"""The declared rules of a study: thresholds, what each does, and whether a finding meets one."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.quality.findings import Finding
from studies.models import QualityRule, Study
from studies.quality_rules import DEFAULTS, SHARES, Action, Kind


@dataclass(frozen=True, slots=True)
class Rule:
    """``sentence`` says when the rule is met, with its threshold in it. ``row``: as declared; None
    where the study has the default."""

    kind: str
    threshold: float
    action: str
    row: QualityRule | None = None

    @property
    def label(self) -> str:
        return str(Kind(self.kind).label)

    @property
    def sentence(self) -> str:
        number = 100 * self.threshold if self.kind in SHARES else self.threshold
        return SENTENCES[self.kind].format(f"{number:g}")

    def is_met_by(self, finding: Finding) -> bool:
        if self.kind in LOW_IS_WORSE:
            return finding.value < self.threshold
        return finding.value >= self.threshold


LOW_IS_WORSE = {Kind.SHORT_TEXT, Kind.REPEATS}

SENTENCES: dict[str, str] = {
    Kind.CHECKS: "Failed checks on {} screens or more.",
    Kind.FAST: "At least {} % of the screens were very fast.",
    Kind.STRAIGHT: "At least {} % of answers on scales are one point of their question.",
    Kind.POSITION: "At least {} % of choices fell on one position of the screen.",
    Kind.SHORT_TEXT: "Half of the texts have fewer than {} letters.",
    Kind.COPIED_TEXT: "At least {} % of texts are the same as an earlier one about another unit.",
    Kind.SHARED_TEXT: "{} texts or more are word for word those of somebody else.",
    Kind.REPEATS: "Fewer than {} % of repeated answers came within one point of the first time.",
    Kind.CONSENSUS: "On average {} % of the scale or more away from the others. Never excludes.",
}


def rules_of(study: Study) -> dict[str, Rule]:
    """Every kind of rule as this study has it, in the order of the kinds."""
    rows = {row.kind: row for row in QualityRule.objects.filter(study=study)}
    return {
        kind: Rule(kind, row.threshold, row.action, row)
        if (row := rows.get(kind))
        else Rule(kind, DEFAULTS[kind], Action.FLAG)
        for kind in Kind.values
    }
