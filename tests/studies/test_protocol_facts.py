"""The published facts of the four protocols, held against their preset files one by one."""

import ast
from pathlib import Path

import pytest
from django.conf import settings as project

from studies.presets.library import published

FACTS = {
    "cultivate": {
        "items_per_unit": 1,
        "every_panel_rates_all": False,
        "sound": "off",
        "pay_per_hour": 8.0,
        "pay_currency": "USD",
        "panels.ratings_per_unit": 2,
        "panels.screen_nationality": True,
        "plan.correlations": ["spearman"],
        "plan.correlation_level": "by-region",
        "plan.aggregation": "mean",
    },
    "caire": {
        "items_per_unit": 1,
        "every_panel_rates_all": True,
        "repeats": 0,
        "panels.ratings_per_unit": 20,
        "plan.correlations": ["pearson"],
        "plan.correlation_level": "within-country",
        "plan.aggregation": "mean",
    },
    "culturevidbench": {
        "items_per_unit": 1,
        "show_prompt": True,
        "show_element": True,
        "sound": "judged",
        "policy": "crossed",
        "units_per_session": 98,
        "pay_per_hour": 6.0,
        "pay_currency": "GBP",
        "panels.ratings_per_unit": 3,
        "panels.screen_nationality": True,
        "panels.screen_residence": True,
        "panels.screen_language": True,
        "plan.correlations": ["kendall_tau_b", "spearman"],
        "plan.correlation_level": "within-country",
    },
    "culturescore": {
        "consent_first": True,
        "items_per_unit": 3,
        "shuffle_items": True,
        "sound": "off",
        "devices": "computer",
        "units_per_session": 3,
        "estimated_minutes": 15,
        "pay_per_hour": 20.0,
        "pay_currency": "USD",
        "panels.screen_nationality": True,
        "panels.screen_residence": True,
        "plan.aggregation": "mean-rank",
        "plan.correlations": ["spearman"],
    },
}
QUESTIONS = {
    "cultivate": {
        "faithfulness": ("likert", 1, "higher"),
        "hallucination": ("likert", 1, "lower"),
        "exaggeration": ("likert", 1, "lower"),
        "realism": ("likert", 1, "higher"),
        "rationale": ("text", 1, "none"),
        "descriptor_check": ("descriptors", 2, "higher"),
    },
    "caire": {"relevance": ("likert", 1, "none")},
    "culturevidbench": {
        "element_alignment": ("likert", 1, "higher"),
        "cultural_consistency": ("likert", 1, "higher"),
        "text_rendering": ("likert", 1, "higher"),
        "audio_alignment": ("likert", 1, "higher"),
        "subject_alignment": ("likert", 1, "higher"),
        "action_alignment": ("likert", 1, "higher"),
        "realism": ("likert", 1, "higher"),
        "visual_quality": ("likert", 1, "higher"),
    },
    "culturescore": {
        "question_relevance": ("yes_no", 1, "none"),
        "perceptual_accuracy": ("multi", 2, "higher"),
        "preference": ("ranking", 3, "lower"),
    },
}
COUNTRIES = {
    "caire": "BR CN DE EG ID IN MX NG RU US",
    "culturescore": "BR CA CL CN DE IN JP PL ZA",
}
OF_CULTIVATES_BENCHMARK = "US ES IT DE FR IR TR CN IN ID PH NP NG ZA BR MX"


def values(key: str) -> dict:
    return {name: setting.value for name, setting in published()[key].settings.items()}


def countries(key: str) -> list[str]:
    return sorted(panel["country"] for panel in values(key)["panels"])


@pytest.mark.parametrize("key", FACTS)
def test_published_settings_are_as_published_and_say_so(key):
    found = published()[key].settings
    assert {name: found[name].value for name in FACTS[key]} == FACTS[key]
    told = {name: found[name].status for name in FACTS[key]}
    assert "ours" not in told.values(), told


@pytest.mark.parametrize("key", QUESTIONS)
def test_questions_come_in_their_order_with_kind_tier_and_direction(key):
    found = values(key)
    assert found["questions"] == list(QUESTIONS[key])
    asked = {name: found[f"questions.{name}"] for name in found["questions"]}
    assert QUESTIONS[key] == {
        name: (row["kind"], row.get("tier", 1), row.get("direction", "higher"))
        for name, row in asked.items()
    }
    assert all(row.get("required", True) for row in asked.values())
    scales = [row for row in asked.values() if row["kind"] in ("likert", "descriptors")]
    assert all([p["value"] for p in row["points"]] == [1, 2, 3, 4, 5] for row in scales)


def test_panels_are_of_the_published_countries():
    assert {key: " ".join(countries(key)) for key in COUNTRIES} == COUNTRIES
    assert len(countries("cultivate")) == 11
    assert set(countries("cultivate")) <= set(OF_CULTIVATES_BENCHMARK.split())
    assert len(countries("culturevidbench")) == 12


def test_the_questionnaire_of_culturevidbench_is_in_a_language_of_the_country():
    told = {panel["country"]: panel["language"] for panel in values("culturevidbench")["panels"]}
    assert {told[country] for country in ("CN", "JP", "IN", "EG", "RU", "BR")} == {
        "zh", "ja", "hi", "ar", "ru", "pt",
    }  # fmt: skip


def test_sound_is_rated_for_six_aspects_and_writing_only_where_it_is_seen():
    found = values("culturevidbench")
    audio = found["questions.audio_alignment"]
    assert audio["needs_sound"]
    assert sorted(audio["shown_aspects"]) == [
        "celebration", "concerts", "dancing", "funerals", "religious practices", "weddings",
    ]  # fmt: skip
    offered = [name for name in found["questions"] if found[f"questions.{name}"].get("allow_na")]
    assert offered == ["text_rendering"]
    assert found["questions.text_rendering"]["na_label"] == "No text visible"


def test_both_questions_about_a_probe_are_asked_of_every_probe():
    found = values("culturescore")
    of_probes = [n for n in found["questions"] if found[f"questions.{n}"].get("asked_of")]
    assert of_probes == ["question_relevance", "perceptual_accuracy"]
    assert not any("shown_if" in found[f"questions.{n}"] for n in found["questions"])


def test_checks_are_where_they_were_published():
    """CAIRe and CultureScore report none; theirs are switched off and ours."""
    active = {
        key: sum(check.get("active", True) for check in values(key)["attention_checks"])
        for key in FACTS
    }
    assert active == {"cultivate": 1, "caire": 0, "culturevidbench": 3, "culturescore": 0}


def test_metrics_have_the_targets_of_the_papers():
    targets = values("cultivate")["plan.targets"]
    assert targets["ALIGN"] == ["faithfulness", "realism"]
    assert targets["HAL"] == ["hallucination", "faithfulness"]
    assert (targets["FAITH"], targets["EXAG"]) == (["faithfulness"], ["exaggeration"])
    assert values("culturevidbench")["plan.rescaled"] is True
    assert values("culturescore")["plan.targets"]["CultureScore"][0] == "preference"


@pytest.mark.parametrize("key", FACTS)
def test_attention_checks_are_short_and_name_what_to_choose(key):
    for check in values(key)["attention_checks"]:
        assert len(check["text"].split()) <= 20
        number = {0: "No"}.get(check["expected"], str(check["expected"]))
        assert check["text"].rstrip(".").endswith(f"choose {number}")


def test_an_error_in_the_booth_has_at_most_20_words():
    calls = {"_", "gettext", "ngettext", "pgettext"}
    long, n_texts = [], 0
    for path in Path(project.BASE_DIR, "annotation").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in calls:
                continue
            texts = [a.value for a in node.args if isinstance(a, ast.Constant)]
            n_texts += len(texts)
            long += [text for text in texts if len(str(text).split()) > 20]
    assert n_texts > 50
    assert long == []
