"""Light, dark, or as the system says: kept in a cookie, without an account or a script."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.selectors.clubs.clubs import actor_of
from tournaments.templatetags.look import THEME_COOKIE, THEMES
from tournaments.views.http.layout import Layout, reader_name

A_YEAR_S = 365 * 24 * 3600


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def theme(request: HttpRequest) -> HttpResponse:
    back = _own_address(request)
    if request.method != "POST":
        page_layout = Layout(path=back, signed_in_as=reader_name(actor_of(request.user)))
        chosen = request.COOKIES.get(THEME_COOKIE, "")
        return render(
            request,
            "shared/appearance.html",
            {"layout": page_layout, "back": back, "chosen": chosen},
        )
    response = redirect(back)
    chosen = request.POST.get("theme", "")
    if chosen in THEMES:
        response.set_cookie(
            THEME_COOKIE,
            chosen,
            max_age=A_YEAR_S,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    return response


def _own_address(request: HttpRequest) -> str:
    posted = request.POST.get("next") or request.GET.get("next") or "/"
    is_ours = posted.startswith("/") and url_has_allowed_host_and_scheme(
        posted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return posted if is_ours else "/"
