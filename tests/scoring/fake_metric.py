"""A metric without a model, for tests of runs: it counts the letters of an item's prompt."""

from collections.abc import Iterator

from scoring.metrics.base import (
    Declaration,
    MetricItem,
    Needs,
    Output,
    Parameter,
    Progress,
    ScoreRow,
)


class LettersMetric:
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

    def score(self, *, items, descriptors, backend, parameters, on_progress=None):
        cleaned = self.declaration.clean_parameters(parameters)
        return self._told(self._rows(items, cleaned["times"]), len(items), on_progress)

    def _told(self, rows: Iterator[ScoreRow], n: int, on_progress: Progress | None):
        for done, row in enumerate(rows, start=1):
            yield row
            if on_progress is not None:
                on_progress(done, n)

    def _rows(self, items: list[MetricItem], times: float):
        for item in items:
            self.before_item(item)
            self.scored.append(item.key)
            value = len(item.fields["prompt"]) * times
            yield ScoreRow(item.key, "letters", "", value, "", {})
