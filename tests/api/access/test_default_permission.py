"""A REST view that names no permission answers nobody; every view there is names its own."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client, RequestFactory, override_settings
from django.urls import path
from rest_framework.decorators import api_view
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.permissions import DenyAll, KnownCallerOrReadOnly
from tests.support.cast import Cast
from tests.support.rest.requests import token
from tests.support.routes import METHODS, routes


@api_view(["GET", "POST"])
def forgotten(request: Request) -> Response:
    """A view whose author named no permission."""
    return Response({"secret": 1})


urlpatterns = [path("api/v1/forgotten", forgotten)]


def rest_views() -> dict[str, type[APIView]]:
    """The views of the REST framework by route."""
    found = {route.pattern: getattr(route.view, "cls", None) for route in routes()}
    return {route: view for route, view in found.items() if view and issubclass(view, APIView)}


def permissions(view: Any, method: str) -> set[type]:
    """What a view asks of whoever comes with a method."""
    asked = view()
    asked.request = RequestFactory().generic(method, "/")
    return {type(one) for one in asked.get_permissions()}


def test_nobody_is_the_default() -> None:
    assert {type(one) for one in APIView().get_permissions()} == {DenyAll}


def test_every_view_names_who_may_ask() -> None:
    found = [
        (method, route, permissions(view, method))
        for route, view in rest_views().items()
        for method in METHODS
        if hasattr(view, method.lower())
    ]
    assert len(found) > 120
    for method, route, named in found:
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
