"""The public finds no name that a player or the club hides, at any address, old numbers included.

The club of tests/support/scenarios/private_club.py with all its events public: every address is
asked for before, directly after the change, and after everything was published again. What a
member finds at the same addresses shows that they do tell names.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from api.publication_cache import KEPT
from tests.support.builders import TESTS, hand, publish_all
from tests.support.cast import NOW
from tests.support.history import make_all
from tests.support.lengths import has_its_turn, is_long, short_or_long
from tests.support.pages.hidden_names import NOT_WALKED
from tests.support.scenarios.private_club import PLAYERS, Hidden, hidden
from tests.tournaments.views.access.test_hidden_names import Seen, asked, filled, walk
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event, Season
from tournaments.models.hands import Game
from tournaments.services.clubs.clubs import edit_player
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.events.adjustments import add_line
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season

pytestmark = pytest.mark.tier_all

EVENTS = short_or_long(("held", "held-ladder"), ("held", "held-ladder", "held-tied"))
NAMES = frozenset(f"zqheld{who}" for who in PLAYERS)
SHARES = 4
"""Of the addresses the short form asks for one in so many."""


@pytest.fixture
def world(db: None, tmp_path: Path) -> Hidden:
    world = hidden(tmp_path)
    mia = world.cast.users["mia"] = User.objects.create_user("mia")
    Membership.objects.create(club=world.cast.riverside, user=mia, role="player")
    typed_names(world.events["held"])
    Event.objects.update(visibility="public")
    KEPT.forget()
    return world


def typed_names(event: Event) -> None:
    """People type names too: in the reason of a penalty, of a correction, of a deletion."""
    name = "Zqheldplayera X."
    code = event.entrants.order_by("code").values_list("code", flat=True)[0]
    add_line(
        actor=TESTS, event=event, entrant=code, kind="penalty", amount="1",
        reason=f"{name} was late.", now=NOW,
    )  # fmt: skip
    game = Game.objects.get(event=event, table__code="r1t1")
    hand(game, 1, [5, 1, 1, 6], 3, based_on=1, reason=f"As {name} says.")
    void_hand(actor=TESTS, game=game, number=3, reason=f"{name}, twice.", based_on=1, now=NOW)
    publish(event.pk, now=NOW)


def addresses(world: Hidden) -> list[str]:
    """Every route filled with what there is, the numbers of all publications included."""
    paths = set(asked(filled(world, EVENTS)) if is_long() else filled(world, EVENTS))
    old = [path for path in paths if "/publications/2" in path]
    paths |= {path.replace("/publications/2", f"/publications/{n}") for path in old for n in (3, 4)}
    return sorted(
        path for path in paths if not path.startswith(NOT_WALKED) and has_its_turn(path, 0, SHARES)
    )


def told(seen: Seen, names: Iterable[str] = NAMES) -> dict[str, list[str]]:
    """Which of these names stand where."""
    wanted = frozenset(names)
    return {path: sorted(found & wanted) for path, found in seen.items() if found & wanted}


def publish_again(world: Hidden) -> None:
    for event in world.events.values():
        publish(event.pk, now=NOW)
        if event.kind == "ladder":
            publish_all(event)
    for season in Season.objects.all():
        publish_season(season.pk, now=NOW)
    for event in world.events.values():
        make_all(event.pk)


def hide(world: Hidden, people: Iterable[Player]) -> None:
    for player in people:
        edit_player(
            actor=TESTS, club=world.cast.riverside, player=player,
            changes={"shown_as": "number"}, now=NOW,
        )  # fmt: skip


def test_no_address_tells_the_public_the_name_of_who_is_shown_by_number(
    world: Hidden, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = addresses(world)
    public, member = Client(), world.cast.client("mia")
    before = walk(world, public, paths)[0]
    assert frozenset().union(*told(before).values()) == NAMES, "what nobody tells proves nothing"
    hide(world, Player.objects.filter(name__startswith="Zqheldplayer"))
    directly = walk(world, public, paths)[0]
    publish_again(world)
    after = walk(world, public, paths)[0]
    of_member = told(walk(world, member, sorted(told(before)))[0])
    with capsys.disabled():
        counted = (len(paths), len(told(before)), len(told(directly)), len(told(after)))
        says = "{} addresses; telling a name before: {}, directly after: {}, published again: {}"
        print("\n" + says.format(*counted), f"; to a member: {len(of_member)}")
    assert told(directly) == {}
    assert told(after) == {}
    # Members get files and REST as they are stored, and full names on pages. Feeds, calendars and
    # embedded tables have what the public reads, whoever asks.
    missed = told(before).keys() - of_member.keys()
    as_stored = re.compile(r"/api/|\.csv|\.atom|\.ics|/embed")
    assert {path for path in missed if not as_stored.search(path)} == set()


@pytest.mark.parametrize("policy", short_or_long(["nickname"], ["nickname", "number"]))
def test_no_address_tells_a_name_that_the_club_hides(world: Hidden, policy: str) -> None:
    set_names_policy(actor=TESTS, club=world.cast.riverside, policy=policy, now=NOW)
    paths = [path for path in addresses(world) if "events/held" in path or "events" not in path]
    assert told(walk(world, Client(), paths)[0]) == {}
