"""Which preview of a study was opened, and whether it still shows what people will see."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from django.utils import timezone

from studies.design import current_design
from studies.models import Study


def design_fingerprint(study: Study) -> str:
    """The same for as long as nothing that people see changes."""
    design = replace(current_design(study), revision=0).to_json()
    return hashlib.sha256(json.dumps(design, sort_keys=True).encode()).hexdigest()


def record_preview(*, study: Study, language: str = "") -> None:
    """Somebody opened the preview in a language ('' for that of the texts)."""
    code = language or study.base_language
    seen = {"at": timezone.now().isoformat(), "design": design_fingerprint(study)}
    study.previews = {**study.previews, code: seen}
    study.save(update_fields=["previews"])


def seen_languages(study: Study) -> list[str]:
    """The languages whose preview was opened since the last change, the latest first."""
    now = design_fingerprint(study) if study.previews else ""
    fresh = [(seen["at"], code) for code, seen in study.previews.items() if seen["design"] == now]
    return [code for _, code in sorted(fresh, reverse=True)]
