"""A club with all that strangers may not read, each piece marked by a word of its own.

Every such word begins with `MARK`; `Hidden.marks` says which there are. What is public beside it is
marked by nothing, so that a mark in an answer is a leak, whatever stands around it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from io import BytesIO
from pathlib import Path

from django.utils import timezone
from PIL import Image

from tests.support.builders import (
    bring,
    by_tests,
    counts,
    hand,
    ladder,
    league,
    link,
    penalize,
    players,
    publish_all,
    season,
    table,
)
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.history import make_all
from tests.support.imports.imports import imported, rows, written
from tests.support.scenarios.playoffs import LEVEL, close
from tests.support.seasons import assign_event
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.policy import command
from tournaments.selectors.access.table_links import secrets_of
from tournaments.selectors.events.entrants import get_entrant
from tournaments.selectors.events.meetings import meetings_of
from tournaments.selectors.hands.disputes import get_dispute
from tournaments.selectors.ladders.log import current_ladder
from tournaments.services.access.table_links import make_link
from tournaments.services.clubs.clubs import create_club
from tournaments.services.events.adjustments import sit_out
from tournaments.services.events.entrants import add_entrant
from tournaments.services.hands.disputes import open_dispute, rule_on_dispute, withdraw_dispute
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.ladders.challenges import issue_challenge
from tournaments.services.ladders.members import move_entrant, report_absence
from tournaments.services.operations import Operation
from tournaments.services.publishing.evening_results import publish_result
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season
from tournaments.services.rounds.photos import add_photo
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

MARK = "zq"
"""How every word begins that a stranger must not find, in any case of letters."""


@dataclass
class Hidden:
    """The clubs, their events by name, and the words that mark what is hidden."""

    cast: Cast
    events: dict[str, Event] = field(default_factory=dict)
    token: str = ""
    """Of the link to the first table of the event that is held back."""
    at_that_table: frozenset[str] = frozenset()
    """Marks of what its holder may read."""
    words_of_disputes: frozenset[str] = frozenset()
    """Marks in the public event: what was said in its disputes."""

    def marks(self) -> frozenset[str]:
        return frozenset(
            f"{MARK}{kind}{what}" for kind in ("held", "members") for what in OF_AN_EVENT
        ) | {*self.words_of_disputes, *(f"{MARK}{what}" for what in OF_THE_CLUB)}

    def found_in(self, content: bytes) -> frozenset[str]:
        return frozenset(word.lower().decode() for word in self._word.findall(content))

    @cached_property
    def _word(self) -> re.Pattern[bytes]:
        # The whole words: a token drawn by chance may begin like one.
        return re.compile("|".join(sorted(self.marks(), reverse=True)).encode(), re.IGNORECASE)


PLAYERS = tuple(f"player{letter}" for letter in "abcdefghij")
OF_AN_EVENT = (
    *PLAYERS,
    *("name", "ladder", "tied", "pair", "corrected", "voided", "late", "left"),
    *("disputed", "ruled", "withdrawn", "challenged", "said"),
)
OF_THE_CLUB = ("nowhere", "private", "inside", "unknown", "file")


def hidden(tmp_path: Path) -> Hidden:
    """Make Riverside with a public league, one for members and one that is held back, each with a
    ladder and a play-off, and with a club beside it that only its owner knows of."""
    cast = enter_the_cast()
    world = Hidden(cast)
    club = cast.riverside
    make_house_rules(
        by_tests(),
        club,
        name="House",
        slug="house",
        chosen=chosen_rules("hearts", {"target": 50}, "Ours"),
    )
    _open_to_all(world)
    for kind in ("members", "held"):
        _event(world, kind, tmp_path)
    players(club, f"{MARK.title()}nowhere N.")
    between = season(world.events["league"])
    for name in ("members", "held"):
        assign_event(world.events[name], between)
        publish(world.events[name].pk, now=NOW)
    publish_season(between.pk, now=NOW)
    for event in world.events.values():
        make_all(event.pk)
        for meeting in meetings_of(event):
            publish_result(meeting, now=NOW)
    _private_club(world)
    return world


def _open_to_all(world: Hidden) -> None:
    club, hanna = world.cast.riverside, world.cast.actor("hanna")
    people = players(club, "Ann A.", "Ben B.", "Cleo C.", "Dan D.")
    link(people[0], world.cast.users["piet"])
    event = world.events["league"] = league(club)
    game = table(event, people)
    said = {"Zqopen": "", "Zqupheld": "upheld", "Zqtaken": "withdrawn"}
    for number, (words, to) in enumerate(said.items(), start=1):
        hand(game, number, [4, 1, 2, 6], 3)
        open_dispute(Operation(hanna, NOW), game, number=number, words=f"{words} it is.")
        if to == "withdrawn":
            withdraw_dispute(
                Operation(hanna, NOW), get_dispute(event, number), reason="Zqback then."
            )
        elif to:
            rule_on_dispute(by_tests(), get_dispute(event, number), to=to, ruling="So it is.")
    publish(event.pk, now=NOW)
    climbing = world.events["ladder"] = ladder(club)
    hand(table(climbing, people), 1, [4, 1, 2, 6], 3)
    publish_all(climbing)
    world.words_of_disputes = frozenset(("zqopen", "zqupheld", "zqtaken", "zqback"))


def _event(world: Hidden, kind: str, tmp_path: Path) -> None:
    cast, club = world.cast, world.cast.riverside
    mark = f"{MARK.title()}{kind}"
    people = players(club, *(f"{mark}{who} X." for who in PLAYERS))
    event = world.events[kind] = league(
        club, slug=f"{kind}-league", name=f"{mark}name League", visibility=kind
    )
    pair = add_entrant(by_tests(), event, players=people[8:], kind="pair", name=f"{mark}pair")
    first = table(event, people[:4])
    second = table(event, people[4:8], table_number=2)
    Round.objects.filter(event=event).update(state="playing")
    for game in (first, second):
        game.refresh_from_db()
        for number in (1, 2, 3):
            hand(game, number, [4, 1, 2, 6], 3, actor=cast.actor("olga"))
    hand(second, 1, [4, 2, 1, 6], 3, based_on=1, reason=f"{mark}corrected it.")
    void_hand(by_tests(), second, number=3, reason=f"{mark}voided it.", based_on=1)
    for number, words in ((1, "disputed"), (2, "withdrawn")):
        open_dispute(cast.operation("dirk"), second, number=number, words=f"{mark}{words}!")
    rule_on_dispute(by_tests(), get_dispute(event, 1), to="upheld", ruling=f"{mark}ruled so.")
    penalize(event, people[4].player_id, "2", f"{mark}late it was.")
    bring(event, people[4].player_id, "2", reason=f"{mark}list on paper.")
    round_ = Round.objects.get(event=event)
    sit_out(by_tests(), round_, entrant=pair.code, reason="left")
    move_entrant(
        by_tests(),
        get_entrant(event, people[5].player_id),
        to="withdrawn",
        reason=f"{mark}left us.",
    )
    add_photo(cast.operation("olga", timezone.now()), second, content=_picture())
    publish(event.pk, now=NOW)
    hand(first, 2, [5, 1, 1, 6], 3, based_on=1, reason="Read again.")
    publish(event.pk, now=NOW)
    if kind == "held":
        link = make_link(cast.operation("olga", timezone.now()), first.table)
        world.token = secrets_of(link.seed).token
        world.at_that_table = frozenset(f"{MARK}{kind}{who}" for who in (*PLAYERS[:4], "name"))
        _import(event, tmp_path)
    _ladder(world, kind, people)
    _tie(world, kind, people)


def _ladder(world: Hidden, kind: str, people: Sequence[Player]) -> None:
    mark = f"{MARK.title()}{kind}"
    event = world.events[f"{kind}-ladder"] = ladder(
        world.cast.riverside, slug=f"{kind}-ladder", name=f"{mark}ladder", visibility=kind
    )
    game = table(event, people[:4])
    hand(game, 1, [4, 1, 2, 6], 3)
    Game.objects.filter(pk=game.pk).update(state="complete")
    publish_all(event)
    order = [player.player_id for player in people[:4]]
    report_absence(
        by_tests(),
        event,
        player_id=order[1],
        since=NOW.date(),
        until=NOW.date() + timedelta(days=3),
    )
    _challenge(event, mark, order)
    publish_all(event)


def _challenge(event: Event, mark: str, order: Sequence[str]) -> None:
    listed = current_ladder(event).order
    free = [code for code in listed if code != order[1]]
    issue_challenge(
        by_tests(),
        event,
        challenger=free[1],
        challenged=free[0],
        words=f"{mark}challenged, {mark}said Ann.",
    )


def _tie(world: Hidden, kind: str, people: Sequence[Player]) -> None:
    settings = {"boundaries": {"title": 1}, "playoff": "extra_hands"}
    event = world.events[f"{kind}-tied"] = league(
        world.cast.riverside, slug=f"{kind}-tied", name=f"{MARK.title()}{kind}tied",
        visibility=kind, settings=settings,
    )  # fmt: skip
    game = table(event, people[:4])
    record_entry(by_tests(), game, number=1, entry=counts(LEVEL[4], 3), source="host")
    close(event)


def _import(event: Event, tmp_path: Path) -> None:
    cast = {seat: f"NEW{seat},Zqunknown {seat}." for seat in "NESW"}
    path = written(tmp_path, rows(hand=4, round_=7, cast=cast), name="zqfile.csv")
    imported(path, event=event.slug)


def _private_club(world: Hidden) -> None:
    club = create_club(
        Operation(command("tests"), NOW), slug="private", name=f"{MARK.title()}private"
    )
    Club.objects.filter(pk=club.pk).update(is_public=False)
    club.refresh_from_db()
    Membership.objects.create(club=club, user=world.cast.users["olga"], role="owner")
    event = world.events["private"] = league(club, slug="inside", name=f"{MARK.title()}inside")
    hand(table(event, players(club, "Zqinside A.", "Ben", "Cem", "Dora")), 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)


def _picture() -> bytes:
    into = BytesIO()
    Image.new("L", (60, 80), 255).save(into, "JPEG")
    return into.getvalue()


def names(world: Hidden, events: Iterable[str]) -> Sequence[Mapping[str, object]]:
    return [_names(world.events[name]) for name in events]


def _names(event: Event) -> Mapping[str, object]:
    codes = list(event.entrants.order_by("code").values_list("code", flat=True))
    nowhere = Player.objects.filter(name__startswith="Zqnowhere").values_list("player_id")
    return {
        "club": event.club.slug,
        "event": event.slug,
        "code": list(Game.objects.filter(event=event).values_list("table__code", flat=True)),
        "player_id": [*codes[:2], *(row[0] for row in nowhere)],
        "entrant": codes[:1],
        "number": [1, 2],
    }
