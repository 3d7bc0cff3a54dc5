"""A file on its way through the page of imports by somebody who presses each filled button.

`press_defaults(client, address, path)` sends a file and accepts what every page proposes, whatever
the pages are and how many of them come, until no filled button is left or one leads back to a page
that says the same: then it waits for an answer.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.support.pages.html_tree import Node, tree

OK: Final = 200
MOST: Final = 12
"""More pages than any import has."""
FILLED: Final = {"btn", "pri"}

Form = dict[str, Any]


@dataclass
class Walk:
    """The pages of an import in order: what each says, and the button that was pressed there."""

    texts: list[str] = field(default_factory=list)
    pressed: list[str] = field(default_factory=list)
    is_stuck: bool = False
    """Whether the last page came again when its button was pressed."""

    @property
    def last(self) -> str:
        return self.texts[-1]


def press_defaults(
    client: Client,
    address: str,
    path: Path | None,
    typed: Mapping[str, str] = MappingProxyType({}),
    wherever: Mapping[str, str] = MappingProxyType({}),
) -> Walk:
    """Send a file, or a paste in `typed`, from the page at an address.

    `typed` are fields that are filled in there, `wherever` those of any page that are empty.
    """
    walk = Walk()
    here = address
    page = main_of(client, here)
    sent: Form = {**typed}
    if path is not None:
        sent["file"] = SimpleUploadedFile(path.name, path.read_bytes())
    for _ in range(MOST):
        walk.texts.append(page.text)
        pressed = filled(page, here)
        if pressed is None:
            return walk
        form, button = pressed
        values = {**successful(page, form, button), **sent}
        for name, value in wherever.items():
            if values.get(name) == [""]:
                values[name] = value
        sent = {}
        to = button.attrs.get("formaction") or form.attrs.get("action") or here
        answer = client.post(to, values, follow=True)
        if answer.redirect_chain:
            here = answer.redirect_chain[-1][0].partition("#")[0]
        else:
            here = to
        before, page = page.text, main_in(answer.content.decode())
        walk.pressed.append(button.text)
        is_same = page.text == before or walk.pressed.count(button.text) > 1
        if is_same or answer.status_code != OK:
            walk.texts.append(page.text)
            walk.is_stuck = True
            return walk
    raise AssertionError(f"too many pages: {walk.pressed}")


def main_of(client: Client, address: str) -> Node:
    return main_in(client.get(address, follow=True).content.decode())


def main_in(page: str) -> Node:
    main = tree(page).first("main")
    assert main is not None, page[:500]
    return main


def filled(page: Node, here: str) -> tuple[Node, Node] | None:
    """Return the first filled button in sight with its form; None without one."""
    return next(_filled(page, None, here), None)


def _filled(node: Node, form: Node | None, here: str) -> Iterator[tuple[Node, Node]]:
    for child in node.children:
        if not isinstance(child, Node) or child.tag == "template" or "hidden" in child.attrs:
            continue
        if child.tag == "details" and "open" not in child.attrs:
            continue
        inside = form
        if child.tag == "form":
            inside = child
        if child.tag == "button" and inside is not None and {*child.css} >= FILLED:
            yield inside, child
        yield from _filled(child, inside, here)


def successful(page: Node, form: Node, button: Node) -> Form:
    """Return what a browser sends of a form that nobody has touched."""
    found: Form = {}
    for each in (*form.all(), *_elsewhere(page, form)):
        name = each.attrs.get("name", "")
        if not name or "disabled" in each.attrs:
            continue
        for value in _values(each):
            found.setdefault(name, []).append(value)
    if name := button.attrs.get("name", ""):
        found[name] = [button.attrs.get("value", "")]
    return found


def _elsewhere(page: Node, form: Node) -> Iterator[Node]:
    """Yield the fields that stand outside of their form."""
    if name := form.attrs.get("id", ""):
        yield from (each for each in page.all() if each.attrs.get("form") == name)


def _values(field_: Node) -> list[str]:
    if field_.tag == "textarea":
        texts = [child for child in field_.children if isinstance(child, str)]
        return ["".join(texts).removeprefix("\n")]
    if field_.tag == "select":
        options = list(field_.all("option"))
        chosen = [option for option in options if "selected" in option.attrs]
        if not chosen and "multiple" not in field_.attrs:
            chosen = options[:1]
        return [option.attrs.get("value", option.text) for option in chosen]
    kind = field_.attrs.get("type", "text")
    if field_.tag != "input" or kind in ("submit", "button", "file", "image", "reset"):
        return []
    if kind in ("checkbox", "radio"):
        return [field_.attrs.get("value", "on")] if "checked" in field_.attrs else []
    return [field_.attrs.get("value", "")]
