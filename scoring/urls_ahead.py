"""Addresses of AHEaD's pages; part of `scoring.urls`."""

from django.urls import path

from scoring import views_ahead, views_ahead_descriptors

AHEAD = "studies/<slug:slug>/ahead/"
STEP = f"{AHEAD}steps/<int:step_id>/"
DESCRIPTORS = f"{AHEAD}descriptors/"
ITEM = f"{AHEAD}runs/<int:run_id>/items/<int:item_id>/"
urlpatterns = [
    path(AHEAD, views_ahead.overview, name="ahead"),
    path(f"{AHEAD}start/", views_ahead.start_step, name="ahead_start"),
    path(STEP, views_ahead.step, name="ahead_step"),
    path(f"{STEP}progress/", views_ahead.step_progress, name="ahead_step_progress"),
    path(f"{STEP}cancel/", views_ahead.step_cancel, name="ahead_step_cancel"),
    path(f"{STEP}resume/", views_ahead.step_resume, name="ahead_step_resume"),
    path(DESCRIPTORS, views_ahead_descriptors.descriptors, name="ahead_descriptors"),
    path(f"{DESCRIPTORS}add/", views_ahead_descriptors.add, name="ahead_descriptor_add"),
    path(
        f"{DESCRIPTORS}<int:descriptor_id>/change/",
        views_ahead_descriptors.change,
        name="ahead_descriptor_change",
    ),
    path(
        f"{DESCRIPTORS}<int:descriptor_id>/remove/",
        views_ahead_descriptors.remove,
        name="ahead_descriptor_remove",
    ),
    path(f"{AHEAD}runs/<int:run_id>/cell/", views_ahead.cell, name="ahead_cell"),
    path(ITEM, views_ahead.item, name="ahead_item"),
    path(f"{ITEM}edit/", views_ahead.ask_edit, name="ahead_ask_edit"),
]
