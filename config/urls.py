"""All addresses: admin, sign-in, REST; everything else is a page of `tournaments`.

`/healthz` and `/readyz` are answered before these, in health.py, `/metrics` in operation/metrics.
"""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path, re_path, reverse_lazy
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from api.schema_views import unknown_address
from config.accounts.forms import (
    AddAppView,
    AddPasskeyView,
    AddressView,
    ChangePasswordView,
    ConfirmAddressView,
    SignInView,
    stop_change,
)
from config.operation.status.page import mail_page, status_page

handler400 = "tournaments.views.http.errors.bad_request"
handler403 = "tournaments.views.http.errors.permission_denied"
handler404 = "tournaments.views.http.errors.page_not_found"
handler429 = "tournaments.views.http.errors.too_many_requests"  # allauth asks for it
handler500 = "config.web.refusals.handle_server_error"

_ICON = f"{settings.STATIC_URL}blacklady/favicon.svg"
_ACCOUNT = RedirectView.as_view(url=reverse_lazy("tournaments:account"))

urlpatterns = [
    path("admin/", admin.site.urls),
    # Pages of allauth that say less than the account's own.
    path("accounts/2fa/", _ACCOUNT),
    path("accounts/2fa/webauthn/", _ACCOUNT),
    path("accounts/2fa/totp/activate/", AddAppView.as_view()),
    path("accounts/2fa/webauthn/add/", AddPasskeyView.as_view()),
    path("accounts/sessions/", _ACCOUNT),
    path("accounts/reauthenticate/code/", _ACCOUNT),
    path("accounts/reauthenticate/code/confirm/", _ACCOUNT),
    path("accounts/email/", AddressView.as_view(), name="account_email"),
    path("accounts/email/stop/<str:token>/", stop_change, name="account_stop_email"),
    re_path(
        r"^accounts/confirm-email/(?P<key>[-:\w]+)/$",
        ConfirmAddressView.as_view(),
        name="account_confirm_email",
    ),
    path("accounts/password/change/", ChangePasswordView.as_view(), name="account_change_password"),
    path("accounts/login/", SignInView.as_view(), name="account_login"),
    path("accounts/", include("allauth.urls")),
    path("favicon.ico", require_safe(RedirectView.as_view(url=_ICON))),
    path("statusz", status_page, name="status"),
    path("statusz/mail", mail_page, name="test-mail"),
    path("api/v1", unknown_address),
    path("api/v1/", include("api.urls")),
    path("", include("tournaments.urls")),
]
