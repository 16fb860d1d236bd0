"""A metric without a model, for tests of runs: it counts the letters of an item's prompt."""

from scoring.metrics.base import Declaration, Needs, Output, Parameter, ScoreRow
from scoring.metrics.item_metric import ItemMetric, one_by_one


class LettersMetric(ItemMetric):
    """``before_item`` is called with each item before it is scored, and may raise. Tells of every
    item that is scored."""

    declaration = Declaration(
        key="letters",
        name="Letters",
        family="Test",
        version="1",
        modality="image",
        source="none",
        needs=Needs(item_fields=("prompt",)),
        outputs=(Output(key="letters", name="LETTERS", low=0.0, high=1000.0, better="higher"),),
        parameters=(Parameter(name="times", label="times", help="", low=1, high=9, required=True),),
    )

    def __init__(self):
        self.scored: list[str] = []
        self.before_item = lambda item: None

    def _rows(self, items, backend, parameters, on_progress):
        for item in one_by_one(items, on_progress):
            self.before_item(item)
            self.scored.append(item.key)
            value = len(item.fields["prompt"]) * parameters["times"]
            yield ScoreRow(item.key, "letters", "", value, "", {})
