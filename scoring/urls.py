"""Addresses of the analysis pages, under /studies/<slug>/."""

from django.urls import path

from scoring import views_metrics

app_name = "scoring"
METRICS = "studies/<slug:slug>/metrics/"
urlpatterns = [
    path(METRICS, views_metrics.metrics, name="metrics"),
    path(f"{METRICS}start/", views_metrics.start_run, name="start_run"),
    path(f"{METRICS}<int:run_id>/", views_metrics.run, name="run"),
    path(f"{METRICS}<int:run_id>/progress/", views_metrics.run_progress, name="run_progress"),
    path(f"{METRICS}<int:run_id>/cancel/", views_metrics.run_cancel, name="run_cancel"),
]
