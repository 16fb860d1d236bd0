"""Small files of ratings and scores for the analysis commands."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command


@pytest.fixture
def write(tmp_path):
    """Writes lines to a file and returns its path."""

    def writer(name, *lines, end="\n"):
        path = tmp_path / name
        path.write_bytes(end.join([*lines, ""]).encode())
        return path

    return writer


@pytest.fixture
def ratings(write):
    """Six units in two countries, one of them NA, each rated by two people."""
    return write(
        "ratings.csv",
        "item,country,rater,answer,note",
        "a,NA,r1,1,",
        "a,NA,r2,1,fine",
        "b,NA,r1,3,",
        'b,NA,r2,4,"odd, but fine"',
        "c,NA,r1,5,",
        "c,NA,r2,5,",
        "d,DE,r1,2,",
        "d,DE,r2,4,",
        "e,DE,r1,3,",
        "e,DE,r2,,could not say",
        "f,DE,r1,1,",
        "f,DE,r2,2,",
    )


@pytest.fixture
def output():
    """Runs a command and returns what it printed."""

    def run(*args, **options):
        printed = StringIO()
        call_command(*args, stdout=printed, **options)
        return printed.getvalue()

    return run


@pytest.fixture
def results(output):
    """Runs a command with --json and returns its results."""

    def run(*args, **options):
        return json.loads(output(*args, json=True, **options))["results"]

    return run
