"""Every address of the site."""

from django.contrib import admin
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.urls import include, path
from django.views.decorators.http import require_safe
from drf_spectacular.views import SpectacularSwaggerSplitView

from config.csp_views import api_docs_policy


@require_safe
def robots(request):
    """Nothing here is for search engines: links are personal, studies are their researchers'."""
    return HttpResponse("User-agent: *\nDisallow: /\n", content_type="text/plain")


api_docs = SpectacularSwaggerSplitView.as_view(url_name="api:schema", title="Concord API")

urlpatterns = [
    path("", include("annotation.urls")),
    path("", include("studies.urls")),
    path("", include("annotation.urls_prolific")),
    path("", include("scoring.urls")),
    path("", include("accounts.urls")),
    path("", include("guide.urls")),
    path("api/v1/docs/", login_required(api_docs_policy(api_docs)), name="api-docs"),
    path("api/v1/", include("api.urls")),
    path("admin/", admin.site.urls),
    path("robots.txt", robots),
]

handler404 = "config.errors.not_found"
handler500 = "config.errors.failed"
