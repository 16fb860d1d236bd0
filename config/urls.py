"""Every address of the site."""

from django.contrib import admin
from django.http import HttpResponse
from django.urls import include, path
from django.views.decorators.http import require_safe


@require_safe
def robots(request):
    """Nothing here is for search engines: links are personal, studies are their researchers'."""
    return HttpResponse("User-agent: *\nDisallow: /\n", content_type="text/plain")


urlpatterns = [
    path("", include("studies.urls")),
    path("", include("annotation.urls")),
    path("", include("scoring.urls")),
    path("admin/", admin.site.urls),
    path("robots.txt", robots),
]
