"""The dates under the chart of collection, whether it took hours or months."""

from types import SimpleNamespace

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from scoring.analysis.parts.overview import Collected, Timeline
from scoring.reports.plots.timeline import draw_timeline

SPANS = {
    "three and a half hours": ("2026-03-01T09:00:00+00:00", "2026-03-01T12:30:00+00:00"),
    "a day": ("2026-03-01T09:00:00+00:00", "2026-03-02T09:00:00+00:00"),
    "three days": ("2026-03-01T09:00:00+00:00", "2026-03-04T09:00:00+00:00"),
    "a hundred days": ("2026-03-01T09:00:00+00:00", "2026-06-09T09:00:00+00:00"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("width", ["wide", "narrow"])
@pytest.mark.parametrize("moments", SPANS.values(), ids=SPANS.keys())
def test_there_are_two_to_six_of_them(moments, width):
    line = Collected(group="NP", counts=(3, 9), wanted=12)
    report = SimpleNamespace(
        groups=[SimpleNamespace(key="NP", name="Nepal")],
        overview=SimpleNamespace(timeline=Timeline(step="hour", moments=moments, lines=(line,))),
    )
    figure = draw_timeline(report, width)
    FigureCanvasAgg(figure).draw()
    (axes,) = figure.axes
    low, high = axes.get_xlim()
    dates = [tick for tick in axes.get_xticks() if low <= tick <= high]
    assert 2 <= len(dates) <= 6
