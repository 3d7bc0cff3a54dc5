"""Permission comes before validation, and a view that names no permission answers nobody."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django import urls
from django.contrib.auth.models import User
from django.test import Client, RequestFactory, override_settings
from rest_framework.decorators import api_view
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.permissions import DenyAll, KnownCallerOrReadOnly
from tests.api.conftest import Evening
from tests.support.cast import Cast
from tests.support.lengths import has_its_turn
from tests.support.rest.addresses import rights, writes
from tests.support.rest.requests import SignIn, token
from tests.support.routes import METHODS, routes
from tests.support.scenarios.table_links import Linked, linked
from tournaments.policy import MAY

ROLES = {"olga": "owner", "dirk": "director", "hanna": "host", "piet": "player", "nora": "public"}
WRONG = (
    ('{"no_such_field": 1}', "application/json", ""),
    ("{", "application/json", ""),
    ("[]", "application/json", ""),
    ("x", "text/plain", ""),
    ("{}", "application/json", "?no_such_parameter=1"),
    ("{}", "application/json; charset=no-such", ""),
)
FOR_THEMSELVES = {
    ("piet", right) for right in ("challenge", "check_in", "open_dispute", "note_own_result")
}
NEEDS_NO_MEMBER = {
    "remove_contact": 200,
    "revoke_personal_link": 200,
    "claim_player": 201,
    "retry_jobs": 200,
    "close_tables": 200,
    "create_round_links": 201,
    "use_house_version": 200,
    "revoke_link": 200,
    "revoke_links": 200,
    "revoke_round_links": 200,
}


def writes_to_try(event: str, wrong: tuple[str, str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield all writes in the long tier; else each write with one of the wrong bodies, in turns."""
    for name, method, path in writes(event):
        if has_its_turn(f"{method} {path}", WRONG.index(wrong), len(WRONG)):
            yield name, method, path


def send(
    client: Client, method: str, path: str, wrong: tuple[str, str, str], bearer: str = ""
) -> int:
    body, media_type, query = wrong
    headers = {"authorization": f"Bearer {bearer}"} if bearer else {}
    answer = client.generic(method.upper(), path + query, body, media_type, headers=headers)
    return int(answer.status_code)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: f"{wrong[0]} {wrong[1]}{wrong[2]}")
def test_right_is_judged_before_what_was_sent(
    evening: Evening, signed_in: SignIn, wrong: tuple[str, str, str]
) -> None:
    clients, right_of = {name: signed_in(name) for name in ROLES}, rights()
    for name, method, path in writes_to_try("league", wrong):
        assert send(Client(), method, path, wrong) == 401, path
        for who, role in ROLES.items():
            status = send(clients[who], method, path, wrong)
            if role in MAY[right_of[name]] and (who, right_of[name]) not in FOR_THEMSELVES:
                done = NEEDS_NO_MEMBER.get(name)
                assert status in (400, 404, 409, 415, 422, 428, done), (who, path)
            else:
                # What is not there is no secret of an event that everybody reads.
                allowed = (400, 415, 422) if role in MAY[right_of[name]] else ()
                assert status in (403, 404, *allowed), (who, path)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: f"{wrong[0]} {wrong[1]}{wrong[2]}")
def test_held_event_and_another_club_are_missing_before_what_was_sent(
    play: Callable[..., Evening], signed_in: SignIn, wrong: tuple[str, str, str]
) -> None:
    play("inside", "held")
    clients = {who: signed_in(who) for who in ("hanna", "piet", "nora")}
    for _, method, path in writes_to_try("inside", wrong):
        if "/events/" in path:
            for who, client in clients.items():
                assert send(client, method, path, wrong) == 404, (who, path)
            assert send(Client(), method, path, wrong) == 401, path


def test_token_is_judged_before_what_was_sent(evening: Evening) -> None:
    for scope, bad in (("read", WRONG[0]), ("read", WRONG[3])):
        bearer = token("dirk", scope)
        for _, method, path in writes("league"):
            assert send(Client(), method, path, bad, bearer) in (403, 404), path


def test_link_is_judged_before_what_was_sent(cast: Cast) -> None:
    night: Linked = linked(cast, visibility="held")
    phone = night.holder()
    at = f"/api/v1{night.event}/tables"
    for wrong in WRONG:
        assert send(phone, "post", f"{at}/r1t1/hands", wrong) in (400, 415, 422)
        assert send(phone, "post", f"{at}/r1t2/hands", wrong) == 404
        assert send(phone, "post", f"/api/v1{night.event}/ledger", wrong) == 401


def test_unknown_parameter_reveals_nothing(play: Callable[..., Evening], signed_in: SignIn) -> None:
    play("inside", "held")
    play("league", "public")
    for path in ("standings", "players/RL01/head-to-head", "changes", "rounds/1", "history.csv"):
        for event, statuses in (("inside", {404}), ("league", {400})):
            address = f"/api/v1/clubs/riverside/events/{event}/{path}?no_such_parameter=1"
            found = {client.get(address).status_code for client in (Client(), signed_in("nora"))}
            assert found == statuses, address


def test_unknown_parameter_reveals_nothing_of_officers(evening: Evening, signed_in: SignIn) -> None:
    who = {name: signed_in(name) for name in ("hanna", "piet", "nora", "dirk")}
    who["nobody"] = Client()
    at = "/api/v1/clubs/riverside/events/league"
    listings = ("jobs", "imports", "imports/1/problems", "imports/1/undone-hands")
    paths = (*listings, *(f"{each}.csv" for each in listings), "imports/1", "sheets.csv")
    for path in paths:
        for name, client in who.items():
            plain = client.get(f"{at}/{path}").status_code
            odd = client.get(f"{at}/{path}?no_such_parameter=1&cursor=x").status_code
            allowed = name == "dirk" or (name == "hanna" and not path.startswith("jobs"))
            assert odd == (400 if allowed else 404), (path, name, plain)
            assert allowed or plain == 404


@api_view(["GET", "POST"])
def forgotten(request: Request) -> Response:
    return Response({"secret": 1})


urlpatterns = [urls.path("api/v1/forgotten", forgotten)]


def rest_methods() -> Iterator[tuple[str, str, type[APIView]]]:
    """Yield each method of a view of the REST framework, with its route."""
    for route in routes():
        view = getattr(route.view, "cls", None)
        if view is None or not issubclass(view, APIView):
            continue
        actions = getattr(route.view, "actions", None)
        for method in METHODS:
            if method.lower() in actions if actions else hasattr(view, method.lower()):
                yield method, route.pattern, view


def permissions(view: Any, method: str) -> set[type]:
    asked = view()
    asked.request = RequestFactory().generic(method, "/")
    return {type(permission) for permission in asked.get_permissions()}


def test_nobody_is_the_default() -> None:
    assert {type(permission) for permission in APIView().get_permissions()} == {DenyAll}


def test_every_view_names_who_may_ask() -> None:
    methods = list(rest_methods())
    assert len(methods) > 330
    for method, route, view in methods:
        named = permissions(view, method)
        is_open = method == "GET" or route.endswith("/score")
        assert named == {AllowAny if is_open else KnownCallerOrReadOnly}, (method, route)


@pytest.mark.django_db
@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_view_without_a_permission_is_refused_to_everybody(cast: Cast, method: str) -> None:
    root = Client()
    root.force_login(User.objects.create_superuser("root"))
    shown = {"authorization": f"Bearer {token('olga', 'manage')}"}
    answers = {
        "nobody": Client().generic(method, "/api/v1/forgotten"),
        "owner": cast.client("olga").generic(method, "/api/v1/forgotten"),
        "token": Client().generic(method, "/api/v1/forgotten", headers=shown),
        "administrator": root.generic(method, "/api/v1/forgotten"),
    }
    found = {
        who: (answer.status_code, answer.json()["errors"][0]["code"])
        for who, answer in answers.items()
    }
    assert found.pop("nobody") == (401, "not_signed_in")
    assert set(found.values()) == {(403, "request_refused")}
