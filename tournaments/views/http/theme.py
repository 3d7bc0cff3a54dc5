"""How pages look to a reader, kept in a cookie: the colours, and how many figures tables show."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.selectors.clubs.clubs import actor_of
from tournaments.templatetags.look import THEME_COOKIE, THEMES
from tournaments.views.http.layout import Layout, reader_name
from tournaments.views.http.responses import ALL_FIGURES, FIGURES_COOKIE, set_cookie


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def theme(request: HttpRequest) -> HttpResponse:
    address = request.POST.get("next") or request.GET.get("next") or "/"
    is_ours = address.startswith("/") and url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    back = address if is_ours else "/"
    figures = request.GET.get("figures")
    if request.method != "POST" and figures is None:
        page_layout = Layout(path=back, signed_in_as=reader_name(actor_of(request.user)))
        scheme = request.COOKIES.get(THEME_COOKIE, "")
        context = {"layout": page_layout, "back": back, "chosen": scheme}
        return render(request, "shared/appearance.html", context)
    response = redirect(back)
    name, choice = THEME_COOKIE, request.POST.get("theme", "")
    is_known = choice in THEMES
    if figures is not None:
        name, choice, is_known = FIGURES_COOKIE, figures, figures == ALL_FIGURES
    if is_known:
        set_cookie(response, name, choice, max_age=365 * 24 * 3600)
    else:
        response.delete_cookie(name, samesite="Lax")
    return response
