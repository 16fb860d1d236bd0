"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("studies.urls")),
    path("", include("annotation.urls")),
    path("", include("scoring.urls")),
    path("admin/", admin.site.urls),
]
