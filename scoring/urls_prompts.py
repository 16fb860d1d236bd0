"""Addresses of the prompts of a study's metrics."""

from django.urls import path

from scoring import views_prompts

PROMPTS = "studies/<slug:slug>/metrics/prompts/"
urlpatterns = [
    path(PROMPTS, views_prompts.prompts, name="prompts"),
    path(f"{PROMPTS}<slug:family>/<slug:name>/", views_prompts.one_prompt, name="prompt"),
]
