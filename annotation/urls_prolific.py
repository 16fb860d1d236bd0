"""Where Prolific and a study meet: events that come in, and the page that holds both lists."""

from django.urls import path

from annotation import views_arrivals, views_hooks

app_name = "prolific"
urlpatterns = [
    path("hooks/prolific/", views_hooks.prolific_event, name="event"),
    path("studies/<slug:slug>/arrivals/", views_arrivals.arrivals, name="arrivals"),
    path("studies/<slug:slug>/arrivals/news/", views_arrivals.news, name="news"),
    path("studies/<slug:slug>/arrivals/ask/", views_arrivals.ask, name="ask"),
    path("studies/<slug:slug>/arrivals/upload/", views_arrivals.upload, name="upload"),
    path("studies/<slug:slug>/arrivals/rules/", views_arrivals.rules, name="rules"),
    path("studies/<slug:slug>/arrivals.csv", views_arrivals.table, name="table"),
    path("studies/<slug:slug>/arrivals/<int:pk>/", views_arrivals.arrival, name="arrival"),
    path("studies/<slug:slug>/arrivals/<int:pk>/act/", views_arrivals.act, name="act"),
]
