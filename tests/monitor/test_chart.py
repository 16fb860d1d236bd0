"""Counted ratings over time: put into steps, summed, drawn."""

from datetime import UTC, datetime

from annotation.monitor.chart import chart_of
from annotation.monitor.figures import MOST_STEPS, timeline_of

NINE = int(datetime(2026, 11, 3, 9, 0, tzinfo=UTC).timestamp()) // 60


def test_minutes_are_put_together_by_panel():
    line = timeline_of([(1, NINE, 2), (2, NINE + 1, 1), (1, NINE + 3, 4)])
    assert line == {
        "start": 60 * NINE,
        "step": 60,
        "counts": {"1": [2, 0, 0, 4], "2": [0, 1, 0, 0]},
    }


def test_a_long_collection_has_wider_steps_and_loses_nothing():
    line = timeline_of([(1, NINE + n, 1) for n in range(0, 5000, 7)])
    assert line["step"] == 6 * 3600
    assert len(line["counts"]["1"]) <= MOST_STEPS
    assert sum(line["counts"]["1"]) == len(range(0, 5000, 7))


def test_there_is_no_line_before_the_first_rating():
    assert timeline_of([]) is None


def test_the_line_climbs_by_steps_and_stays_level_until_now():
    line = timeline_of([(1, NINE, 2), (2, NINE + 2, 6)])
    until = datetime(2026, 11, 3, 9, 10, tzinfo=UTC)
    chart = chart_of(timeline=line, panels=["1", "2"], wanted=16, until=until)
    wide = chart.drawings[0]
    # 472 px wide for 10 min, 158 px high for 16: 2 stand at 20 px, 8 at 79 px above the ground.
    assert wide.path == "M44.0 174.0H44.0V154.2H91.2V154.2H138.4V95.0H516.0V95.0"
    assert (wide.end_x, wide.end_y, wide.target) == (516.0, 95.0, 16.0)
    assert [tick.text for tick in wide.columns] == ["09:00", "09:05", "09:10"]


def test_times_that_read_alike_are_written_once():
    line = timeline_of([(1, NINE, 2)])
    chart = chart_of(timeline=line, panels=["1"], wanted=16, until=None)
    assert [tick.text for tick in chart.drawings[0].columns] == ["09:00"]
    line = timeline_of([(1, NINE, 2), (1, NINE + 1, 1)])
    chart = chart_of(timeline=line, panels=["1"], wanted=16, until=None)
    assert [tick.text for tick in chart.drawings[0].columns] == ["09:00", "09:01"]


def test_the_table_behind_sums_each_panel_and_all():
    line = timeline_of([(1, NINE, 2), (2, NINE + 2, 6)])
    chart = chart_of(timeline=line, panels=["1", "2"], wanted=16, until=None)
    assert [(f"{row.at:%H:%M}", row.counts, row.total) for row in chart.rows] == [
        ("09:01", (2, 0), 2),
        ("09:02", (2, 0), 2),
        ("09:03", (2, 6), 8),
    ]


def test_a_panel_without_a_rating_has_a_column_of_zeros():
    line = timeline_of([(1, NINE, 2)])
    chart = chart_of(timeline=line, panels=["1", "9"], wanted=4, until=None)
    assert chart.rows[-1].counts == (2, 0)


def test_the_words_for_who_does_not_see_it_name_the_ends_and_the_goal():
    line = timeline_of([(1, NINE, 2), (1, NINE + 60, 1)])
    chart = chart_of(timeline=line, panels=["1"], wanted=1200, until=None)
    assert chart.alt == (
        "Step line of counted ratings, from 0 on 3 November, 09:00 to 3 on 3 November, 10:00 "
        "(UTC). A dashed line marks the 1,200 wanted. Table follows."
    )


def test_ratings_of_people_without_a_panel_are_drawn_and_no_goal_is_where_none_was_set():
    line = timeline_of([(None, NINE, 2), (None, NINE + 2, 6)])
    chart = chart_of(timeline=line, panels=[], wanted=0, until=None)
    assert chart.total == 8
    assert [row.total for row in chart.rows] == [2, 2, 8]
    assert [tick.text for tick in chart.drawings[0].rows] == ["0", "8"]
    assert "wanted" not in chart.alt
