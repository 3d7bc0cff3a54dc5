"""The filled buttons of a page: the one that comes next, and those that take something back."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.urls import Resolver404, resolve

from tests.support.pages.html_tree import Node, tree

TAKES_BACK: Final = {
    *("abandon", "cancel", "clear", "decline", "delete", "disable", "discard", "dismiss", "end"),
    *("erase", "forget", "reject", "remove", "retire", "revoke", "undo", "unlink", "unmerge"),
    *("void", "waive", "withdraw"),
}
"""First words of operations that take something back, and of the labels of their buttons."""
GIVES_BACK: Final = {"restore", "save"}
"""First words of labels on pages of such operations that take nothing back."""


@dataclass(frozen=True, slots=True)
class FilledButton:
    label: str
    takes_back: bool
    """By its label, or by the operations of the page that its form is sent to."""


def filled_buttons(page: str, path: str) -> list[FilledButton]:
    """Return the filled buttons in sight, also those that a script shows; not what is folded."""
    return [
        FilledButton(each.text, _takes_back(each, to)) for each, to in _filled(tree(page), path)
    ]


def _takes_back(button: Node, to: str) -> bool:
    verb = button.text.partition(" ")[0].lower()
    if button.tag != "button" or verb in TAKES_BACK | GIVES_BACK:
        return verb in TAKES_BACK
    try:
        names = [each.name for each in getattr(resolve(to).func, "operations", ())]
    except Resolver404:
        return False
    return bool(names) and all(name.partition("_")[0] in TAKES_BACK for name in names)


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
