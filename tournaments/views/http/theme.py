"""Light, dark, or as the system says: kept in a cookie, without an account or a script."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.selectors.clubs.clubs import actor_of
from tournaments.templatetags.look import THEME_COOKIE, THEMES
from tournaments.views.http.layout import Layout, reader_name
from tournaments.views.http.responses import set_cookie


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def theme(request: HttpRequest) -> HttpResponse:
    address = request.POST.get("next") or request.GET.get("next") or "/"
    is_ours = address.startswith("/") and url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    back = address if is_ours else "/"
    if request.method != "POST":
        page_layout = Layout(path=back, signed_in_as=reader_name(actor_of(request.user)))
        scheme = request.COOKIES.get(THEME_COOKIE, "")
        context = {"layout": page_layout, "back": back, "chosen": scheme}
        return render(request, "shared/appearance.html", context)
    response = redirect(back)
    scheme = request.POST.get("theme", "")
    if scheme in THEMES:
        set_cookie(response, THEME_COOKIE, scheme, max_age=365 * 24 * 3600)
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    return response
