"""Addresses of a study's files; part of `scoring.urls`."""

from django.urls import path

from scoring import views_exports

EXPORT = "studies/<slug:slug>/export/"
JOB = f"{EXPORT}jobs/<int:job_id>/"
urlpatterns = [
    path(EXPORT, views_exports.exports, name="exports"),
    path(JOB, views_exports.job_state, name="export_job"),
    path(f"{JOB}file/", views_exports.job_file, name="export_job_file"),
    path(f"{JOB}cancel/", views_exports.job_cancel, name="export_job_cancel"),
    path(f"{EXPORT}ratings.csv", views_exports.file, {"key": "ratings.csv"}, name="ratings_csv"),
    path(f"{EXPORT}items.csv", views_exports.file, {"key": "items.csv"}, name="items_csv"),
    path(f"{EXPORT}<str:key>", views_exports.file, name="export_file"),
]
