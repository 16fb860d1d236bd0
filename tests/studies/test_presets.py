"""Presets: complete studies from one readable file each, and back."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from django.conf import settings

from annotation import entry
from annotation.assignment import ensure_places
from annotation.models import Place
from studies import presets, units
from studies.lifecycle import launch_checks, launch_study
from studies.models import SavedPreset, Study, UnitItem, UnitProbe
from studies.plans import fix_plan
from studies.presets import PresetRefused, Setting, parse_preset, preset_text
from studies.presets.library import FOLDER, ORDER, published
from studies.revisions import revise
from tests.studies.generated import (
    add_bank,
    add_items,
    add_references,
    add_triplets,
    translate_all,
)
from tests.studies.people import a_researcher

PROTOCOLS = [key for key in ORDER if key != "blank"]
WORDS = {"consent_summary": 120, "text": 20, "help": 15, "label": 3, "na_label": 3}


@pytest.fixture
def make(researcher):
    """A study from a published preset."""

    def made(key: str, **changes) -> Study:
        return presets.create_study(
            preset=published()[key], owner=researcher, title=f"My {key}", **changes
        )

    return made


def _launch(study: Study) -> Study:
    units.rebuild(study)
    translate_all(study)
    launch_study(study=study, by=study.owner, note="As published.")
    study.refresh_from_db()
    return study


def _wanted(study: Study) -> int:
    """Ratings wanted, counted as the places that the first arrivals would make."""
    for panel in study.panels.all():
        ensure_places(panel=panel)
    return Place.objects.filter(panel__study=study).count()


# ---- published totals


@pytest.mark.django_db
def test_cultivate_wants_796_annotations_of_398_forms(make):
    study = make("cultivate")
    countries = list(study.panels.values_list("country", flat=True))
    activities = ["wedding", "greeting", "concert"]
    rows = [
        {
            "external_id": f"form-{n:03d}",
            "country": countries[n % len(countries)],
            "category": activities[n % 3],
            "system": f"t2i-{n % 3}",
            "prompt": f"Form {n}",
        }
        for n in range(398)
    ]
    add_items(study, rows)
    add_references(study, activities, countries)
    _launch(study)
    assert _wanted(study) == 796
    assert len(countries) == 11


@pytest.mark.django_db
def test_caire_wants_80_000_ratings_of_400_pictures(make):
    study = make("caire")
    countries = list(study.panels.values_list("country", flat=True))
    rows = [
        {
            "external_id": f"{country}-{concept}-{origin}-{n}",
            "country": country,
            "scenario": f"concept {concept}",
            "category": f"concept {concept}",
            "origin": origin,
            "prompt": f"concept {concept}",
        }
        for country in countries
        for concept in range(20)
        for n, origin in enumerate(("generated", "real"))
    ]
    add_items(study, rows)
    _launch(study)
    assert study.items.count() == 400
    assert _wanted(study) == 80_000


@pytest.mark.django_db
def test_culturevidbench_wants_3_528_rated_videos(make):
    study = make("culturevidbench")
    countries = list(study.panels.values_list("country", flat=True))
    aspects = ["food", "weddings", *[f"aspect {n}" for n in range(12)]]
    rows = [
        {
            "external_id": f"{country}-{aspect}-{system}",
            "country": country,
            "aspect": aspect,
            "scenario": aspect,
            "prompt": f"{aspect} in {country}",
            "system": f"t2v-{system}",
            "kind": "video",
            "has_audio": system < 2,
        }
        for country in countries
        for aspect in aspects
        for system in range(7)
    ]
    add_items(study, rows)
    _launch(study)
    assert study.items.count() == 1176
    assert _wanted(study) == 3528
    assert {panel.units().count() for panel in study.panels.all()} == {98}


@pytest.mark.django_db
def test_culturescore_wants_135_ranks_a_system(make):
    study = make("culturescore")
    scenarios = ["tea", "new year", "a visit"]
    for panel in study.panels.all():
        add_triplets(study, panel.country, scenarios)
        add_bank(study, panel.country, scenarios)
    _launch(study)
    _wanted(study)
    places = Counter(Place.objects.filter(panel__study=study).values_list("unit_id", flat=True))
    ranks: Counter[str] = Counter()
    for unit, system in UnitItem.objects.filter(unit__study=study).values_list(
        "unit_id", "item__system__name"
    ):
        ranks[system] += places[unit]
    assert ranks == {"a": 135, "b": 135, "c": 135}
    dimensions = UnitProbe.objects.filter(unit__study=study).values_list("unit", "probe__dimension")
    assert len(set(dimensions)) == len(dimensions) == 27 * 3


def small(make, key: str) -> Study:
    """A launched study of one prompt a country."""
    study = make(key)
    for country in study.panels.values_list("country", flat=True):
        scene = {"country": country, "scenario": "wedding", "prompt": "A wedding", "kind": "image"}
        scene |= {"category": "wedding", "aspect": "weddings", "has_audio": True}
        if study.sound == Study.Sound.OFF:
            scene["has_audio"] = False
        names = [{"external_id": f"{country}-{n}", "system": f"model {n}"} for n in range(3)]
        add_items(study, [scene | name for name in names])
        add_bank(study, country, ["wedding"], each=1)
        add_references(study, ["wedding"], [country])
    return _launch(study)


# ---- the files


@pytest.mark.parametrize("key", ORDER)
def test_a_preset_survives_its_way_through_its_file(key):
    preset = published()[key]
    assert parse_preset(preset_text(preset)) == preset


@pytest.mark.parametrize("key", PROTOCOLS)
def test_every_setting_says_where_it_comes_from(key):
    settings = published()[key].settings
    assert {setting.status for setting in settings.values()} == {"published", "inferred", "ours"}
    silent = [n for n, s in settings.items() if s.status == "published" and not s.note]
    assert set(silent) <= {"plan.rescaled"}


@pytest.mark.parametrize("key", PROTOCOLS)
def test_every_point_has_a_label_and_a_description(key):
    for name, setting in published()[key].settings.items():
        for point in setting.value.get("points", []) if name.startswith("questions.") else []:
            assert point["label"] and point["description"], (name, point)


@pytest.mark.parametrize("key", PROTOCOLS)
def test_words_stay_within_their_limits(key):
    settings = published()[key].settings
    told = [
        ("consent_summary", settings["consent_summary"].value),
        *_question_words(settings),
    ]
    too_long = [(n, text) for n, text in told if len(text.split()) > WORDS[n]]
    assert too_long == []
    told = f"{settings['instructions'].value} {settings['instruction_points'].value}"
    assert len(told.split()) <= 150


def _question_words(settings):
    for name, setting in settings.items():
        if name.startswith("questions."):
            value = setting.value
            rows = [value, *value.get("points", [])]
            yield from ((n, row[n]) for row in rows for n in WORDS if n in row)


@pytest.mark.parametrize("key", ORDER)
def test_no_paper_words_reach_annotators(key):
    """They read of pictures, videos and sets, never of items, units, models or conditions."""
    settings = published()[key].settings
    names = ("public_title", "consent_summary", "consent_text", "instructions")
    text = " ".join(settings[name].value for name in names if name in settings).lower()
    text += " ".join(words for _, words in _question_words(settings)).lower()
    found = {word.strip(".,:;?“”()") for word in text.split()} & {
        "item", "items", "unit", "units", "model", "models", "system", "condition", "metric",
    }  # fmt: skip
    assert found == set()


def test_the_example_of_the_documentation_is_a_preset():
    text = (settings.BASE_DIR / "docs" / "presets.md").read_text("utf-8")
    example = text.split("```toml\n")[1].split("```")[0]
    preset = parse_preset(example)
    assert preset.questions == ["taste", "why"]
    assert preset.settings["questions.why"].value["required_when"]["question"] == "taste"


def test_added_checks_are_off_and_marked_as_not_published():
    for key in ("caire", "culturescore"):
        setting = published()[key].settings["attention_checks"]
        assert setting.status == "ours"
        assert "Not in the published study" in setting.note
        assert [check["active"] for check in setting.value] == [False]


# ---- refusals


def _with(key: str, old: str, new: str) -> str:
    text = (FOLDER / f"{key}.toml").read_text("utf-8")
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new", "key", "wrong", "fix"),
    [
        ("format = 1", "format = 9", "format", "not known", "Write format = 1."),
        ('name = "CAIRe"', "", "name", "missing", "at the top"),
        (
            "[settings.units_per_session]",
            "[settings.units_per_sesion]",
            "settings.units_per_sesion",
            "The key is not known.",
            "Did you mean units_per_session?",
        ),
        (
            "value = 40",
            'value = "forty"',
            "settings.units_per_session.value",
            "“forty” is not a whole number.",
            "Write a whole number.",
        ),
        ("value = 40", "value = 0", "settings.units_per_session.value", "greater than", "Change"),
        ("value = 40", "value = true", "settings.units_per_session.value", "not a whole", "Write"),
        (
            'value = "least-rated"',
            'value = "fair"',
            "settings.policy.value",
            "“fair” is not allowed.",
            "Choose one of least-rated, random, blocks, crossed.",
        ),
        ('status = "published"', 'status = "known"', "settings.", "“known”", "published, inferred"),
        ('country = "CN"', 'country = "Chine"', "panels.value[1].country", "not known", "code"),
        ('country = "CN"', 'country = "IN"', "panels.value[2]", "twice", "Keep one"),
        ('kind = "likert"', 'kind = "stars"', "questions[1].kind", "not allowed", "likert"),
        ('key = "relevance"', 'key = "Re levance"', "questions[1].key", "Small letters", "key"),
        (
            'kind = "likert"',
            'kind = "multi"\nallow_na = true',
            "questions[1].allow_na",
            "has no “does not apply”",
            "Take allow_na out.",
        ),
        ("value = 2, label", "value = 1, label", "questions[1].points[2]", "twice", "Number"),
        (
            'label = "Not relevant"',
            f'label = "{"x" * 61}"',
            "questions[1].points[1].label",
            "at most 60",
            "Change the value.",
        ),
        (
            'scale_of = "relevance"',
            'scale_of = "none"',
            "attention_checks.value[1].scale_of",
            "no question “none”",
            "Name a question",
        ),
        ('CLIP = ["relevance"]', 'CLIP = ["beauty"]', "plan.targets.value.CLIP", "beauty", "Name"),
        ('["pearson"]', '"pearson"', "plan.correlations.value", "list of texts", "Write"),
    ],
)
def test_a_fault_is_named_by_its_key_with_its_fix(old, new, key, wrong, fix):
    with pytest.raises(PresetRefused) as refusal:
        parse_preset(_with("caire", old, new))
    found = [problem for problem in refusal.value.problems if problem.key.startswith(key)]
    assert found, refusal.value.problems
    assert any(wrong in problem.wrong and fix in problem.fix for problem in found), found


def test_what_is_no_toml_names_the_line():
    with pytest.raises(PresetRefused, match="line 2"):
        parse_preset("format = 1\nname = CAIRe\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "format = 1",
        "settings = 3",
        "questions = 3",
        "questions = [1]",
        "panels = []",
        "facts = {}",
        "plan = 1\nattention_checks = 2\nquestion_order = 3",
        "[settings]\nsound = 1",
        "[[questions]]\nkey = 5\nkind = 7\ntext = 8\npoints = 3\nshown_if = 4",
        "[[questions]]\nkey = 'a'\npoints = [{value = 'x'}]\nshown_if = {question = 'a'}",
        "[plan.targets]\nvalue = {a = 3}",
        "[panels]\nvalue = [{country = 3, language = []}]",
        "[settings.watch_share]\nvalue = nan",
        "[settings.pay_per_hour]\nvalue = inf",
        "[attention_checks]\nvalue = [{text = 1, scale_of = [], expected = 'x'}]",
        "[settings.sound]\nvalue = ['off']\nstatus = []\nnote = 3",
    ],
)
def test_any_nonsense_is_refused_and_never_an_error(text):
    with pytest.raises(PresetRefused):
        parse_preset(text)


# ---- studies from presets


@pytest.mark.django_db
@pytest.mark.parametrize("key", ORDER)
def test_a_new_study_differs_from_its_preset_in_nothing(make, key):
    study = make(key)
    assert [row.name for row in presets.differences(study) if row.changed] == []
    assert presets.preset_name(study) == published()[key].name


@pytest.mark.django_db
@pytest.mark.parametrize("key", PROTOCOLS)
def test_a_new_study_lacks_only_its_items(make, key):
    stops = {check.name for check in launch_checks(make(key)) if check.mark == "stop"}
    assert "Items" in stops
    assert stops <= {"Items", "Questions", "Screens", "Words"}


@pytest.mark.django_db
def test_a_changed_setting_is_told_with_its_published_value_and_reset(make):
    study = make("cultivate")
    study.panels.update(ratings_per_unit=5)
    study.questions.filter(key="realism").update(text="Is it real?")
    study.questions.get(key="realism").points.filter(value=5).delete()
    changed = {row.name: row for row in presets.differences(study) if row.changed}
    assert set(changed) == {"panels.ratings_per_unit", "questions.realism"}
    row = changed["panels.ratings_per_unit"]
    assert (row.published, row.current, row.status) == (2, 5, "published")
    assert "Two different people" in row.note
    for name in changed:
        presets.reset_setting(study=study, name=name)
    assert [row.name for row in presets.differences(study) if row.changed] == []


@pytest.mark.django_db
def test_panels_that_differ_are_told_one_by_one(make):
    study = make("culturescore")
    study.panels.filter(country="BR").update(ratings_per_unit=7)
    changed = {row.name: row for row in presets.differences(study) if row.changed}
    assert changed["panels.ratings_per_unit"].current["BR"] == 7
    assert "BR: 7" in changed["panels.ratings_per_unit"].current_words


@pytest.mark.django_db
def test_a_deleted_question_and_panel_come_back_by_reset(make):
    study = make("cultivate")
    study.questions.get(key="rationale").delete()
    study.panels.get(country="IR").delete()
    for name in ("questions.rationale", "questions", "panels", "panels.ratings_per_unit"):
        presets.reset_setting(study=study, name=name)
    assert [row.name for row in presets.differences(study) if row.changed] in ([], ["panels"])
    assert study.panels.get(country="IR").ratings_per_unit == 2


@pytest.mark.django_db
def test_a_setting_without_a_preset_cannot_be_reset(make):
    with pytest.raises(presets.SettingRefused, match="says nothing about"):
        presets.reset_setting(study=make("blank"), name="questions.realism")


@pytest.mark.django_db
def test_a_reset_of_an_opened_study_is_its_next_revision(make, researcher):
    study = small(make, "culturescore")
    study.questions.filter(key="preference").update(help="Look twice.")
    revise(study=study, by=researcher)
    presets.reset_setting(study=study, name="questions.preference", by=researcher)
    assert study.revision == 3
    row = study.revisions.get(number=3)
    assert (row.note, row.created_by) == ("Question: preference: as the preset had it.", researcher)
    for name in ("items_per_unit", "panels", "panels.ratings_per_unit", "sound"):
        with pytest.raises(presets.SettingRefused, match="cannot change once the study was opened"):
            presets.reset_setting(study=study, name=name)


@pytest.mark.django_db
def test_a_fixed_plan_is_not_reset_behind_its_back(make, researcher):
    study = make("caire")
    fix_plan(study=study, by=researcher)
    with pytest.raises(presets.SettingRefused, match="The plan is fixed"):
        presets.reset_setting(study=study, name="plan.coefficients")


@pytest.mark.django_db
@pytest.mark.parametrize("key", PROTOCOLS)
def test_the_first_step_of_a_preset_is_drawn_with_all_its_questions(client, make, key):
    study = small(make, key)
    panel = study.panels.first()
    person = entry.arrive(study=study)
    entry.record_consent(participation=person, agreed=True)
    entry.record_screening(
        participation=person,
        nationality=panel.country,
        residence=panel.country,
        first_language=panel.language,
    )
    entry.start_rating(participation=person)
    page = client.get(f"/a/{person.token}/now/", follow=True)
    assert page.status_code == 200
    html = page.content.decode()
    assert "{probe}" not in html and "{activity}" not in html and "{country}" not in html
    for question in study.questions.filter(tier=1):
        assert f"q_{question.pk}" in html, question.key


@pytest.mark.django_db
def test_studies_of_one_title_get_addresses_of_their_own(make):
    slugs = [make("blank").slug for _ in range(3)]
    assert slugs == ["my-blank", "my-blank-2", "my-blank-3"]


# ---- presets of one's own


@pytest.mark.django_db
def test_a_saved_study_comes_back_as_a_preset_of_its_owner_alone(make, researcher, colleague):
    study = make("cultivate")
    study.panels.filter(country="IR").update(ratings_per_unit=4)
    study.units_per_session = 20
    study.instructions = 'Look "closely".\n\nThen say\\write what you see \t here.'
    study.save()
    saved = presets.save_preset(study=study, owner=researcher, name="Weddings, ours")
    assert saved.key in [preset.key for preset in presets.available(researcher)]
    assert saved.key not in [preset.key for preset in presets.available(colleague)]
    with pytest.raises(presets.NoSuchPreset):
        presets.get(saved.key, colleague)
    preset = presets.get(saved.key, researcher)
    again = presets.create_study(preset=preset, owner=researcher, title="Again")
    assert [row.name for row in presets.differences(again) if row.changed] == []
    assert again.instructions == study.instructions
    assert again.panels.get(country="IR").ratings_per_unit == 4
    assert again.units_per_session == 20
    assert again.provenance["units_per_session"]["status"] == "ours"
    assert again.provenance["policy"] == study.provenance["policy"]


@pytest.mark.django_db
def test_a_preset_file_leaves_out_who_made_it(make):
    study = make("caire")
    study.contact, study.completion_code = "ana@example.org", "SECRET7"
    study.save()
    text = preset_text(presets.preset_of(study))
    assert "ana@example.org" not in text
    assert "SECRET7" not in text
    assert study.entry_token not in text


@pytest.mark.django_db
def test_a_preset_that_came_as_a_file_is_kept_under_its_name(researcher):
    preset = replace(published()["caire"], name="From Ben")
    row = presets.keep_preset(preset=parse_preset(preset_text(preset)), owner=researcher)
    kept = presets.get(row.key, researcher)
    assert kept.name == "From Ben"
    assert kept.settings == preset.settings
    presets.delete_preset(key=row.key, owner=researcher)
    with pytest.raises(presets.NoSuchPreset):
        presets.get(row.key, researcher)


@pytest.mark.django_db
def test_a_saved_preset_that_cannot_be_read_any_more_hides_no_other_and_is_told(client, researcher):
    SavedPreset.objects.create(owner=researcher, name="Old", text="format = 0")
    assert [preset.key for preset in presets.available(researcher)] == list(ORDER)
    row = SavedPreset.objects.get()
    (told,) = presets.unreadable(researcher)
    assert (told.name, told.fault.key) == ("Old", "format")
    client.force_login(researcher)
    page = client.get("/admin/studies/study/add/").content.decode()
    assert "format: The format is not known." in page
    presets.delete_preset(key=row.key, owner=researcher)
    assert not SavedPreset.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["saved-", "saved-x", "saved-²", "saved-" + "9" * 40, "", "nope"])
def test_a_key_of_no_preset_is_refused(researcher, key):
    with pytest.raises(presets.NoSuchPreset):
        presets.get(key, researcher)


@pytest.mark.django_db
def test_names_of_saved_presets_are_of_one_researcher(make):
    other = a_researcher("cleo")
    study = make("blank")
    presets.save_preset(study=study, owner=study.owner, name="Mine")
    presets.save_preset(study=study, owner=other, name="Mine")
    presets.save_preset(study=study, owner=other, name="Mine")
    assert [preset.name for preset in presets.available(other)][-1] == "Mine"
    assert sum(preset.is_saved for preset in presets.available(other)) == 1


def test_settings_are_plain_values():
    assert Setting(3).status == "ours"
    assert published()["culturescore"].questions == [
        "question_relevance",
        "perceptual_accuracy",
        "preference",
    ]


def test_a_study_with_a_retired_question_is_kept_without_what_hangs_on_it(make, researcher):
    study = make("cultivate")
    realism = study.questions.get(key="realism")
    study.questions.filter(key="rationale").update(
        required_when=realism, required_from=1, required_to=2
    )
    study.attention_checks.create(text="Choose 1.", scale_of=realism, expected=1)
    study.questions.filter(key="realism").update(retired=True)
    row = presets.save_preset(study=study, owner=researcher, name="Mine")
    kept = presets.get(row.key, researcher).settings
    assert "realism" not in kept["questions"].value
    assert kept["plan.targets"].value["ALIGN"] == ["faithfulness"]
    assert [check["scale_of"] for check in kept["attention_checks"].value] == ["faithfulness"]
    assert "required_when" not in kept["questions.rationale"].value
    again = presets.create_study(preset=parse_preset(row.text), owner=researcher, title="Again")
    assert again.questions.count() == 5


def test_a_design_that_cannot_be_a_preset_is_told_on_its_page(client, make, researcher):
    study = make("cultivate")
    study.questions.filter(key="rationale").update(
        shown_if=study.questions.get(key="realism"), shown_from=None, shown_to=None
    )
    client.force_login(researcher)
    answer = client.post(f"/admin/studies/study/{study.pk}/preset/", {"name": "Mine"})
    assert answer.status_code == 422
    assert "questions.rationale.shown_if: Its range is not given." in answer.content.decode()
    assert not SavedPreset.objects.exists()


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('key = "realism"', 'key = ["realism"]', "questions[4].key"),
        ('key = "realism"', "key = { a = 1 }", "questions[4].key"),
        ('status = "inferred"', 'status = ["inferred"]', "settings.base_language.status"),
        ('title = "Social', 'title = "\\u0000Social', "title"),
        ('label = "Not at all"', 'label = "Not\\u0000 at all"', "questions[1].points[1].label"),
    ],
)
def test_values_of_a_kind_that_nothing_can_hold_are_named(old, new, key):
    text = (FOLDER / "cultivate.toml").read_text("utf-8")
    assert old in text
    with pytest.raises(PresetRefused) as refusal:
        parse_preset(text.replace(old, new, 1))
    assert key in [problem.key for problem in refusal.value.problems]


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ('{ question = ["realism"], from = 1, to = 2 }', "shown_if.question"),
        ('{ question = "realism", from = 1, to = 99999 }', "shown_if.to"),
        ('{ question = "realism", from = 1, to = 1000000000000000000000 }', "shown_if.to"),
    ],
)
def test_a_condition_that_no_database_could_hold_is_named(table, key):
    text = (FOLDER / "cultivate.toml").read_text("utf-8")
    text = text.replace("min_length = 20", f"min_length = 20\nshown_if = {table}", 1)
    with pytest.raises(PresetRefused) as refusal:
        parse_preset(text)
    assert f"questions.rationale.{key}" in [problem.key for problem in refusal.value.problems]
