"""A metric without a model, for tests of runs: it counts the letters of an item's prompt."""

from scoring.metrics.base import Declaration, MetricItem, Needs, Output, Parameter, ScoreRow


class LettersMetric:
    """``before_item`` is called with each item before it is scored, and may raise."""

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

    def score(self, *, items, descriptors, backend, parameters, on_progress=None):
        cleaned = self.declaration.clean_parameters(parameters)
        return self._rows(items, cleaned["times"])

    def _rows(self, items: list[MetricItem], times: float):
        for item in items:
            self.before_item(item)
            self.scored.append(item.key)
            value = len(item.fields["prompt"]) * times
            yield ScoreRow(item.key, "letters", "", value, "", {})
