from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("account/tokens/", views.tokens, name="tokens"),
    path("account/tokens/<int:pk>/revoke/", views.revoke, name="revoke_token"),
]
