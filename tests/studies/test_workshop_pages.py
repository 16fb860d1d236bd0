"""The pages on which a study is made, edited, launched, revised and put away."""

import gzip
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from studies import lifecycle, presets
from studies.admin_cards import question_tiers
from studies.admin_kinds import KIND_PAGES
from studies.admin_launch import launch_sum, pay_each
from studies.models import Probe, Question, ScalePoint, Study
from studies.ordering import move_question
from studies.plans import fix_plan, plan_of
from tests.studies.people import a_researcher, question_form, study_form

pytestmark = pytest.mark.django_db
STYLE = Path(__file__).resolve().parents[2] / "static" / "css" / "workshop.css"


@pytest.fixture
def live(study):
    lifecycle.launch_study(study=study, by=study.owner)
    study.refresh_from_db()
    return study


def page_of(study, part="change") -> str:
    return f"/admin/studies/study/{study.pk}/{part}/"


def text(response) -> str:
    return response.content.decode()


def test_what_the_pages_load_stays_light():
    assert len(gzip.compress(STYLE.read_bytes())) <= 4 * 1024


class TestNewStudy:
    URL = "/admin/studies/study/add/"

    @pytest.mark.parametrize("key", presets.published())
    def test_a_choice_and_a_name_make_the_complete_study(self, olga, study, key):
        response = olga.post(self.URL, {"preset": key, "title": "Mine, from a protocol"})
        made = Study.objects.exclude(pk=study.pk).get()
        assert response["Location"] == page_of(made)
        assert (made.owner, made.preset, made.state) == (study.owner, key, "draft")
        assert [q.key for q in made.questions.all()] == presets.published()[key].questions
        assert olga.get(page_of(made)).status_code == 200

    def test_every_card_has_its_facts_and_its_source(self, olga):
        page = text(olga.get(self.URL))
        for preset in presets.published().values():
            assert preset.name in page
            assert all(fact.value in page for fact in preset.facts)
            assert preset.source.split("'")[0] in page

    def test_gaps_come_back_in_words_with_what_was_typed(self, olga, study):
        response = olga.post(self.URL, {"title": "A name"})
        assert response.status_code == 422
        assert "Choose what the study starts from." in text(response)
        assert 'value="A name"' in text(response)
        response = olga.post(self.URL, {"preset": "caire", "title": " "})
        assert "Give the study a name." in text(response)
        assert 'value="caire" checked' in text(response)
        assert "no such preset" in text(olga.post(self.URL, {"preset": "x", "title": "A"}))
        assert Study.objects.count() == 1

    def test_a_preset_file_that_was_downloaded_makes_the_same_questions(self, olga, study):
        file = olga.get(f"{page_of(study, 'preset')}file/")
        assert 'filename="weddings.toml"' in file["Content-Disposition"]
        upload = SimpleUploadedFile("weddings.toml", file.content)
        olga.post(self.URL, {"preset": "file", "title": "Again", "file": upload})
        made = Study.objects.get(title="Again")
        assert list(made.questions.values_list("key", "text", "required_from")) == list(
            study.questions.values_list("key", "text", "required_from")
        )

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"format = 1\nnmae = 'x'\n", "Did you mean name?"),
            (b"\xff\xfe\x00", "This is no text file."),
            (None, "Choose the preset file."),
        ],
    )
    def test_a_file_that_is_no_preset_is_refused_with_its_faults(self, olga, content, words):
        form = {"preset": "file", "title": "Again"}
        if content is not None:
            form["file"] = SimpleUploadedFile("x.toml", content)
        response = olga.post(self.URL, form)
        assert response.status_code == 422
        assert words in text(response)

    def test_saved_presets_are_offered_to_their_owner_alone(self, olga, study, client):
        olga.post(page_of(study, "preset"), {"name": "House style"})
        assert "House style" in text(olga.get(self.URL))
        key = study.owner.presets.get().key
        client.force_login(a_researcher("mallory"))
        assert "House style" not in text(client.get(self.URL))
        client.post("/admin/studies/study/presets/delete/", {"key": key})
        assert study.owner.presets.exists()
        client.force_login(study.owner)
        client.post("/admin/studies/study/presets/delete/", {"key": key})
        assert not study.owner.presets.exists()


class TestCards:
    def test_a_card_says_in_words_what_when_and_of_whom(self, study):
        Question.objects.filter(key="exaggeration").update(
            tier=2,
            asked_of="probe",
            shown_categories=["wedding", "dance"],
            shown_if=study.questions.get(key="faithfulness"),
            shown_from=1,
            shown_to=2,
            allow_na=True,
            na_label="Cannot be told",
        )
        one, two = question_tiers(study)
        assert [card.number for card in one.cards] == [1, 2, 3]
        rationale, late = one.cards[2], two.cards[0]
        assert rationale.conditions == ["Needed when Hallucination is 3 to 5"]
        assert rationale.facts == ["Free text (rationale)", "20 letters or more"]
        assert late.facts == ["Likert, 5 points", "lower is better", "of each probe"]
        assert late.chips[0] == "1 Not at all"
        assert late.chips[-1] == "Cannot be told"
        assert late.conditions == [
            "Shown for wedding and dance",
            "Shown when Faithfulness is 1 to 2",
        ]

    def test_moving_keeps_to_the_tier_and_stops_at_its_ends(self, olga, study):
        def keys():
            return list(study.questions.values_list("key", flat=True))

        first, last = study.questions.get(position=1), study.questions.get(position=4)
        url = page_of(study, "move-question")
        assert olga.post(url, {"down": first.pk})["Location"].endswith(f"#question-{first.pk}")
        assert keys() == ["hallucination", "faithfulness", "exaggeration", "rationale"]
        olga.post(url, {"up": last.pk})
        assert keys() == ["hallucination", "faithfulness", "rationale", "exaggeration"]
        Question.objects.filter(key="rationale").update(tier=2)
        last.refresh_from_db()
        assert not move_question(question=last, up=True)
        assert not move_question(question=study.questions.get(key="hallucination"), up=True)

    def test_a_question_of_another_study_is_not_moved(self, olga, study, researcher):
        other = Study.objects.create(owner=researcher, title="Other", slug="other")
        foreign = Question.objects.create(study=other, key="far", text="?")
        assert olga.post(page_of(study, "move-question"), {"up": foreign.pk}).status_code == 404
        assert olga.post(page_of(study, "move-question"), {"up": "x"}).status_code == 404


OWN_FIELDS = {
    "likert": {"direction", "level", "asked_of", "allow_na"},
    "yes_no": {"direction", "asked_of", "allow_na"},
    "choice": {"asked_of", "allow_na"},
    "multi": {"direction", "asked_of"},
    "ranking": set(),
    "descriptors": set(),
    "slider": {"direction", "level", "asked_of", "allow_na"},
    "text": {"asked_of", "min_length", "required_when"},
}
N_POINTS = {"likert": 5, "choice": 3, "ranking": 2, "descriptors": 5, "slider": 2}


class TestQuestionPage:
    @pytest.mark.parametrize("kind", KIND_PAGES)
    def test_a_kind_has_its_own_fields_and_points_only(self, olga, study, kind):
        page = text(olga.get(f"/admin/studies/question/add/?study={study.pk}&kind={kind}"))
        shown = {
            name for names in OWN_FIELDS.values() for name in names if f'id="id_{name}"' in page
        }
        assert shown == OWN_FIELDS[kind]
        for name in ("text", "help", "key", "tier", "needs_sound", "shown_if"):
            assert f'id="id_{name}"' in page
        assert (f'value="{N_POINTS.get(kind)}" id="id_points-TOTAL_FORMS"' in page) == (
            kind in N_POINTS
        )

    def test_a_slider_runs_from_0_to_100_and_a_ranking_from_the_first_place_to_the_last(
        self, olga, study
    ):
        Study.objects.filter(pk=study.pk).update(items_per_unit=3)
        for kind, ends in (("slider", [0, 100]), ("ranking", [1, 3])):
            form = {"study": study.pk, "kind": kind, "key": kind, "text": "?", "tier": 1}
            form |= {"direction": "higher", "asked_of": "unit", "required": "on"}
            form |= {"points-TOTAL_FORMS": 2, "points-INITIAL_FORMS": 0}
            for i, value in enumerate(ends):
                form |= {f"points-{i}-value": value, f"points-{i}-label": f"end {value}"}
            url = f"/admin/studies/question/add/?study={study.pk}&kind={kind}"
            assert olga.post(url, form).status_code == 302
            made = study.questions.get(key=kind)
            assert list(made.points.values_list("value", flat=True)) == ends
            wrong = form | {"key": "wrong", "points-1-value": 50}
            if kind == "slider":
                assert "A slider runs from 0 to 100" in text(olga.post(url, wrong))

    def test_values_of_the_items_are_ticked_and_written_down_before_there_are_items(
        self, olga, study
    ):
        question = study.questions.first()
        url = f"/admin/studies/question/{question.pk}/change/"
        assert 'type="checkbox" name="shown_categories" value="wedding"' in text(olga.get(url))
        olga.post(
            url, question_form(question, shown_categories=["wedding"], shown_aspects="a\nb\n")
        )
        question.refresh_from_db()
        assert (question.shown_categories, question.shown_aspects) == (["wedding"], ["a", "b"])

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"shown_from": "", "shown_to": "3"}, "Give the range: from and to."),
            ({"shown_from": "4", "shown_to": "3"}, "The range is upside down."),
        ],
    )
    def test_a_condition_without_a_range_is_refused_at_its_field(self, olga, study, changes, words):
        question = study.questions.get(key="exaggeration")
        other = study.questions.get(key="faithfulness")
        form = question_form(question, shown_if=other.pk, **changes)
        response = olga.post(f"/admin/studies/question/{question.pk}/change/", form)
        assert response.status_code == 422
        assert words in text(response)

    def test_a_question_cannot_wait_for_one_of_a_later_tier(self, olga, study):
        other = study.questions.get(key="faithfulness")
        Question.objects.filter(pk=other.pk).update(tier=2)
        question = study.questions.get(key="exaggeration")
        form = question_form(question, shown_if=other.pk, shown_from=1, shown_to=2)
        response = olga.post(f"/admin/studies/question/{question.pk}/change/", form)
        assert "is in tier 2, which comes later" in text(response)


class TestCardPreview:
    def post(self, client, study, **fields):
        return client.post(f"/studies/{study.slug}/card/", fields)

    @pytest.mark.parametrize("kind", KIND_PAGES)
    def test_every_kind_is_drawn_by_the_annotators_own_template(self, olga, study, kind):
        Study.objects.filter(pk=study.pk).update(items_per_unit=3)
        study.units.all().delete()  # three items are stood in for
        points = {"points-0-value": "1", "points-0-label": "Low end"}
        points |= {"points-1-value": "2", "points-1-label": "High end"}
        page = text(self.post(olga, study, kind=kind, text="How is it?", **points))
        assert "How is it?" in page
        assert f'data-card="{kind}"' in page
        if kind in N_POINTS and kind != "slider":
            assert "High end" in page

    def test_it_follows_what_is_typed_and_saves_nothing(self, olga, study):
        before = list(Question.objects.values()) + list(ScalePoint.objects.values())
        fields = {
            "kind": "likert",
            "text": "How {activity} in {country}?",
            "points-0-value": "1",
            "points-0-label": "Kept",
            "points-0-id": "7",
            "points-1-value": "2",
            "points-1-label": "Gone",
            "points-1-DELETE": "on",
            "points-2-value": "x",
            "points-__prefix__-value": "9",
            "allow_na": "on",
            "na_label": "<b>No</b>",
        }
        page = text(self.post(olga, study, **fields))
        assert "How wedding in Nepal?" in page
        assert "Kept" in page
        assert "Gone" not in page
        assert "&lt;b&gt;No&lt;/b&gt;" in page
        assert list(Question.objects.values()) + list(ScalePoint.objects.values()) == before

    @pytest.mark.parametrize(
        "fields", [{}, {"kind": "colour"}, {"min_length": "9" * 40, "kind": "text"}, {"text": " "}]
    )
    def test_unfinished_forms_are_drawn_all_the_same(self, olga, study, fields):
        assert self.post(olga, study, **fields).status_code == 200

    def test_strangers_and_colleagues_get_none(self, client, study, colleague):
        assert self.post(client, study).status_code == 302
        client.force_login(colleague)
        assert self.post(client, study).status_code == 404


class TestWhereSettingsComeFrom:
    @pytest.fixture
    def made(self, study):
        preset = presets.published()["cultivate"]
        return presets.create_study(preset=preset, owner=study.owner, title="From CULTIVate")

    def test_a_changed_setting_says_what_was_published_and_is_reset(self, olga, made):
        Study.objects.filter(pk=made.pk).update(units_per_session=99)
        before = presets.published()["cultivate"].settings["units_per_session"]
        page = text(olga.get(page_of(made)))
        assert "From <b>CULTIVate</b>, 1 setting changed" in page
        assert "as published" in page
        assert f"<bdi>{before.value}</bdi>" in page
        olga.post(page_of(made, "reset"), {"setting": "units_per_session"})
        made.refresh_from_db()
        assert made.units_per_session == before.value
        assert "setting changed" not in text(olga.get(page_of(made)))

    @pytest.mark.parametrize("setting", ["", "owner", "questions.none", "preset"])
    def test_what_the_preset_does_not_know_is_not_reset(self, olga, made, setting):
        before = Study.objects.filter(pk=made.pk).values().get()
        olga.post(page_of(made, "reset"), {"setting": setting})
        assert Study.objects.filter(pk=made.pk).values().get() == before


class TestLaunch:
    def test_the_sums_are_those_of_the_panels(self, study):
        study.pay_per_hour, study.estimated_minutes = Decimal("9.00"), 14
        study.units_per_session = 4
        found = launch_sum(study, spare=10)
        row = found.rows[0]
        assert (row.units, row.ratings, row.people, row.places) == (6, 18, 5, 6)
        assert pay_each(study) == Decimal("2.10")
        assert found.cost == Decimal("12.60")
        study.pay_per_hour = None
        assert launch_sum(study, spare=0).cost is None

    def test_places_do_not_exceed_the_seats(self, study):
        study.panels.update(seats=3)
        assert launch_sum(study, spare=100).places == 3

    def test_without_checks_a_launch_needs_a_note_and_keeps_it(self, olga, study):
        study.attention_checks.all().delete()
        response = olga.post(page_of(study, "launch"), {"note": "", "fix_plan": "on"})
        assert response.status_code == 422
        assert "Say why: no attention check. Nothing was launched yet." in text(response)
        study.refresh_from_db()
        assert study.is_draft
        assert not plan_of(study).is_fixed
        plan_of(study)
        study.plan.coefficients = ["krippendorff_alpha"]
        study.plan.save()
        olga.post(page_of(study, "launch"), {"note": "As published.", "fix_plan": "on"})
        study.refresh_from_db()
        assert (study.state, study.launch_note) == ("live", "As published.")
        assert plan_of(study).is_fixed
        assert "“<bdi>As published.</bdi>”" in text(olga.get(page_of(study, "history")))

    def test_the_plan_stays_open_where_its_tick_is_taken_out(self, olga, study):
        plan = plan_of(study)
        plan.coefficients = ["krippendorff_alpha"]
        plan.save()
        olga.post(page_of(study, "launch"), {})
        study.refresh_from_db()
        assert study.state == "live"
        assert not plan_of(study).is_fixed

    def test_stops_are_listed_and_nothing_is_launched(self, olga, study):
        study.questions.get(key="faithfulness").points.update(label="")
        response = olga.post(page_of(study, "launch"), {})
        assert response.status_code == 422
        assert "5 things stop the launch." in text(response)
        study.refresh_from_db()
        assert study.is_draft

    def test_the_link_has_the_placeholders_of_prolific_and_other_spares_are_counted(
        self, olga, study
    ):
        page = text(olga.get(page_of(study, "launch") + "?spare=100"))
        assert f"{study.entry_link}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&amp;STUDY_ID=" in page
        assert "Book <b>6</b> places" in page
        assert olga.get(page_of(study, "launch") + "?spare=x").status_code == 200

    def test_a_pilot_runs_and_then_leads_to_the_launch(self, olga, study):
        assert "5 people of each panel" in text(olga.get(page_of(study, "pilot")))
        olga.post(page_of(study, "pilot"), {})
        study.refresh_from_db()
        assert (study.state, study.revision) == ("pilot", 1)
        page = text(olga.get(page_of(study)))
        assert "Before you launch" in page
        assert "Pilot since" in page
        assert "Its answers stay apart" in text(olga.get(page_of(study, "launch")))
        olga.post(page_of(study, "launch"), {})
        study.refresh_from_db()
        assert study.state == "live"
        assert olga.get(page_of(study, "pilot")).status_code == 302
        assert olga.get(page_of(study, "launch")).status_code == 302


class TestRevisions:
    def test_an_edit_makes_a_revision_whose_history_says_what_changed_who_and_why(self, olga, live):
        question = live.questions.get(key="faithfulness")
        form = question_form(question, text="How true is it?", revision_note="Clearer.")
        form |= {"points-0-label": "Never"}
        response = olga.post(f"/admin/studies/question/{question.pk}/change/", form, follow=True)
        assert "This is revision 2." in text(response)
        live.refresh_from_db()
        assert live.revision == 2
        history = text(olga.get(page_of(live, "history")))
        assert "Revision 2" in history
        assert "“How true is it?”" in history
        assert "“Not at all” is now “Never”" in history
        assert "“<bdi>Clearer.</bdi>”" in history
        assert "olga" in history

    def test_what_would_stop_a_launch_is_refused_and_nothing_is_saved(self, olga, live):
        question = live.questions.get(key="faithfulness")
        url = f"/admin/studies/question/{question.pk}/change/"
        form = question_form(question, text="New words") | {"points-0-label": ""}
        response = olga.post(url, form)
        assert response.status_code == 422
        assert 'id="id_points-0-label_error"' in text(response)
        Question.objects.filter(study=live).exclude(pk=question.pk).update(retired=True)
        response = olga.post(url, question_form(question, text="New words", retired="on"))
        assert response.status_code == 422
        assert "Nothing was saved." in text(response)
        assert "no question yet" in text(response)
        assert "New words" in text(response)  # kept for the next try
        question.refresh_from_db()
        live.refresh_from_db()
        assert question.text != "New words"
        assert (live.revision, question.points.get(value=1).label) == (1, "Not at all")

    def test_a_page_from_before_another_revision_is_not_saved_over_it(self, olga, live):
        old = study_form(live, public_title="Mine")
        olga.post(page_of(live), study_form(live, public_title="Theirs"))
        response = olga.post(page_of(live), old)
        assert response.status_code == 422
        assert "opened or revised after this page was loaded" in text(response)
        live.refresh_from_db()
        assert (live.public_title, live.revision) == ("Theirs", 2)

    def test_a_question_can_be_added_retired_and_moved_while_it_is_live(self, olga, live):
        form = {"study": live.pk, "kind": "text", "key": "more", "text": "More?", "tier": 1}
        form |= {"asked_of": "unit", "min_length": 0, "revision": 1}
        olga.post(f"/admin/studies/question/add/?study={live.pk}&kind=text", form)
        live.refresh_from_db()
        assert live.revision == 2
        old = live.questions.get(key="exaggeration")
        old.study.refresh_from_db()
        url = f"/admin/studies/question/{old.pk}/change/"
        assert "Asked no more" in text(olga.get(url))
        olga.post(url, question_form(old, retired="on"))
        live.refresh_from_db()
        assert live.revision == 3
        assert "Asked no more: " in text(olga.get(page_of(live)))
        olga.post(page_of(live, "move-question"), {"down": live.questions.first().pk})
        live.refresh_from_db()
        assert live.revision == 4
        assert "in another order" in text(olga.get(page_of(live, "history")))

    def test_seats_change_while_it_is_live_and_places_do_not(self, olga, live):
        form = study_form(live) | {"panels-0-seats": 40, "panels-0-ratings_per_unit": 9}
        olga.post(page_of(live), form)
        panel = live.panels.get()
        assert (panel.seats, panel.ratings_per_unit) == (40, 3)


class TestPlan:
    URL = "plan"

    def form(self, **changes) -> dict:
        return {
            "coefficients": "krippendorff_alpha\ngwet_ac2",
            "aggregation": "mean",
            "correlations": "spearman",
            "correlation_level": "pooled",
            "metrics": "ALIGN",
            "targets": "ALIGN: faithfulness, hallucination",
            "exclusions": "",
            "notes": "",
            **changes,
        }

    def test_it_is_typed_fixed_and_changed_with_a_reason(self, olga, study):
        olga.post(page_of(study, "plan"), self.form())
        plan = plan_of(study)
        plan.refresh_from_db()
        assert plan.coefficients == ["krippendorff_alpha", "gwet_ac2"]
        assert plan.targets == {"ALIGN": ["faithfulness", "hallucination"]}
        olga.post(page_of(study, "plan/fix"))
        plan.refresh_from_db()
        assert plan.is_fixed
        response = olga.post(page_of(study, "plan"), self.form(aggregation="majority"))
        assert response.status_code == 422
        assert "Say why you change it" in text(response)
        olga.post(page_of(study, "plan"), self.form(aggregation="majority", reason="Ties."))
        plan.refresh_from_db()
        assert (plan.aggregation, plan.is_fixed) == ("majority", False)
        history = text(olga.get(page_of(study, "history")))
        assert "“<bdi>Ties.</bdi>”" in history
        assert "An item’s score" in history or "An item&#x27;s score" in history

    @pytest.mark.parametrize(
        ("targets", "words"),
        [
            ("ALIGN faithfulness", "Line 1 has no metric, colon and keys."),
            ("ALIGN: beauty", "no question has the key beauty"),
        ],
    )
    def test_targets_that_cannot_be_read_are_refused_by_their_line(
        self, olga, study, targets, words
    ):
        response = olga.post(page_of(study, "plan"), self.form(targets=targets))
        assert response.status_code == 422
        assert words in text(response)
        assert targets in text(response)

    def test_an_empty_plan_is_not_fixed(self, olga, study):
        response = olga.post(page_of(study, "plan/fix"), follow=True)
        assert "names no agreement coefficient" in text(response)
        assert not plan_of(study).is_fixed

    def test_the_check_list_knows_that_it_is_fixed(self, olga, study):
        plan = plan_of(study)
        plan.coefficients = ["gwet_ac2"]
        plan.save()
        fix_plan(study=study, by=study.owner)
        assert "Gwet’s AC2, fixed " in text(olga.get(page_of(study)))


class TestPutAwayAndCopied:
    def test_an_archived_study_leaves_the_lists_and_comes_back(self, olga, study):
        olga.post(page_of(study, "archive"), {"archive": "yes"}, follow=True)
        assert "Weddings" not in text(olga.get("/admin/studies/study/"))
        shown = text(olga.get("/admin/studies/study/?archive=yes"))
        assert "Weddings" in shown
        assert "<h1>All studies</h1>" in shown
        home = text(olga.get("/", follow=True))
        assert "1 in the archive" in home
        assert "Weddings" in text(olga.get("/?archive=yes"))
        olga.post(page_of(study, "archive"), {"archive": "no"})
        assert "in the archive" not in text(olga.get("/"))

    def test_what_is_in_the_archive_is_not_changed(self, olga, study):
        lifecycle.archive_study(study=study)
        study.refresh_from_db()
        question = study.questions.first()
        url = f"/admin/studies/question/{question.pk}/change/"
        for address, form in (
            (page_of(study), study_form(study, title="Changed")),
            (url, question_form(question, text="Changed")),
        ):
            response = olga.post(address, form)
            assert response.status_code == 422
            assert "Take it out of the archive first." in text(response)
        olga.post(page_of(study, "move-question"), {"down": question.pk})
        olga.post(page_of(study, "plan"), {"aggregation": "majority", "correlation_level": "x"})
        study.refresh_from_db()
        question.refresh_from_db()
        assert study.title == "Weddings"
        assert (question.position, question.text != "Changed") == (1, True)
        assert plan_of(study).aggregation == "mean"

    def test_what_was_opened_is_not_deleted_and_the_archive_is_offered(self, olga, live):
        page = olga.get(page_of(live, "delete"))
        assert page.status_code == 403
        assert "Archive it instead." in text(page)
        assert page_of(live, "archive") in text(page)
        response = olga.post(page_of(live, "archive"), {"archive": "yes"}, follow=True)
        assert "Close it first." in text(response)

    def test_a_copy_is_a_draft_of_ones_own_with_or_without_items(self, olga, live):
        form = {"title": "Once more", "with_items": "on"}
        olga.post(page_of(live, "duplicate"), form)
        olga.post(page_of(live, "duplicate"), {"title": "Only words"})
        full, bare = (Study.objects.get(title=t) for t in ("Once more", "Only words"))
        assert (full.state, full.items.count(), full.units.count()) == ("draft", 6, 6)
        assert (bare.items.count(), bare.questions.count()) == (0, 4)
        assert olga.post(page_of(live, "duplicate"), {"title": ""}).status_code == 422


class TestBank:
    def test_probes_are_filtered_and_units_name_their_members_and_gaps(self, olga, study):
        for n, dimension in enumerate(("Identity", "Behavior")):
            Probe.objects.create(
                study=study,
                external_id=f"p{n}",
                scenario="greeting",
                dimension=dimension,
                text=f"Is there a {dimension}?",
                verified=n == 0,
            )
        page = text(olga.get(page_of(study, "probes") + "?dimension=Identity"))
        assert "Is there a Identity?" in page
        assert "Is there a Behavior?" not in page
        assert "Behavior?" in text(olga.get(page_of(study, "probes") + "?verified=no"))
        Question.objects.filter(key="faithfulness").update(asked_of="probe")
        units = text(olga.get(page_of(study, "units")))
        assert "<bdi>np-1</bdi>" in units
        assert "np-1: no verified probe of" in units
        assert "np-2" not in text(olga.get(page_of(study, "units") + "?q=np-1")).split("<tbody>")[1]

    def test_sets_that_lack_a_member_are_named(self, olga, study):
        for n, item in enumerate(study.items.all()):
            item.system = study.systems.get_or_create(name=f"model {n % 2}")[0]
            item.prompt = f"scene {n // 2}" if n < 5 else "scene 9"
            item.save()
        Study.objects.filter(pk=study.pk).update(items_per_unit=2)
        units = text(olga.get(page_of(study, "units")))
        assert "Prompt scene 9: no picture of model model 0." in units
