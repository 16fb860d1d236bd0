from django.urls import path

from annotation import (
    views,
    views_ahead,
    views_card_preview,
    views_rating,
    views_research,
    views_sound,
)

app_name = "annotation"
urlpatterns = [
    path("a/<str:token>/", views.door, name="door"),
    path("a/<str:token>/consent/", views.consent, name="consent"),
    path("a/<str:token>/language/", views.language, name="language"),
    path("a/<str:token>/about-you/", views.about_you, name="about_you"),
    path("a/<str:token>/sound/", views_sound.sound, name="sound"),
    path("a/<str:token>/sound/beeps.wav", views_sound.beeps, name="beeps"),
    path("a/<str:token>/instructions/", views.instructions, name="instructions"),
    path("a/<str:token>/now/", views_rating.unit_now, name="unit_now"),
    path("a/<str:token>/<int:n>/", views_rating.unit, name="unit"),
    path("a/<str:token>/<int:n>/draft/", views_rating.draft, name="draft"),
    path("a/<str:token>/<int:n>/problem/", views_rating.problem, name="problem"),
    path("a/<str:token>/ahead/", views_ahead.ahead, name="ahead"),
    path("a/<str:token>/help/", views.help_page, name="help"),
    path("a/<str:token>/withdraw/", views.withdraw, name="withdraw"),
    path("a/<str:token>/end/", views.end, name="end"),
    path("a/<str:token>/out/", views.out, name="out"),
    path("studies/<slug:slug>/preview/", views_research.preview, name="preview"),
    path("studies/<slug:slug>/preview/<int:n>/", views_research.preview_unit, name="preview_unit"),
    path("studies/<slug:slug>/card/", views_card_preview.preview_card, name="preview_card"),
    path("studies/<slug:slug>/progress/", views_research.progress, name="progress"),
]
