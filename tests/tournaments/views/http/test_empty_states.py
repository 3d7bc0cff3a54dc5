"""Lists without a row say what will be there and lead to the act that fills them, or nearby."""

import re

import pytest

from tests.support.builders import ladder, league
from tests.support.cast import enter_the_cast

CLUB = "/clubs/hilltop"
EVENT = f"{CLUB}/events/league"
LADDER = f"{CLUB}/events/ladder"
ADD = f'<a class="btn pri" href="{CLUB}/add-players">Add players</a>'
EMPTY = {
    f"{CLUB}/players": ADD,
    f"{CLUB}/seasons": f'<a class="btn pri" href="{CLUB}/new-season">New season</a>',
    f"{CLUB}/house-rules": '<a class="btn" href="/variants">All games</a>',
    f"{CLUB}/mappings": f'<a class="btn" href="{CLUB}">Events of the club</a>',
    f"{CLUB}/records": f'<a class="btn" href="{CLUB}">Events of the club</a>',
    f"{EVENT}/disputes": "All evenings</a>",
    f"{EVENT}/imports": "All evenings</a>",
    f"{EVENT}/ledger": "Standings</a>",
    f"{EVENT}/links": "All evenings</a>",
    f"{EVENT}/publications": "All evenings</a>",
    f"{EVENT}/head-to-head": "All evenings</a>",
    f"{LADDER}/ladder": "Add player</a>",
    f"{LADDER}/ratings": "All challenges</a>",
    f"{LADDER}/ladder/moves": "All challenges</a>",
    f"{LADDER}/challenges": "Ladder</a>",
    "/my-tables": "All clubs</a>",
    "/notices": "My page</a>",
    "/account/names": "All clubs</a>",
}


@pytest.mark.django_db
def test_every_empty_list_names_the_next_act() -> None:
    cast = enter_the_cast()
    league(cast.hilltop)
    ladder(cast.hilltop)
    nora = cast.client("nora")
    wrong = []
    for path, act in EMPTY.items():
        response = nora.get(path)
        page = response.content.decode()
        found = re.search(r'<div class="empty.*?</div>', page, re.S)
        if response.status_code != 200 or found is None or act not in found[0]:
            wrong.append(
                f"{path}: {response.status_code} {found[0] if found else 'no empty state'}"
            )
    assert wrong == []


@pytest.mark.django_db
def test_reader_without_the_right_is_led_elsewhere() -> None:
    cast = enter_the_cast()
    assert ADD in cast.client("nora").get(f"{CLUB}/players").content.decode()
    public = cast.client("").get(f"{CLUB}/seasons").content.decode()
    assert "new-season" not in public
    assert f'<a class="btn" href="{CLUB}">Events of the club</a>' in public
