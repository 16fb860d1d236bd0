"""Addresses of the stores of scores, vectors and exchanges, which belong to no study."""

from django.urls import path

from scoring import views_stores

urlpatterns = [
    path("stores/", views_stores.stores, name="stores"),
    path("stores/<slug:key>/empty/", views_stores.empty_store, name="empty_store"),
]
