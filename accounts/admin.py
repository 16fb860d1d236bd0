from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin

from accounts.models import ApiToken, User
from accounts.tokens import revoke_token

admin.site.register(User, UserAdmin)


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):
    """Everybody's tokens, for those who run the site; each person makes their own elsewhere."""

    list_display = ["name", "user", "prefix", "created_at", "last_used_at", "revoked_at"]
    list_select_related = ["user"]
    search_fields = ["name", "user__username", "prefix"]
    exclude = ["digest"]
    actions = ["revoke"]

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_revoke_permission(self, request):
        return request.user.is_superuser

    @admin.action(description="Revoke the chosen tokens", permissions=["revoke"])
    def revoke(self, request, queryset):
        for token in queryset.in_use():
            revoke_token(token)
        messages.success(request, "The chosen tokens open nothing any more.")
