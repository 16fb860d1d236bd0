from django.urls import path

from guide import views

app_name = "guide"
urlpatterns = [
    path("help/", views.contents, name="contents"),
    path("help/img/<path:name>", views.picture, name="picture"),
    path("help/<slug:name>/", views.page, name="page"),
]
