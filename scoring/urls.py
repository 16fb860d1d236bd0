"""Addresses of the analysis pages, under /studies/<slug>/."""

from django.urls import path

from scoring import urls_exports, urls_prompts, views_figures, views_metrics, views_report

app_name = "scoring"
METRICS = "studies/<slug:slug>/metrics/"
REPORT = "studies/<slug:slug>/report/"
urlpatterns = [
    path(METRICS, views_metrics.metrics, name="metrics"),
    path(f"{METRICS}start/", views_metrics.start_run, name="start_run"),
    path(f"{METRICS}<int:run_id>/", views_metrics.run, name="run"),
    path(f"{METRICS}<int:run_id>/progress/", views_metrics.run_progress, name="run_progress"),
    path(f"{METRICS}<int:run_id>/cancel/", views_metrics.run_cancel, name="run_cancel"),
    path(REPORT, views_report.report, name="report"),
    path(f"{REPORT}fragment/", views_report.report_fragment, name="report_fragment"),
    path(f"{REPORT}report.json", views_report.report_json, name="report_json"),
    path(f"{REPORT}figures/<slug:chart>.<str:form>", views_figures.figure, name="figure"),
    path(f"{REPORT}<slug:part>/", views_report.report, name="report_part"),
    *urls_prompts.urlpatterns,
    *urls_exports.urlpatterns,
]
