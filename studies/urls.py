from django.urls import path

from studies import views, views_media

app_name = "studies"
urlpatterns = [
    path("", views.home, name="home"),
    path("studies/<slug:slug>/", views.overview, name="overview"),
    path("studies/<slug:slug>/go/", views.go, name="go"),
    path("media/element/<str:public_id>", views_media.element, name="element"),
    path("media/<str:public_id>", views_media.media, name="media"),
    path("media/<str:public_id>/poster", views_media.poster, name="poster"),
]
