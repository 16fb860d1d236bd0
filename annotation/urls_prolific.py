"""Where Prolific and a study meet: events that come in, and the page that holds both lists."""

from django.urls import path

from annotation import views_hooks

app_name = "prolific"
urlpatterns = [
    path("hooks/prolific/", views_hooks.prolific_event, name="event"),
]
