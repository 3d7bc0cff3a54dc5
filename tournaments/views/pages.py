"""The door of every page: who asks, which act it is, and what follows when nothing is there."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import conditional_page, require_safe

from tournaments.errors import Forbidden, Missing
from tournaments.policy import MAY
from tournaments.selectors.clubs import actor_of
from tournaments.views import errors
from tournaments.views.frames import PageRequest

P = ParamSpec("P")


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
