"""A form that is sent twice from one page is stored once, and gets the first answer again.

The forms are those of every page that an owner opens, filled in with what their fields propose;
those that create rows are found by counting.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.messages import get_messages
from django.db import transaction
from django.test import Client

from tests.support.answers import close_answer
from tests.support.policy_table import addresses
from tests.support.scenarios.every_right import World, every_right

TYPED: Mapping[str, str] = {
    "number": "1", "date": "2025-12-04", "time": "19:30", "email": "ida@club.example",
    "url": "https://club.example/hook", "color": "#336699",
}  # fmt: skip
USED_ONCE = {"/invitations/join"}
"""Addresses that open by a secret which the first form uses up: the second finds nothing."""
OF_FRAME = {"reply", "session"}
LEAST = 45
"""Addresses whose forms create something, as far as their proposals are accepted."""


class Forms(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, str], list[tuple[str, str]]]] = []
        self._select = ""
        self._is_open = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._is_open = values.get("method") == "post"
            if self._is_open:
                self.forms.append((values.get("action", ""), {}, []))
        elif self._is_open:
            self._field(tag, values)

    def handle_endtag(self, tag: str) -> None:
        self._is_open &= tag != "form"

    def _field(self, tag: str, values: dict[str, str]) -> None:
        _action, fields, buttons = self.forms[-1]
        name, kind = values.get("name", ""), values.get("type", "text")
        if tag == "select":
            self._select = name
        elif tag == "option" and self._select:
            if values.get("value") and ("selected" in values or not fields.get(self._select)):
                fields[self._select] = values["value"]
        elif tag == "button" or kind == "submit":
            buttons.append((name, values.get("value", "")))
        elif tag == "textarea":
            fields[name] = "Because."
        elif kind in ("checkbox", "radio"):
            if "checked" in values or (kind == "radio" and name not in fields):
                fields[name] = values.get("value", "on")
        elif tag == "input" and name and kind != "file":
            usual = TYPED.get(kind, "1" if values.get("inputmode") == "numeric" else "Ida")
            fields[name] = values.get("value") or ("" if kind == "hidden" else usual)


def forms_of(client: Client, path: str) -> Iterator[tuple[str, dict[str, str]]]:
    answer = client.get(path)
    if answer.status_code != 200 or answer.streaming or "html" not in answer["Content-Type"]:
        close_answer(answer)
        return
    for action, fields, buttons in Forms(answer.content.decode()).forms:
        for name, value in buttons or [("", "")]:
            yield action or path, fields | ({name: value} if name else {})


def rows() -> Counter[str]:
    models = [model for model in apps.get_models() if model._meta.model_name not in OF_FRAME]
    return Counter({model._meta.label: model._default_manager.count() for model in models})


def answer_to(client: Client, path: str, fields: Mapping[str, str]) -> tuple[int, str, list[str]]:
    client.cookies.pop("messages", None)  # both are on their way before the first is answered
    answer: Any = client.post(path, fields)
    said = [str(message) for message in get_messages(answer.wsgi_request)]
    close_answer(answer)
    return answer.status_code, answer.headers.get("Location", ""), said


@pytest.mark.tier_all
def test_every_form_that_creates_something_does_so_once(db: None, tmp_path: Path) -> None:
    world: World = every_right(tmp_path)
    client, seen, creating = world.callers["owner"].client, set[Any](), set[str]()
    wrong: list[Any] = []
    for route in addresses():
        if route.pattern.startswith(("api/", "admin/", "accounts/", "t/", "theme")):
            continue
        for path, fields in forms_of(client, route.path(world.names_of(route.pattern))):
            form = path, *sorted(fields.keys() - {"csrfmiddlewaretoken"})
            if form in seen or path.startswith("/accounts/"):
                continue
            seen.add(form)
            with transaction.atomic():
                before = rows()
                first = answer_to(client, path, fields)
                stored = rows()
                if first[0] < 400 and stored - before:
                    creating.add(re.sub(r"\d+|[0-9a-f-]{36}", "*", path))
                    again = answer_to(client, path, fields)
                    is_answered = again == first or path in USED_ONCE
                    if not is_answered or rows() - stored:
                        wrong.append((form, first, again, dict(rows() - stored)))
                transaction.set_rollback(True)
    assert wrong == []
    assert len(creating) >= LEAST, creating
