"""What is asked, about which items."""

from studies.models.book import Scenario, ScenarioPrompt
from studies.models.checks import CheckRules, ComprehensionQuestion, Contradiction
from studies.models.country_group import CountryGroup
from studies.models.descriptor import Description, Descriptor
from studies.models.element import ElementPicture
from studies.models.gold import GoldLabel
from studies.models.importing import ImportUpload
from studies.models.item import Item, System
from studies.models.panel import Panel
from studies.models.plan import AnalysisPlan
from studies.models.preset import SavedPreset
from studies.models.probe import Probe, UnitProbe
from studies.models.quality import QualityRule
from studies.models.question import AttentionCheck, Question, ScalePoint
from studies.models.recruitment import OutcomeCode, Recruitment
from studies.models.revision import DesignRevision
from studies.models.screening import ScreeningQuestion
from studies.models.study import Study
from studies.models.translation import Translation
from studies.models.unit import Unit, UnitItem

__all__ = [
    "AnalysisPlan",
    "AttentionCheck",
    "CheckRules",
    "ComprehensionQuestion",
    "Contradiction",
    "CountryGroup",
    "Description",
    "Descriptor",
    "DesignRevision",
    "ElementPicture",
    "GoldLabel",
    "ImportUpload",
    "Item",
    "OutcomeCode",
    "Panel",
    "Probe",
    "QualityRule",
    "Question",
    "Recruitment",
    "SavedPreset",
    "ScalePoint",
    "Scenario",
    "ScreeningQuestion",
    "ScenarioPrompt",
    "Study",
    "System",
    "Translation",
    "Unit",
    "UnitItem",
    "UnitProbe",
]
