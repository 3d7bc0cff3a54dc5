"""The doors of pages: who asks, which act it is, and what follows when nothing is there.

`page` is for pages that are read, `form_page` for those that change something.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, cast

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import conditional_page, require_http_methods, require_safe

from tournaments.errors import Forbidden, Missing
from tournaments.policy import MAY, Actor
from tournaments.selectors.clubs import actor_of, club_at, may_do
from tournaments.views import errors
from tournaments.views.frames import PageRequest

P = ParamSpec("P")
REFUSED: Final = 422
"""The status of a form that a service refused; what was typed stands in it."""


def page(
    act: str,
) -> Callable[[Callable[Concatenate[PageRequest, P], HttpResponse]], Callable[..., HttpResponse]]:
    """Make a view a page that is read: it names its act of the role table and knows its actor.

    `Missing` becomes a 404 page, `Forbidden` a 403 page.
    A page that did not change since the reader's copy answers 304.
    """
    if act not in MAY:
        raise ValueError(f"{act} is not in the role table")

    def decorated(
        view: Callable[Concatenate[PageRequest, P], HttpResponse],
    ) -> Callable[..., HttpResponse]:
        @wraps(view)
        def answer(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            asked = cast(PageRequest, request)
            try:
                asked.actor = actor_of(request.user)
                response = view(asked, *args, **kwargs)
            except Missing as nothing:
                response = errors.missing(asked, nothing.problem, cast(dict[str, Any], kwargs))
            except Forbidden:
                response = errors.permission_denied(request)
            patch_vary_headers(response, ("Cookie", "HX-Request"))
            patch_cache_control(response, no_cache=True)
            if asked.actor.kind == "user":
                patch_cache_control(response, private=True)
            return response

        guarded = require_safe(conditional_page(answer))
        guarded.act = act  # type: ignore[attr-defined]  # read by the test that walks all routes
        return guarded

    return decorated


def form_page(
    act: str,
) -> Callable[[Callable[Concatenate[PageRequest, P], HttpResponse]], Callable[..., HttpResponse]]:
    """Make a view a page that changes something: it is shown to whoever may do its act.

    The public is sent to sign in, a role without the act gets a 403 page. The services that the
    view calls ask the role table again; this is for showing no form that would be refused.
    """
    if act not in MAY:
        raise ValueError(f"{act} is not in the role table")

    def decorated(
        view: Callable[Concatenate[PageRequest, P], HttpResponse],
    ) -> Callable[..., HttpResponse]:
        @wraps(view)
        def answer(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            asked = cast(PageRequest, request)
            address = cast(dict[str, Any], kwargs)
            try:
                asked.actor = actor_of(request.user)
                if asked.actor.kind != "user":
                    return redirect_to_login(request.get_full_path())
                _let_in(asked.actor, address, act)
                return view(asked, *args, **kwargs)
            except Missing as nothing:
                return errors.missing(asked, nothing.problem, address)
            except Forbidden:
                return errors.permission_denied(request)

        guarded = never_cache(require_http_methods(["GET", "HEAD", "POST"])(answer))
        guarded.act = act  # type: ignore[attr-defined]  # read by the test that walks all routes
        return guarded

    return decorated


def _let_in(actor: Actor, address: Mapping[str, Any], act: str) -> None:
    if "club" in address and not may_do(club_at(actor, address["club"]), act):
        raise Forbidden(act)
