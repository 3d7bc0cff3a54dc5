"""The filled buttons of a page: the next act, and those that withdraw, undo or delete."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.urls import Resolver404, resolve

from tests.support.pages.html_tree import Node, tree

DESTRUCTIVE: Final = {
    *("abandon", "cancel", "clear", "decline", "delete", "disable", "discard", "dismiss", "end"),
    *("erase", "forget", "reject", "remove", "retire", "revoke", "undo", "unlink", "unmerge"),
    *("void", "waive", "withdraw"),
}
"""First words of operations that withdraw, undo or delete, and of the labels of their buttons."""
RESTORING: Final = {"restore", "save"}
"""First words of labels on pages of such operations that do the opposite."""


@dataclass(frozen=True, slots=True)
class FilledButton:
    label: str
    is_destructive: bool
    """By its label, or by the operations of the page that its form is sent to."""


def filled_buttons(page: str, path: str) -> list[FilledButton]:
    """Return the filled buttons in sight, also those that a script shows; not what is folded."""
    return [
        FilledButton(each.text, _is_destructive(each, to)) for each, to in _filled(tree(page), path)
    ]


def _is_destructive(button: Node, to: str) -> bool:
    verb = button.text.partition(" ")[0].lower()
    if button.tag != "button" or verb in DESTRUCTIVE | RESTORING:
        return verb in DESTRUCTIVE
    try:
        names = [each.name for each in getattr(resolve(to).func, "operations", ())]
    except Resolver404:
        return False
    return bool(names) and all(name.partition("_")[0] in DESTRUCTIVE for name in names)


def _filled(node: Node, to: str) -> Iterator[tuple[Node, str]]:
    for child in node.children:
        if not isinstance(child, Node) or child.tag == "template":
            continue
        if {"btn", "pri"} <= {*child.css}:
            yield child, to
        is_folded = child.tag == "details" and "open" not in child.attrs
        if not is_folded and "hidden" not in child.attrs:
            action = child.attrs.get("action", "") if child.tag == "form" else ""
            yield from _filled(child, action.partition("?")[0] or to)
