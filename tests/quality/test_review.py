"""Answers held against rules: flags follow them, decisions stay, only declared rules exclude."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from annotation.assignment import claim_next_unit
from annotation.models import Assignment, Exclusion, Flag, Measure, Participation
from annotation.quality.declaring import declare
from annotation.quality.evidence import Evidence
from annotation.quality.exclusions import exclude, lift
from annotation.quality.review import decide, review
from annotation.quality.rules import rules_of
from annotation.tasks import review_studies
from studies.models import QualityRule, Study
from studies.quality_rules import Action, Kind, RuleRefused
from tests.annotation.people import send, somebody

pytestmark = pytest.mark.django_db


def rated_by(study: Study, value, *, active: float = 20.0) -> Participation:
    """Somebody who sent every screen: ``value(n)`` on all scales, so many seconds each."""
    person = somebody(study)
    while (screen := claim_next_unit(participation=person)) is not None:
        send(study, screen, value(screen.n))
        Assignment.objects.filter(pk=screen.pk).update(timing={"active": active})
    person.refresh_from_db()
    return person


@pytest.fixture
def people(live_study):
    """Two who vary, one who gives 5 to everything within a second."""
    usual = [rated_by(live_study, lambda n: 1 + n % 5) for _ in range(2)]
    return [*usual, rated_by(live_study, lambda n: 5, active=1.0)]


def kinds_of(person: Participation) -> set[str]:
    return set(Flag.objects.filter(participation=person).values_list("kind", flat=True))


def test_evidence_is_read_into_findings_by_hand_computed_values(live_study, people):
    findings = Evidence(live_study).findings()
    fast = findings[Kind.FAST]
    assert {pk: finding.value for pk, finding in fast.items()} == {
        people[0].pk: 0.0,
        people[1].pk: 0.0,
        people[2].pk: 1.0,
    }
    assert fast[people[2].pk].screens == (1, 2, 3, 4, 5, 6)
    straight = findings[Kind.STRAIGHT]
    assert straight[people[2].pk].value == 1.0
    # n % 5 over six screens: one point twice, the other four once, on each of three questions.
    assert straight[people[0].pk].value == pytest.approx(2 / 6)
    copied = findings[Kind.COPIED_TEXT][people[2].pk]
    assert copied.numbers == {"copied": 5, "texts": 6}
    assert findings[Kind.CHECKS][people[0].pk].numbers == {"failed": 0, "met": 1}


def test_flags_are_made_once_and_follow_the_answers(live_study, people):
    seen = review(live_study)
    assert seen.people == 3
    assert {Kind.FAST, Kind.STRAIGHT} <= kinds_of(people[2])
    assert Kind.FAST not in kinds_of(people[0])
    again = review(live_study)
    assert (again.flagged, again.unflagged, again.excluded) == (0, 0, 0)
    Assignment.objects.filter(participation=people[2]).update(timing={"active": 20.0})
    assert review(live_study).unflagged == 1
    assert Kind.FAST not in kinds_of(people[2])


def test_a_decided_flag_stays_as_it_was_decided(live_study, people, researcher):
    review(live_study)
    flag = Flag.objects.get(participation=people[2], kind=Kind.FAST)
    assert decide(flag=flag, decision=Flag.Decision.KEPT, by=researcher)
    assert not decide(flag=flag, decision=Flag.Decision.EXCLUDED), "decided once"
    Assignment.objects.filter(participation=people[2]).update(timing={"active": 20.0})
    review(live_study)
    flag.refresh_from_db()
    assert (flag.decision, flag.decided_by) == ("kept", researcher)


def test_a_rule_excludes_only_where_it_was_declared_to(live_study, people, researcher):
    review(live_study)
    assert not Exclusion.objects.exists()
    rule = {"kind": Kind.FAST, "threshold": 0.5, "action": Action.EXCLUDE}
    declare(study=live_study, by=researcher, **rule)
    assert review(live_study).excluded == 1
    exclusion = Exclusion.objects.get()
    assert (exclusion.participation, exclusion.rule, exclusion.by) == (people[2], "fast", None)
    assert Flag.objects.get(participation=people[2], kind=Kind.FAST).decision == "excluded"
    assert review(live_study).excluded == 0


def test_whom_a_person_took_in_again_no_rule_excludes(live_study, people, researcher):
    declare(study=live_study, kind=Kind.FAST, threshold=0.5, action=Action.EXCLUDE, by=researcher)
    review(live_study)
    lift(exclusion=Exclusion.objects.get(), by=researcher, reason="A practised eye.")
    assert review(live_study).excluded == 0
    assert not Exclusion.objects.filter(lifted_at=None).exists()


def test_who_is_still_rating_is_excluded_by_no_rule(live_study, people, researcher):
    declare(study=live_study, kind=Kind.FAST, threshold=0.5, action=Action.EXCLUDE, by=researcher)
    Participation.objects.filter(pk=people[2].pk).update(state=Participation.State.RATING)
    assert review(live_study).excluded == 0
    assert Kind.FAST in kinds_of(people[2])


def test_excluding_somebody_does_not_change_what_others_are_held_against(live_study, people):
    before = Evidence(live_study).findings()[Kind.FAST][people[0].pk]
    exclude(participation=people[2], reason="Too fast.")
    assert Evidence(live_study).findings()[Kind.FAST][people[0].pk] == before


def test_a_minority_view_never_excludes(live_study, people, researcher):
    with pytest.raises(RuleRefused, match="minority view"):
        declare(
            study=live_study,
            kind=Kind.CONSENSUS,
            threshold=0.1,
            action=Action.EXCLUDE,
            by=researcher,
        )
    with pytest.raises(IntegrityError), transaction.atomic():
        QualityRule.objects.create(
            study=live_study, kind="consensus", threshold=0.1, action="exclude"
        )


def test_a_changed_rule_keeps_what_it_was(draft_study, researcher):
    rule = {"study": draft_study, "kind": Kind.CHECKS, "by": researcher}
    declare(threshold=2, action=Action.FLAG, **rule)
    assert rules_of(draft_study)[Kind.CHECKS].row.changes == [], "declared as the default is"
    declare(threshold=1, action=Action.EXCLUDE, **rule)
    row = rules_of(draft_study)[Kind.CHECKS].row
    (earlier,) = row.changes
    assert (earlier["threshold"], earlier["action"], earlier["by"]) == (2, "flag", "ana")
    assert not row.changed_after_ratings, "nobody had rated"


def test_a_rule_changed_when_answers_were_there_is_marked(live_study, people, researcher):
    declare(study=live_study, kind=Kind.CHECKS, threshold=3, action=Action.FLAG, by=researcher)
    assert rules_of(live_study)[Kind.CHECKS].row.changed_after_ratings


@pytest.mark.parametrize(
    ("kind", "threshold"), [("fast", 1.5), ("fast", -0.1), ("checks", float("nan"))]
)
def test_thresholds_out_of_range_are_refused_with_the_range(live_study, kind, threshold):
    with pytest.raises(RuleRefused, match="threshold lies"):
        declare(study=live_study, kind=kind, threshold=threshold, action="flag", by=None)


def test_what_was_measured_is_kept_of_everybody_whatever_the_rules_say(
    live_study, people, researcher, client
):
    declare(study=live_study, kind=Kind.FAST, threshold=0.5, action=Action.OFF, by=researcher)
    review(live_study)
    assert Measure.objects.filter(kind=Kind.FAST).count() == 3
    assert not Flag.objects.filter(kind=Kind.FAST).exists()
    fast = people[2].measures.get(kind=Kind.FAST)
    assert (fast.value, fast.numbers["fast"]) == (1.0, 6)
    review(live_study)
    assert Measure.objects.filter(kind=Kind.FAST).count() == 3, "once a person and kind"
    Assignment.objects.filter(participation=people[2]).update(timing={})
    review(live_study)
    assert not people[2].measures.filter(kind=Kind.FAST).exists(), "nothing is measured any more"
    client.force_login(live_study.owner)
    page = client.get(f"/studies/weddings/people/{people[0].code}/").content.decode()
    assert people[0].measures.get(kind=Kind.FAST).sentence in page.replace("&#x27;", "'")


def test_a_rule_that_is_off_flags_nobody(live_study, people, researcher):
    review(live_study)
    declare(study=live_study, kind=Kind.FAST, threshold=0.5, action=Action.OFF, by=researcher)
    review(live_study)
    assert Kind.FAST not in kinds_of(people[2])


def test_a_review_takes_as_many_queries_for_many_as_for_few(
    live_study, people, django_assert_max_num_queries
):
    with django_assert_max_num_queries(40):
        review(live_study)


def test_the_command_and_the_worker_review_studies_under_way(
    live_study, people, capsys, monkeypatch
):
    monkeypatch.setattr("annotation.tasks.close_old_connections", lambda: None)
    call_command("review_quality", "weddings")
    assert "3 annotators" in capsys.readouterr().out
    assert Kind.FAST in kinds_of(people[2])
    Flag.objects.all().delete()
    review_studies()
    assert Kind.FAST in kinds_of(people[2])


# ---- the pages


@pytest.fixture
def page(client, live_study):
    client.force_login(live_study.owner)
    return client


QUALITY = "/studies/weddings/quality/"


def test_the_page_shows_flags_rules_and_layers(page, live_study, people):
    review(live_study)
    text = page.get(QUALITY).content.decode()
    assert people[2].code in text
    assert "6 of 6 screens were very fast" in text
    assert text.count('name="threshold"') == len(Kind.values)
    assert text.count('value="exclude"') == len(Kind.values) - 1, "consensus never excludes"


def test_a_flag_is_kept_by_a_button(page, live_study, people):
    review(live_study)
    flag = Flag.objects.get(participation=people[2], kind=Kind.FAST)
    assert page.post(f"{QUALITY}flags/{flag.pk}/keep/").status_code == 302
    flag.refresh_from_db()
    assert flag.decision == "kept"


def test_somebody_is_excluded_and_taken_in_again(page, live_study, people):
    review(live_study)
    url = f"/studies/weddings/people/{people[2].code}/exclude/"
    assert "6 of 6 screens were very fast" in page.get(url).content.decode()
    refused = page.post(url, {"reason": " "})
    assert refused.status_code == 422
    assert "Write why" in refused.content.decode()
    page.post(url, {"reason": "Too fast.", "reopen": "yes"})
    exclusion = Exclusion.objects.get()
    assert (exclusion.by, exclusion.reopened) == (live_study.owner, True)
    assert not Flag.objects.filter(participation=people[2], decision="").exists()
    again = page.post(url, {"reason": "Too fast."})
    assert again.status_code == 422
    assert "left out already" in again.content.decode()
    assert "Too fast." in page.get(QUALITY).content.decode()
    page.post(f"{QUALITY}exclusions/{exclusion.pk}/lift/", {"reason": "They explained."})
    exclusion.refresh_from_db()
    assert exclusion.lift_reason == "They explained."


def test_rules_are_declared_on_the_page_with_shares_in_per_cent(page, live_study):
    page.post(f"{QUALITY}rules/", {"kind": "fast", "threshold": "40", "action": "exclude"})
    rule = rules_of(live_study)[Kind.FAST]
    assert (rule.threshold, rule.action) == (0.4, "exclude")
    wrong = page.post(f"{QUALITY}rules/", {"kind": "fast", "threshold": "many", "action": "flag"})
    assert wrong.status_code == 422
    assert "as a number" in wrong.content.decode()
    page.post(f"{QUALITY}review/")
    assert rules_of(live_study)[Kind.FAST].threshold == 0.4


def test_strangers_get_no_quality_page(client, live_study, people, colleague):
    assert client.get(QUALITY).status_code == 302
    client.force_login(colleague)
    assert client.get(QUALITY).status_code == 404
    assert client.post(f"{QUALITY}review/").status_code == 404
    url = f"/studies/weddings/people/{people[2].code}/exclude/"
    assert client.post(url, {"reason": "x"}).status_code == 404
    assert not Exclusion.objects.exists()
