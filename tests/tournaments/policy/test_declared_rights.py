"""Every page and every operation of REST names its right of the role table; none comes without."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.urls import URLPattern

from api.openapi import acting, reading
from api.urls import urlpatterns as operations
from tests.support.policy_table import YES, addresses, rights, rows_of
from tournaments.policy import MAY
from tournaments.urls import urlpatterns as pages
from tournaments.views.http.decorators import form_page, page

OF_NO_ROLE = {
    "enter-code",
    "open-link",
    "join",
    "open-invitation",
    "setup",
    "open-setup",
    "unsubscribe",
    "answer-link",
    "my-confirm",
    "arrive",
    "tonight",
    "own-calendar",
    "fill-in",
    "own-fill-in",
    "theme",
    "robots",
    "sitemap",
    "service-worker",
    "manifest",
    "me-manifest",
    "on-this-phone",
    "styleguide",
}
"""Pages that ask for a secret which their address or cookie holds, or for nothing; or for staff."""

ROLES = ("player", "host", "director", "owner")
JUDGED_BY_SERVICES = {
    *("edit_own_player", "open_dispute", "own_account", "enter_hand", "note_own_result")
}
"""Rights that members have for themselves only, or at their own table, as the service asks."""


def test_every_operation_names_an_act_for_each_method() -> None:
    for each in operations:
        assert isinstance(each, URLPattern)
        view = each.callback
        declared = getattr(view, "rights", {})
        assert declared, each.name
        assert set(declared.values()) <= MAY.keys(), each.name
        assert {*getattr(view, "operations", ())} <= declared.keys(), each.name


def test_every_page_names_an_act() -> None:
    found = {each.name: getattr(each.callback, "right", "") for each in pages}
    assert {name for name, right in found.items() if not right} - {None} == OF_NO_ROLE
    assert set(found.values()) - {""} <= MAY.keys()


def test_declared_rights_are_those_of_the_table() -> None:
    """Of each role of members, at each address of pages and REST."""
    compared, differing = 0, set()
    for route in addresses():
        page_right = getattr(route.view, "right", "")
        declared = getattr(route.view, "rights", {"get": page_right, "post": page_right})
        for row in rows_of(route.pattern):
            right = declared.get(row.method.lower(), "")
            if not right or row.about or row.right == "nothing":
                continue
            compared += 1
            if any((rights()[row.right][role] == YES) != (role in MAY[right]) for role in ROLES):
                differing.add((right, row.right))
    assert compared > 600
    assert {right for right, _ in differing} == JUDGED_BY_SERVICES, differing


def test_view_without_a_known_act_is_never_made() -> None:
    def view() -> HttpResponse:
        return HttpResponse()

    for declare in (page, form_page):
        with pytest.raises(ValueError, match="juggle"):
            declare("juggle")
    with pytest.raises(ValueError, match="juggle"):
        acting(view, "juggle", "get")
    made: Any = reading("juggle")(view)
    assert made.rights == {"get": "read_public", "head": "read_public"}
