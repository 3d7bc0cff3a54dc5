"""The form that changes the players of a table."""

from tests.support.answers import Answer


def hidden(page: Answer, name: str) -> str:
    return str(page.content.decode().partition(f'name="{name}" value="')[2].partition('"')[0])
