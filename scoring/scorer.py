"""Score rows of pieces: a chunk that cannot be scored is halved until the bad piece is alone."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.exchanges import Estimate
from scoring.metrics.base import ScoreRow
from scoring.models import MetricRun, Score
from scoring.pieces import Piece, Pieces
from scoring.run_errors import (
    EXPECTED,
    ITEM_FAILED,
    TRANSIENT,
    RunError,
    WrongRowsError,
    is_out_of_memory,
)

logger = logging.getLogger("concord.runs")

Seen = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1."""


@dataclass
class Scorer:
    """A metric with its backend, for one worker. ``limit`` is the number of items that memory
    takes at once, None while it was always enough."""

    run: MetricRun
    metric: Any
    backend: Any
    pieces: Pieces
    limit: int | None = None

    def scores(
        self, pieces: Sequence[Piece], seen: Seen = lambda share: None
    ) -> dict[int | str, list[Score]]:
        """Unsaved scores by place; a piece on which the metric breaks gets failed ones.

        Raises what holds for every piece (``EXPECTED``), what passes (``TRANSIENT``), and what
        ``seen`` raises of ``RunError``.
        """
        if self.limit is not None and len(pieces) > self.limit:
            return self._halves(pieces, self.limit, seen)
        try:
            return self._sorted(pieces, self._rows(pieces, seen))
        except (RunError, *EXPECTED, *TRANSIENT):
            raise
        except Exception as error:  # the boundary of an item
            if len(pieces) == 1:
                logger.warning("%s could not be scored", pieces[0].place, exc_info=True)
                return {pieces[0].place: self._failed(pieces[0], error)}
            if is_out_of_memory(error):
                self.limit = len(pieces) // 2
                logger.warning("Memory ran out; run %s goes on in halves", self.run.pk)
        _free_memory()  # outside of the handler, whose error still holds the tensors
        return self._halves(pieces, len(pieces) // 2, seen)

    def _halves(self, pieces: Sequence[Piece], at: int, seen: Seen) -> dict[int | str, list[Score]]:
        first = at / len(pieces)
        return self.scores(pieces[:at], lambda share: seen(first * share)) | self.scores(
            pieces[at:], lambda share: seen(first + (1 - first) * share)
        )

    def prefetch(self, pieces: Sequence[Piece]) -> None:
        """Let the metric open what it scores next, where it can."""
        begin: Callable[..., None] | None = getattr(self.metric, "prefetch", None)
        items = [piece.given for piece in pieces if not piece.is_cell]
        if begin is not None and items:
            begin(items=items, backend=self.backend, parameters=self.run.parameters)

    def estimate(self, pieces: Sequence[Piece]) -> Estimate:
        """What scoring ``pieces`` would ask of the metric's chat model, where it ``asks_chat``."""
        estimate: Estimate = self.metric.estimate(
            items=[piece.given for piece in pieces if not piece.is_cell],
            cells=[piece.given for piece in pieces if piece.is_cell],
            descriptors=self.pieces.descriptors(pieces),
            backend=self.backend,
            parameters=self.run.parameters,
        )
        return estimate

    def _rows(self, pieces: Sequence[Piece], seen: Seen) -> list[ScoreRow]:
        given = [piece.given for piece in pieces]
        shared = {
            "descriptors": self.pieces.descriptors(pieces),
            "backend": self.backend,
            "parameters": self.run.parameters,
            "on_progress": lambda done, total: seen(done / total),
        }
        if pieces[0].is_cell:
            return list(self.metric.score_cells(cells=given, **shared))
        return list(self.metric.score(items=given, **shared))

    def _sorted(
        self, pieces: Sequence[Piece], rows: Iterable[ScoreRow]
    ) -> dict[int | str, list[Score]]:
        scores: dict[int | str, list[Score]] = {piece.place: [] for piece in pieces}
        for row in rows:
            place = row.cell.key if row.cell is not None else int(row.item_key)
            if place not in scores:
                raise WrongRowsError(f"The metric scored {place}, which it was not asked for.")
            scores[place].append(self._score(row, place))
        for place, of_piece in scores.items():
            if not of_piece:
                raise WrongRowsError(f"The metric gave no score of {place}.")
        return scores

    def _score(self, row: ScoreRow, place: int | str) -> Score:
        return Score(
            run_id=self.run.pk,
            output=row.metric,
            dimension=row.dimension,
            value=row.value,
            reason=row.reason,
            evidence=dict(row.evidence),
            **_where(place),
        )

    def _failed(self, piece: Piece, error: Exception) -> list[Score]:
        evidence = {
            "error": f"{type(error).__name__}: {error}",
            "traceback": "".join(traceback.format_exception(error)),
        }
        level = "cell" if piece.is_cell else "item"
        return [
            Score(
                run_id=self.run.pk,
                output=output.key,
                reason=ITEM_FAILED,
                evidence=evidence,
                **_where(piece.place),
            )
            for output in self.metric.declaration.outputs
            if output.of in (level, "both")
        ]


def asks_chat(metric: Any, parameters: Mapping[str, object]) -> bool:
    """Whether a run with these parameters asks a chat model and can say beforehand what."""
    if not hasattr(metric, "estimate"):
        return False
    return bool(metric.asks(parameters)) if hasattr(metric, "asks") else True


def _where(place: int | str) -> dict[str, int | str]:
    return {"cell": place} if isinstance(place, str) else {"item_id": place}


def _free_memory() -> None:
    """Give back what a GPU's allocator keeps; torch is there only where a model was loaded."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
