"""Pages that seat players by name."""

import re

from django.test import Client

from tests.support.answers import Answer

HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')


def press(client: Client, address: str, button: str, **chosen: str | list[str]) -> Answer:
    """Press the first button of that text on a page; returns the page that it leads to."""
    html = client.get(address, chosen, follow=True).content.decode()
    for form in re.findall(r'<form[^>]*method="post".*?</form>', html, re.S):
        for attributes, text in re.findall(r"<button([^>]*)>(.*?)</button>", form, re.S):
            if text.strip() == button:
                fields = dict(HIDDEN.findall(form))
                fields |= dict(re.findall(r'name="(\w+)" value="([^"]*)"', attributes))
                action = form.partition('action="')[2].partition('"')[0]
                return client.post(action, fields, follow=True)
    raise AssertionError(f"no button {button}: {html}")


def pressed(page: Answer, name: str, text: str) -> str:
    """Return the value of the button of that name which says `text`."""
    _, _, after = page.content.decode().partition(f'name="{name}" value="')
    while text not in after.partition("</button>")[0]:
        _before, mark, after = after.partition(f'name="{name}" value="')
        assert mark, text
    return str(after.partition('"')[0])
