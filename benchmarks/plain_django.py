"""The same annotating as plain Django would have it: what benchmarks/annotate.py compares with.

A site in one file as one writes it by the tutorial: ORM, ``forms.Form``, whole templates, the next
unit found in three statements. It keeps the promises that can be kept so: CSRF is checked, a screen
is saved once, a unit is given to k people at most. It has no order rules, checks, repeats, drafts,
timing, revisions, languages or compression. Answers a screen, and bytes of a reply, are Concord's.

    DATABASE_URL=... gunicorn --chdir benchmarks plain_django:application
"""

# ruff: noqa: DJ008 (nobody looks at its rows)

from __future__ import annotations

import os
import random
from datetime import timedelta

import dj_database_url
import django
from django import forms
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, models, transaction
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, render
from django.test import RequestFactory
from django.urls import path
from django.utils import timezone
from django.utils.crypto import get_random_string

DATABASE = dj_database_url.parse(os.environ["DATABASE_URL"], conn_max_age=60)
if DATABASE["ENGINE"].endswith("sqlite3"):  # as Concord has it, or most requests would fail
    DATABASE["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }

PAGE = """{% load i18n %}<main id="unit"><header class="topbar">
<progress max="{{ total }}" value="{{ screen.n }}"></progress>
<h1>{% blocktranslate with n=screen.n %}{{ n }} of {{ total }}{% endblocktranslate %}</h1></header>
<form id="answers" method="post" action="{% url 'unit' person.token screen.n %}">{% csrf_token %}
<img src="{{ screen.unit.url }}" alt="{% translate 'Picture, to be rated' %}">
<p>{% blocktranslate with prompt=screen.unit.prompt %}Asked for: {{ prompt }}{% endblocktranslate %}
{{ form.errors }}
{% for field in form %}<fieldset id="{{ field.name }}" class="question">
<legend>{{ forloop.counter }}. {{ field.label }}</legend>
{% for value, label in field.field.choices %}<label class="point"><input type="radio"
 name="{{ field.name }}" value="{{ value }}" required><span class="point-face">{{ value }}</span>
 <span class="point-label">{{ label }}</span></label>
{% endfor %}</fieldset>{% endfor %}
<button class="btn">{% translate "Next" %}</button></form>{{ filling|safe }}</main>"""
PAGE = PAGE.replace('<input type="radio"\n name', '<input type="radio" name')

settings.configure(
    SECRET_KEY="benchmark only",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="plain_django",
    DATABASES={"default": DATABASE},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.contenttypes",
        "django.contrib.auth",
        "django.contrib.sessions",
        "django.contrib.messages",
    ],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.locale.LocaleMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ],
                "loaders": [
                    (
                        "django.template.loaders.cached.Loader",
                        [("django.template.loaders.locmem.Loader", {"page.html": PAGE})],
                    )
                ],
            },
        }
    ],
    USE_TZ=True,
)
django.setup()


class Plain(models.Model):
    class Meta:
        abstract = True
        app_label = "plain"


class Study(Plain):
    k = models.PositiveIntegerField()
    n_units = models.PositiveIntegerField()
    filling = models.TextField()


class Question(Plain):
    text = models.TextField()


class Point(Plain):
    question = models.ForeignKey(Question, models.CASCADE, related_name="points")
    value = models.SmallIntegerField()
    label = models.CharField(max_length=80)


class Person(Plain):
    study = models.ForeignKey(Study, models.CASCADE)
    token = models.CharField(max_length=32, unique=True)


class Unit(Plain):
    prompt = models.TextField()
    url = models.CharField(max_length=200)


class Place(Plain):
    """One wanted rating of a unit."""

    unit = models.ForeignKey(Unit, models.CASCADE)
    rank = models.BigIntegerField()
    state = models.CharField(max_length=8, default="open")
    holder = models.ForeignKey(Person, models.CASCADE, null=True)
    leased_until = models.DateTimeField(null=True)

    class Meta(Plain.Meta):
        indexes = [models.Index(fields=["state", "rank"], name="plain_next")]
        constraints = [models.UniqueConstraint(fields=["unit", "holder"], name="plain_once")]


class Screen(Plain):
    person = models.ForeignKey(Person, models.CASCADE, related_name="screens")
    n = models.PositiveSmallIntegerField()
    unit = models.ForeignKey(Unit, models.CASCADE)
    served_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True)

    class Meta(Plain.Meta):
        constraints = [models.UniqueConstraint(fields=["person", "n"], name="plain_one_screen")]


class Rating(Plain):
    screen = models.ForeignKey(Screen, models.CASCADE)
    question = models.ForeignKey(Question, models.CASCADE)
    value = models.SmallIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)


MODELS = (Study, Question, Point, Person, Unit, Place, Screen, Rating)


class Answers(forms.Form):
    """A radio field a question."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for question in Question.objects.order_by("pk").prefetch_related("points"):
            choices = [(point.value, point.label) for point in question.points.all()]
            self.fields[f"q_{question.pk}"] = forms.TypedChoiceField(
                label=question.text, choices=choices, coerce=int, widget=forms.RadioSelect
            )


def unit_now(request, token: str):
    person = get_object_or_404(Person.objects.select_related("study"), token=token)
    screen = person.screens.filter(sent_at=None).select_related("unit").first()
    return draw(request, person, screen or claim(person, 1))


def unit(request, token: str, n: int):
    """Save the answers, and show the next unit."""
    person = get_object_or_404(Person.objects.select_related("study"), token=token)
    form = Answers(request.POST)
    screen = get_object_or_404(person.screens.select_related("unit"), n=n)
    if not form.is_valid():
        return draw(request, person, screen, form)
    with transaction.atomic():
        screen = person.screens.select_for_update().get(n=n)
        if screen.sent_at is None:
            save(screen, form)
            return draw(request, person, claim(person, n + 1))
    return draw(request, person, person.screens.order_by("n").last())


def save(screen: Screen, form: Answers) -> None:
    Rating.objects.bulk_create(
        Rating(screen=screen, question_id=int(name[2:]), value=value)
        for name, value in form.cleaned_data.items()
    )
    screen.sent_at = timezone.now()
    screen.save()
    Place.objects.filter(unit=screen.unit, holder=screen.person_id, state="leased").update(
        state="done", leased_until=None
    )


def claim(person: Person, n: int) -> Screen | None:
    """The next unit this person has not had: leases that lapsed, a look, a change."""
    with transaction.atomic():
        now = timezone.now()
        Place.objects.filter(state="leased", leased_until__lt=now).update(state="open", holder=None)
        places = Place.objects.filter(state="open").exclude(unit__in=person.screens.values("unit"))
        if connection.vendor == "postgresql":
            places = places.select_for_update(skip_locked=True)
        place = places.order_by("rank").first()
        if place is None:
            return None
        place.state, place.holder = "leased", person
        place.leased_until = now + timedelta(minutes=45)
        place.save()
        return Screen.objects.create(person=person, n=n, unit=place.unit)


def draw(request, person: Person, screen: Screen | None, form: Answers | None = None):
    if screen is None:
        return HttpResponse("Thank you.")
    context = {
        "person": person,
        "screen": screen,
        "total": person.study.n_units,
        "form": form or Answers(),
        "filling": person.study.filling,
    }
    return render(request, "page.html", context)


urlpatterns = [
    path("a/<str:token>/now/", unit_now),
    path("a/<str:token>/<int:n>/", unit, name="unit"),
]


def build(people: int, units: int, k: int, size: int) -> list[str]:
    """A study like Concord's, its replies filled up to ``size`` bytes; the tokens."""
    with connection.schema_editor() as schema:
        for model in MODELS:
            schema.create_model(model)
    study = Study.objects.create(k=k, n_units=units, filling="")
    for key in ("faithfulness", "hallucination", "exaggeration"):
        question = Question.objects.create(text=f"How much {key} has this wedding in Nepal?")
        labels = ("Not at all", "A little", "Partly", "Mostly", "Fully")
        for value, label in enumerate(labels, 1):
            Point.objects.create(question=question, value=value, label=label)
    Unit.objects.bulk_create(
        Unit(prompt=f"A wedding, scene {i // 7}", url=f"/media/{get_random_string(12)}")
        for i in range(units)
    )
    Place.objects.bulk_create(
        (
            Place(unit_id=pk, rank=number * 10**9 + random.randrange(10**9))
            for pk in Unit.objects.values_list("pk", flat=True)
            for number in range(1, k + 1)
        ),
        batch_size=1000,
    )
    tokens = [get_random_string(22) for _ in range(people)]
    Person.objects.bulk_create(Person(study=study, token=token) for token in tokens)
    study.filling = f"<!-- {'x' * max(size - _drawn_bytes(), 0)} -->"
    study.save()
    return tokens


def _drawn_bytes() -> int:
    """Of a reply without filling."""
    request = RequestFactory().get("/")
    get_token(request)
    person = Person.objects.select_related("study").first()
    with transaction.atomic():
        size = len(draw(request, person, claim(person, 1)).content)
        transaction.set_rollback(True)
    return size


application = get_wsgi_application()
