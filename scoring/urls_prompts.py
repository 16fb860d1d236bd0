"""Addresses of what metrics ask models: the prompts, and the bank of probes."""

from django.urls import path

from scoring import views_probes, views_prompts

PROMPTS = "studies/<slug:slug>/metrics/prompts/"
urlpatterns = [
    path("studies/<slug:slug>/metrics/probes/", views_probes.probes, name="probes"),
    path(PROMPTS, views_prompts.prompts, name="prompts"),
    path(f"{PROMPTS}<slug:family>/<slug:name>/", views_prompts.one_prompt, name="prompt"),
]
