"""What is asked, about which items."""

from studies.models.descriptor import Descriptor
from studies.models.importing import ImportUpload
from studies.models.item import Item, System
from studies.models.panel import Panel
from studies.models.plan import AnalysisPlan
from studies.models.probe import Probe, UnitProbe
from studies.models.question import AttentionCheck, Question, ScalePoint
from studies.models.revision import DesignRevision
from studies.models.study import Study
from studies.models.unit import Unit, UnitItem

__all__ = [
    "AnalysisPlan",
    "AttentionCheck",
    "Descriptor",
    "DesignRevision",
    "ImportUpload",
    "Item",
    "Panel",
    "Probe",
    "Question",
    "ScalePoint",
    "Study",
    "System",
    "Unit",
    "UnitItem",
    "UnitProbe",
]
