"""What tests of pages of the report share."""

import pytest

from scoring.report_tasks import compute_report
from scoring.reports import plots
from scoring.snapshots import execute_report


@pytest.fixture
def opened(client, study, monkeypatch, django_capture_on_commit_callbacks):
    """Opens an address as the owner; what it asked for is computed before the next one."""
    monkeypatch.setattr("scoring.analysis.compute.REPLICATES", 10)
    monkeypatch.setattr(plots, "draw_plots", lambda report: {})
    waiting = []
    monkeypatch.setattr(compute_report, "delay", waiting.append)
    client.force_login(study.owner)

    def get(url, **more):
        while waiting:
            execute_report(waiting.pop())
        with django_capture_on_commit_callbacks(execute=True):
            return client.get(url, **more)

    return get
