"""Every address of the pages that takes a POST names the operations that it runs."""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

import pytest
from django import forms
from django.test import Client

from tests.support.routes import Route, routes
from tournaments.services.events.change_event import archive_event
from tournaments.views.http.decorators import form_page
from tournaments.views.http.service_form import ServiceForm, gives, submit

WITHOUT: Final = {
    "responses.theme": "a cookie of the browser",
    "join.setup": "makes the first account of a site; nobody acts before it",
    "notices.stop_mails": "the link of a mail is the right, also without an account",
}
"""Pages that take a POST and run no declared operation, each with its reason."""
OTHER_RIGHT: Final = {
    "edit_player.edit": "players change their own names on a page of the account",
    "edit_player.erasure_request": "players read there what becomes of their request",
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
        if (operations := getattr(route.view, "operations", ())) and hasattr(route.view, "right")
        if route.view.right not in {each.right for each in operations}
    }
    assert others == OTHER_RIGHT.keys()


class WhyForm(ServiceForm):
    argument_names: ClassVar = {"why": "reason"}
    why = forms.CharField()


class WhyAndWhenForm(WhyForm):
    when = forms.CharField()


class OwnArgumentsForm(WhyForm):
    @gives("reason", "day")
    def get_arguments(self) -> dict[str, object]:
        return {}


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        ((archive_event, WhyAndWhenForm), "archive_event takes no when"),
        ((archive_event, OwnArgumentsForm), "archive_event takes no day"),
        ((archive_event, WhyForm, "words"), "archive_event takes no words"),
        ((archive_event, ServiceForm), "archive_event needs reason"),
    ],
)
def test_form_unlike_its_operation_is_refused_at_import(run: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        form_page(run)


def test_what_no_page_declares_cannot_be_submitted() -> None:
    form_page((archive_event, WhyForm))
    request: Any = None
    for form, about in ((WhyForm(), {"day": 1}), (WhyAndWhenForm(), {})):
        with pytest.raises(TypeError, match="does not declare archive_event"):
            submit(request, form, archive_event, **about)
