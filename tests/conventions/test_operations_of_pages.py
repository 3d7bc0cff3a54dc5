"""Every address of the pages that takes a POST names the operations that it runs."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from django import forms
from django.test import Client

from tests.support.routes import Route, routes
from tournaments.services.operations import Operation, operation
from tournaments.views.http.service_form import ServiceForm, gives, submit, submits

WITHOUT: Final = {
    "theme.theme": "a cookie of the browser",
    "join.setup": "makes the first account of a site; nobody acts before it",
    "me.stop_mails": "the link of a mail is the right, also for a mail program without an account",
}
"""Pages that take a POST and run no declared operation, each with its reason."""
OTHER_RIGHT: Final = {
    "edit_player.edit": "players change their own names on a page of the account",
    "edit_player.erasure_request": "players read there what becomes of their request",
    "account.own_names": "outside of any club",
    "me.answer": "whoever is signed in reads why they cannot answer",
    "me.check_in": "whoever is signed in reads why they cannot check in",
}
"""Pages whose right is none of their operations', each with its reason."""


def pages() -> Iterator[tuple[str, Route]]:
    for route in routes():
        folder, _dot, module = getattr(route.view, "__module__", "").rpartition(".")
        if folder.startswith("tournaments.views"):
            yield f"{module}.{route.view.__name__}", route


@pytest.mark.django_db
def test_every_page_that_takes_a_post_names_its_operations() -> None:
    client, without, n_writes = Client(), set(), 0
    for name, route in pages():
        operations = getattr(route.view, "operations", ())
        if client.post(route.path({})).status_code == 405:
            assert not operations, name
            continue
        n_writes += 1
        if not operations:
            without.add(name)
    assert n_writes > 100
    assert without == WITHOUT.keys()


def test_right_of_a_page_is_that_of_one_of_its_operations() -> None:
    others = {
        name
        for name, route in pages()
        if (operations := getattr(route.view, "operations", ())) and hasattr(route.view, "act")
        if route.view.act not in {each.right for each in operations}
    }
    assert others == OTHER_RIGHT.keys()


class NamesForm(ServiceForm):
    argument_names = {"called": "name"}  # noqa: RUF012
    called = forms.CharField()


class MoreNamesForm(NamesForm):
    nickname = forms.CharField()


class OwnNamesForm(ServiceForm):
    @gives("name", "nicknames")
    def get_arguments(self) -> dict[str, object]:
        return {}


@operation("own_account", name="test_of_forms")
def rename(op: Operation, *, name: str, reason: str = "") -> None:
    """Do nothing."""


def test_form_that_does_not_fit_its_operation_is_refused_at_import() -> None:
    assert submits(rename, NamesForm, "reason") is rename
    with pytest.raises(TypeError, match="takes no nickname"):
        submits(rename, MoreNamesForm)
    with pytest.raises(TypeError, match="takes no nicknames"):
        submits(rename, OwnNamesForm)
    with pytest.raises(TypeError, match="needs name"):
        submits(rename, ServiceForm)
    with pytest.raises(TypeError, match="takes no words"):
        submits(rename, NamesForm, "words")


def test_submitting_what_no_page_declares_is_a_bug() -> None:
    submits(rename, NamesForm)
    request: Any = None
    with pytest.raises(TypeError, match="does not declare"):
        submit(request, NamesForm(), rename, reason="a word")
    with pytest.raises(TypeError, match="does not declare"):
        submit(request, MoreNamesForm(), rename)
