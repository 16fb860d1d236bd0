"""Addresses of the site's metrics, a study's, their runs and scores; part of `scoring.urls`."""

from django.urls import path

from scoring import (
    views_imported,
    views_known_metrics,
    views_metrics,
    views_run,
    views_scores,
)

METRICS = "studies/<slug:slug>/metrics/"
RUN = f"{METRICS}<int:run_id>/"
urlpatterns = [
    path("metrics/", views_known_metrics.known_metrics, name="known_metrics"),
    path(METRICS, views_metrics.metrics, name="metrics"),
    path(f"{METRICS}new/<slug:metric>/", views_metrics.start_run, name="start_run"),
    path(f"{METRICS}import/", views_imported.import_page, name="import_scores"),
    path(RUN, views_run.run, name="run"),
    path(f"{RUN}progress/", views_run.run_progress, name="run_progress"),
    path(f"{RUN}cancel/", views_run.run_cancel, name="run_cancel"),
    path(f"{RUN}continue/", views_run.run_continue, name="run_continue"),
    path(f"{RUN}retry/", views_run.run_retry, name="run_retry"),
    path(f"{RUN}choose/", views_run.run_choose, name="run_choose"),
    path(f"{RUN}delete/", views_run.run_delete, name="run_delete"),
    path(f"{RUN}troubles/", views_scores.troubles, name="run_troubles"),
    path(f"{RUN}compare/", views_scores.comparison, name="run_compare"),
    path(f"{RUN}scores.csv", views_scores.scores_csv, name="run_csv"),
    path(f"{RUN}scores.json", views_scores.scores_json, name="run_json"),
]
