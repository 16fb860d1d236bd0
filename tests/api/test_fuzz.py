"""Requests generated from the schema, half of them wrong: none breaks the API, and every answer is
one that the schema announces."""

from __future__ import annotations

import itertools

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from accounts.tokens import make_token
from studies.models import ImportUpload

pytestmark = pytest.mark.django_db
EACH = 15
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def operations():
    document = SchemaGenerator().get_schema(request=None, public=True)
    return [
        pytest.param(path, method, id=operation["operationId"])
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


@pytest.fixture(scope="module")
def schema():
    document = SchemaGenerator().get_schema(request=None, public=True)
    loaded = schemathesis.openapi.from_dict(document)
    loaded.app = get_wsgi_application()
    return loaded


@pytest.mark.parametrize(("path", "method"), operations())
def test_generated_requests_are_answered_as_announced(path, method, schema, mine, mira, unbraked):
    _, text = make_token(user=mira, name="fuzz")
    upload = ImportUpload.objects.create(study=mine, kind="items", created_by=mira)
    ours = {"slug": mine.slug, "id": upload.pk, "key": "cultivate", "file": "items.csv"}
    turns = itertools.count()

    @settings(
        max_examples=EACH,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(
        case=schema[path][method].as_strategy(GenerationMode.POSITIVE)
        | schema[path][method].as_strategy(GenerationMode.NEGATIVE)
    )
    def send(case):
        if next(turns) % 3:  # what is there, two times of three
            case.path_parameters = {name: ours[name] for name in case.path_parameters or {}}
        plain = {"Authorization": f"Bearer {text}", "Accept-Encoding": "identity"}
        response = case.call(headers=plain)
        case.validate_response(response, checks=CHECKS)

    send()
    assert next(turns) >= EACH // 2


@pytest.fixture
def unbraked(settings):
    """No brake, and the test's own connection stays open between requests."""
    settings.API_RATES = {"requests": "100000/min", "imports": "100000/min"}
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)
