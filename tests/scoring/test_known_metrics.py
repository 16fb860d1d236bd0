"""The list of all metrics: what each needs, gives and means, from what it declares itself."""

import pytest

from accounts.models import User
from scoring import known_metrics
from scoring.backing import parts_of
from scoring.known_metrics import told, told_metrics
from scoring.metrics import all_metrics, get_metric
from scoring.metrics.base import Output

SHIPPED = [metric.declaration for metric in all_metrics()]


@pytest.mark.parametrize("declaration", SHIPPED, ids=lambda declaration: declaration.key)
def test_everything_that_a_metric_needs_has_words(declaration):
    needs = declaration.needs
    assert set(needs.item_fields) - known_metrics.WITH_THE_FILE <= set(known_metrics.ITEM_FIELDS)
    assert set(needs.descriptor_kinds) <= set(known_metrics.DESCRIPTORS)
    assert set(parts_of(needs.backend)) <= set(known_metrics.MODELS)
    row = told(declaration)
    assert row.about and row.source and row.needs and row.undefined and row.outputs


def test_range_and_direction_are_those_that_are_declared():
    row = told(get_metric("ahead").declaration)
    by_name = {output.name: (output.range, output.better, output.of) for output in row.outputs}
    assert by_name["ALIGN"] == ("0 to 1", "higher", "each item and each cell")
    assert by_name["HAL"] == ("0 to 1", "lower", "each item and each cell")
    assert by_name["SDIV"] == ("0 to 1", "higher", "each cell")
    assert row.cells == "activity, country and system"
    assert "reference descriptors of the activity and country" in row.needs


def test_an_open_end_of_a_range_is_said_in_words():
    assert known_metrics.range_words(Output("x", "X", 1, 1e6, "higher")) == "from 1"
    assert known_metrics.range_words(Output("x", "X", -1e6, 0, "higher")) == "up to 0"
    assert known_metrics.range_words(Output("x", "X", -1e6, 1e6, "higher")) == "any number"
    assert known_metrics.range_words(Output("x", "X", -1, 1, "higher")) == "-1 to 1"


@pytest.mark.django_db
class TestPage:
    def test_lists_every_metric_with_its_source_and_its_document(self, client, live_study):
        client.force_login(live_study.owner)
        response = client.get("/metrics/")
        page = response.content.decode()
        for row in told_metrics():
            assert f'id="{row.key}"' in page
            assert client.get(f"/help/{row.document}/").status_code == 200
        assert "arXiv:2104.08718" in page
        assert 'href="/studies/weddings/metrics/"' in page

    def test_names_no_study_of_others_and_is_for_researchers(self, client, live_study, colleague):
        assert client.get("/metrics/")["Location"].startswith("/admin/login/")
        client.force_login(colleague)
        assert "weddings" not in client.get("/metrics/").content.decode()
        client.force_login(User.objects.create_user("nadia"))
        assert client.get("/metrics/").status_code == 403
