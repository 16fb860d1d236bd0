"""The card of a question while it is being written: the annotator's own template, nothing saved."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_POST

from annotation.cards import Card, steps_of
from annotation.kinds import Asked, Fields
from annotation.languages import interface_language
from annotation.sheet import Sheet
from annotation.unit_facts import UnitFacts, load_facts
from studies.access import study_page
from studies.design import Design, QuestionSpec, current_design
from studies.models import Descriptor, Item, Probe, Study
from studies.question_draft import drafted_question

EXAMPLE_DESCRIPTORS = ("a first descriptor", "a second descriptor", "a third descriptor")


@require_POST
@study_page
def preview_card(request: HttpRequest, study: Study) -> HttpResponse:
    """A fragment: the one card that the posted fields of a question describe."""
    question = drafted_question(request.POST, id=1)
    design = replace(current_design(study), questions=(question,), checks=())
    facts = example_facts(study, design)
    with translation.override(interface_language(study.base_language)):
        context = {
            "cards": drawn_cards(question, design, facts),
            "screen": {"n": 1, "total": 1, "media": (), "shortcuts": False},
        }
        return render(request, "annotation/_card_preview.html", context)


def drawn_cards(question: QuestionSpec, design: Design, facts: UnitFacts) -> tuple[Card, ...]:
    """The question as it stands on a screen where it is shown; of the first probe, if of probes."""
    probe = facts.probes[0] if question.asked_of == "probe" else None
    row = Asked(question, "q_1", facts, probe, number=1)
    sheet = Sheet(design=design, facts=facts, rows=(row,))
    return steps_of(sheet, Fields({}), {}, reached=None)[0].cards


def example_facts(study: Study, design: Design) -> UnitFacts:
    """A unit of the study; what it has not got yet is stood in for."""
    unit = study.units.order_by("key").first()
    facts = load_facts(unit=unit.pk, design=design, seed="preview") if unit else None
    if facts is None or not facts.items:
        facts = UnitFacts(_stand_ins(study), seed="preview", language=design.language)
    probe = Probe(pk=1, text="(here stands a probe of the scene)")
    descriptors = tuple(
        Descriptor(pk=n, dimension="objects", token=token)
        for n, token in enumerate(EXAMPLE_DESCRIPTORS, 1)
    )
    return replace(
        facts, probes=facts.probes or (probe,), descriptors=facts.descriptors or descriptors
    )


def _stand_ins(study: Study) -> tuple[Item, ...]:
    """Items nobody has imported yet; the placeholder for the activity stays to be seen."""
    panel = study.panels.first()
    country = panel.country if panel else ""
    return tuple(
        Item(pk=n, study=study, category="{activity}", country=country)
        for n in range(1, study.items_per_unit + 1)
    )
