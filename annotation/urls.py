from django.urls import path

from annotation import (
    views,
    views_ahead,
    views_arrival,
    views_card_preview,
    views_monitor,
    views_people,
    views_rating,
    views_research,
    views_sound,
)

app_name = "annotation"
urlpatterns = [
    path("a/<str:token>/", views_arrival.door, name="door"),
    path("a/<str:token>/sign-in/", views_arrival.SignIn.as_view(), name="sign_in"),
    path("i/<str:token>/", views_arrival.invitation, name="invitation"),
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
    path("needs/", views_monitor.needs, name="needs"),
    path("studies/<slug:slug>/monitor/", views_monitor.monitor, name="monitor"),
    path("studies/<slug:slug>/monitor/live/", views_monitor.monitor_live, name="monitor_live"),
    path("studies/<slug:slug>/monitor/panels/", views_monitor.panels, name="monitor_panels"),
    path("studies/<slug:slug>/people/", views_people.people, name="people"),
    path("studies/<slug:slug>/people/<str:code>/", views_people.person, name="person"),
]
