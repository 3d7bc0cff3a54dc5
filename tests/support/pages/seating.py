"""Pages that seat players by name."""

from tests.support.answers import Answer


def pressed(page: Answer, name: str, text: str) -> str:
    """Return the value of the button of that name which says `text`."""
    _, _, after = page.content.decode().partition(f'name="{name}" value="')
    while text not in after.partition("</button>")[0]:
        _before, mark, after = after.partition(f'name="{name}" value="')
        assert mark, text
    return str(after.partition('"')[0])
