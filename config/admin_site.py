"""The admin behind the same sign-in as every page, with its second factor."""

from typing import Any

from allauth.account.decorators import secure_admin_login
from allauth.account.utils import get_next_redirect_url
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.decorators import method_decorator

from tournaments.selectors.clubs.clubs import has_shown_factor, lacks_factor_of_site
from tournaments.views.http import errors


class AuthenticatorAdmin(admin.ModelAdmin[Authenticator]):
    """Second factors can be removed for users who lost theirs, but not read."""

    list_display = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    search_fields = ("user__username", "user__email")
    fields = readonly_fields = ("user", "type", "created_at", "last_used_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Authenticator | None = None) -> bool:
        return False


class Site(admin.AdminSite):
    """Django's admin without its own login forms, so that one rate limit covers all sign-ins."""

    site_header = "Blacklady"
    site_title = "Blacklady"

    def has_permission(self, request: HttpRequest) -> bool:
        if not super().has_permission(request):
            return False
        shown = has_shown_factor(request)
        return not lacks_factor_of_site(request.user, without_factor=not shown)

    @method_decorator(secure_admin_login)
    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_permission(request):
            return errors.second_factor_needed(request)
        return redirect(get_next_redirect_url(request) or "admin:index")

    def password_change(  # type: ignore[override]  # a page of another kind
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return redirect("account_change_password")

    def hide_secrets(self) -> None:
        """Take away allauth's own pages, which show the secret of an app and the seed of codes."""
        self.unregister([Authenticator, UserSession])
        self.register(Authenticator, AuthenticatorAdmin)
