"""All addresses: admin, sign-in, REST; everything else is a page of `tournaments`.

`/healthz` and `/readyz` are answered before these, in health.py.
"""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from api.schema_views import unknown_address

# allauth's own form stands in front of the admin: one sign-in, one rate limit.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # documented use
admin.site.site_header = "Blacklady"
admin.site.site_title = "Blacklady"

handler400 = "tournaments.views.http.errors.bad_request"
handler403 = "tournaments.views.http.errors.permission_denied"
handler404 = "tournaments.views.http.errors.page_not_found"
handler429 = "tournaments.views.http.errors.too_many_requests"  # allauth asks for it
handler500 = "config.faults.handle_server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.urls")),
    path("api/v1", unknown_address),
    path("api/v1/", include("api.urls")),
    path("", include("tournaments.urls")),
]
