from django.urls import path

from studies import views

app_name = "studies"
urlpatterns = [
    path("", views.home, name="home"),
    path("studies/<slug:slug>/", views.overview, name="overview"),
    path("media/<str:public_id>", views.media, name="media"),
]
