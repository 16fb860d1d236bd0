"""Addresses of the analysis pages, under /studies/<slug>/."""

from django.urls import path

from scoring import (
    urls_ahead,
    urls_exports,
    urls_metrics,
    urls_prompts,
    urls_stores,
    views_figures,
    views_left_out,
    views_report,
    views_units,
)

app_name = "scoring"
REPORT = "studies/<slug:slug>/report/"
urlpatterns = [
    *urls_metrics.urlpatterns,
    path(REPORT, views_report.report, name="report"),
    path(f"{REPORT}fragment/", views_report.report_fragment, name="report_fragment"),
    path(f"{REPORT}report.json", views_report.report_json, name="report_json"),
    path(f"{REPORT}figures/<slug:chart>.<str:form>", views_figures.figure, name="figure"),
    path(f"{REPORT}agreement/<str:question>/units/", views_units.report_units, name="report_units"),
    path(
        f"{REPORT}metrics/<str:question>/<str:metric>/left-out/",
        views_left_out.left_out,
        name="report_left_out",
    ),
    path(f"{REPORT}<slug:part>/", views_report.report, name="report_part"),
    *urls_prompts.urlpatterns,
    *urls_ahead.urlpatterns,
    *urls_exports.urlpatterns,
    *urls_stores.urlpatterns,
]
