"""Addresses below /api/v1/. The documentation's page is in ``config.urls``."""

from django.http import Http404
from django.urls import path, re_path
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView

from api import (
    views_exports,
    views_imports,
    views_life,
    views_presets,
    views_studies,
    views_units,
)
from api import views_import_state as of_import
from api.views import ApiView


@extend_schema(exclude=True)
class Nowhere(ApiView):
    """Everything else, so that programs are answered in JSON here too."""

    def initial(self, request, *args, **kwargs):
        super().initial(request, *args, **kwargs)
        raise Http404


_STUDY = "studies/<slug:slug>/"
_IMPORT = f"{_STUDY}imports/<int:pk>/"

app_name = "api"
urlpatterns = [
    path("schema/", SpectacularJSONAPIView.as_view(), name="schema"),
    path("presets/", views_presets.PresetsView.as_view(), name="presets"),
    path("presets/<slug:key>/", views_presets.PresetView.as_view(), name="preset"),
    path("studies/", views_studies.StudiesView.as_view(), name="studies"),
    path(_STUDY, views_studies.StudyView.as_view(), name="study"),
    path(f"{_STUDY}panels/", views_studies.PanelsView.as_view(), name="panels"),
    path(f"{_STUDY}duplicate/", views_studies.DuplicateView.as_view(), name="duplicate"),
    path(f"{_STUDY}launch-checks/", views_life.LaunchChecksView.as_view(), name="launch-checks"),
    path(f"{_STUDY}launch/", views_life.LaunchView.as_view(), name="launch"),
    path(f"{_STUDY}pilot/", views_life.PilotView.as_view(), name="pilot"),
    path(f"{_STUDY}move/", views_life.MoveView.as_view(), name="move"),
    path(f"{_STUDY}archive/", views_life.ArchiveView.as_view(), name="archive"),
    path(f"{_STUDY}items/", views_imports.ItemsView.as_view(), name="items"),
    path(f"{_STUDY}probes/", views_imports.ProbesView.as_view(), name="probes"),
    path(f"{_STUDY}descriptors/", views_imports.DescriptorsView.as_view(), name="descriptors"),
    path(f"{_STUDY}gold-labels/", views_imports.GoldLabelsView.as_view(), name="gold-labels"),
    path(f"{_STUDY}scenarios/", views_imports.ScenariosView.as_view(), name="scenarios"),
    path(f"{_STUDY}imports/", of_import.ImportsOfStudyView.as_view(), name="imports"),
    path(_IMPORT, of_import.OneImportView.as_view(), name="import"),
    path(f"{_IMPORT}confirm/", of_import.ConfirmView.as_view(), name="import-confirm"),
    path(f"{_IMPORT}problems.csv", of_import.ProblemsView.as_view(), name="import-problems"),
    path(f"{_STUDY}exports/", views_exports.ExportsView.as_view(), name="exports"),
    path(f"{_STUDY}exports/<int:pk>/", views_exports.ExportView.as_view(), name="export"),
    path(
        f"{_STUDY}exports/<int:pk>/file/", views_exports.MadeFileView.as_view(), name="export-file"
    ),
    path(f"{_STUDY}exports/<str:file>", views_exports.FileView.as_view(), name="file"),
    path(f"{_STUDY}units/", views_units.UnitsView.as_view(), name="units"),
    path(f"{_STUDY}units/rebuild/", views_units.RebuildView.as_view(), name="rebuild"),
    re_path("", Nowhere.as_view(), name="nowhere"),
]
