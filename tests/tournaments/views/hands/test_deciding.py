"""What decides a game stands on its sheet, for every variant that there is.

What is expected comes from the rules as they are written in the variant's file and from what REST
says of the hands; no variant is named.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import unescape
from math import sqrt
from random import Random
from typing import Any

import pytest
from django.test import Client

from scoring.errors import Refused
from scoring.game.game import GameState, new_game, outcome, play
from scoring.numbers import ScoreJson
from scoring.rules.catalogue import catalogue
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.builders import by_tests, players, table
from tests.support.cast import NOW, Cast
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.random_hands import Dealt, dealt_at, settled
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Contribution
from tournaments.selectors.hands.decisions import standing
from tournaments.selectors.hands.score_sheet_views import SeatView
from tournaments.services.events.events import create_event, move_event
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.django_db, pytest.mark.tier_all]

CHIPS = 20
EVENT = "/clubs/riverside/events/league"
MOST_HANDS = 3


@dataclass(frozen=True)
class Played:
    rules: Mapping[str, Any]
    entries: Sequence[Mapping[str, Any]]
    page: str
    hand_page: str
    table: Mapping[str, Any]
    hands: Sequence[Mapping[str, Any]]
    game: Game

    @property
    def names(self) -> dict[int, str]:
        return {seat["seat"]: seat["player"] for seat in self.table["seats"]}

    @property
    def totals(self) -> list[ScoreJson]:
        return [seat["total"] for seat in self.table["seats"]]

    def words(self, html: str | None = None) -> str:
        text = self.page if html is None else html
        text = re.sub(r'<span class="vh">.*?</span>', "", text, flags=re.DOTALL)
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())

    @property
    def decision(self) -> str:
        match = re.search(r'<p class="says">(.*?)</p>', self.page, re.DOTALL)
        assert match, self.rules["id"]
        return unescape(match[1])


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *(f"Player {letter}." for letter in "ABCDEFGHIJKLM"))


def event_of(cast: Cast) -> Event:
    settings = {"primary": "beaten_mean", "tie_breaks": (), "start_totals": CHIPS}
    event = create_event(
        by_tests(), cast.riverside, slug="league", name="League",
        variant="hearts-chip-pool", settings=settings,
    )  # fmt: skip
    return move_event(by_tests(), event, to="open")


def entries_of(rules: Rules, seats: int) -> list[dict[str, object]]:
    chance = Random(f"{rules.id} {seats}")  # noqa: S311 - deals cards, keeps no secret
    ante = rules.keys.settle is not None and rules.keys.settle.stake == "ante"
    start = {"start_totals": [CHIPS] * seats} if ante else {}
    state, found = new_game(rules, seats, **start), []
    for _ in range(MOST_HANDS):
        dealt = dealt_at(chance, rules, seats)
        entry = _marked(dealt, dealt.counts if dealt.ready.short_form else dealt.entry, state)
        found.append(entry)
        state = play(rules, state, entry, open_ended=True)[1]
        if outcome(rules, state).finished:
            break
    return found


def _marked(dealt: Dealt, entry: Json, state: GameState) -> dict[str, object]:
    hand = settled(dealt, entry, state)
    marks: dict[str, Any] = {}
    if hand.moon is not None:
        marks = {"shooter": hand.moon.by[0]}
        marks |= {"slam_choice": hand.moon.choice} if hand.moon.choice else {}
    return entry | marks


def played(cast: Cast, people: Sequence[Player], variant: str, **options: object) -> Played:
    event = event_of(cast)
    rules = catalogue().rules(variant, options)
    seats = max(rules.keys.players[0], min(4, rules.keys.players[1]))
    game = table(event, people[:seats], variant=variant, options=options)
    entries = entries_of(rules, seats)
    for number, entry in enumerate(entries, start=1):
        record_entry(by_tests(), game, number=number, entry=entry, source="host")
    client = cast.client("hanna")
    address = f"{EVENT}/tables/r1t1"
    return Played(
        rules=rules.as_json(),
        entries=entries,
        page=client.get(address).content.decode(),
        hand_page=client.get(f"{address}/hands/1").content.decode(),
        table=client.get(f"/api/v1{address}").json(),
        hands=client.get(f"/api/v1{address}/hands").json()["results"],
        game=Game.objects.get(pk=game.pk),
    )


def pick(totals: Sequence[ScoreJson]) -> list[Fraction]:
    return [Fraction(str(total)) for total in totals]


def shown(number: Fraction) -> str:
    return str(number).replace("-", "−")


@pytest.mark.parametrize("variant", VARIANTS)
def test_sheet_shows_what_ends_and_wins_it(cast: Cast, people: list[Player], variant: str) -> None:
    at = played(cast, people, variant)
    words, keys = at.words(), at.rules
    result = keys.get("result", {})
    assert "The game ends" in words
    for end in keys["finish"]:
        if end["kind"] in ("score", "abs") and keys.get("number") != "complex":
            assert shown(Fraction(end["value"])) in words
        if end["kind"] == "deals":
            assert ("after one hand" if end["value"] == 1 else f"{end['value']} hands") in words
    told = at.decision
    order = result.get("order", "low")
    if keys.get("number") == "complex":
        for total in at.totals:
            assert isinstance(total, list)
            far = sqrt(sum(Fraction(part) ** 2 for part in total))
            assert re.search(rf"{far:.2f}".rstrip("0").rstrip(".") + r"0* from 0", words)
    elif keys["teams"]["mode"] == "none" and "moon, which wins the game" not in told:
        assert {"low": "the lowest total", "high": "the highest total"}[order] in told
        best = {"low": min, "high": max}[order](pick(at.totals))
        assert f"total, {shown(best)}" in told or "no lives left" in told
    _lives(at)
    _sides(at)
    _pool(at)
    _copies(at)
    _winners(at)


def _lives(at: Played) -> None:
    """Lives after each hand: one less for each hand that cost one, counted from the scores."""
    rule = at.rules.get("lives")
    if rule is None:
        assert not re.search(r"(life|lives) left", at.page)
        return
    lives = dict.fromkeys(at.names, rule["start"])
    for hand in at.hands:
        row = re.search(rf'/hands/{hand["number"]}">.*?</tr>', at.page, re.DOTALL)
        assert row
        for seat in hand["seats"]:
            lives[seat["seat"]] -= Fraction(seat["score"]) >= rule["lose_at"]
        matches = re.findall(r"(\d|no) (?:life|lives) left", row[0])
        assert [0 if n == "no" else int(n) for n in matches] == list(lives.values())


def _sides(at: Played) -> None:
    """Partners who share a score have one column; those who do not have the sum of both."""
    teams = at.rules.get("teams") or {}
    heads = re.findall(r'<th scope="col" class="seat">', at.page)
    if teams.get("mode", "none") == "none":
        assert len(heads) == len(at.names)
        return
    if teams["mode"] == "pooled":
        assert len(heads) == len(teams["shape"])
        for side in teams["shape"]:
            assert " & ".join(at.names[seat + 1] for seat in side) in at.words()
        return
    for side in teams["shape"]:
        own = pick([at.totals[seat] for seat in side])
        made = " + ".join(map(shown, own))
        assert f"{made} = {shown(sum(own, Fraction(0)))}" in at.words()


def _pool(at: Played) -> None:
    """What lies in the pool is what came in and has not been paid."""
    settle = at.rules.get("settle")
    if not settle or settle["pays"] != "pot":
        assert "In the pool" not in at.page
        return
    if settle["stake"] == "ante":
        put_in = Fraction(CHIPS * len(at.names))
    else:
        put_in = Fraction(26 * len(at.hands))
    left = put_in - sum(pick(at.totals), Fraction(0))
    assert f"In the pool: {shown(left)}." in at.words()


def _copies(at: Played) -> None:
    """Of cards that there are several of, how many of how many."""
    by_hand = at.words(at.hand_page)
    for cards in at.entries[0].get("taken", ()):
        for card in {card for card in cards if cards.count(card) > 1 and card.endswith("S")}:
            assert re.search(rf"{cards.count(card)} of \d {card[:-1]}", by_hand)


def _winners(at: Played) -> None:
    """Who is first in words is who REST says is, and who has the first place in the standings."""
    game = at.hands[-1]["game"]
    first = game["winners"] or game["leaders"]
    verdict = at.decision.partition(":")[0]
    for seat, name in at.names.items():
        assert (name in verdict) == (seat in first), (at.decision, first)
    rows = Contribution.objects.filter(game=at.game).select_related("entrant")
    places = {row.entrant.code: row.place for row in rows}
    assert {
        seat["player_id"]: int(str(seat["place"]).rstrip("=")) for seat in at.table["seats"]
    } == places


def test_tricks_are_on_the_sheet_if_a_rule_looks_at_them(cast: Cast, people: list[Player]) -> None:
    at = played(cast, people, "hearts", sun="double")
    row = re.search(r'/hands/1">.*?</tr>', at.page, re.DOTALL)
    assert row
    assert [int(n) for n in re.findall(r"(\d+) tricks?", row[0])] == at.entries[0]["tricks"]


def test_both_queens_and_cards_that_nobody_has_are_counted_out_loud(
    cast: Cast, people: list[Player], hanna: Client
) -> None:
    event = event_of(cast)
    options = {"last_stalled": "uncounted"}
    game = table(event, people[:6], variant="cancellation-hearts", options=options)
    entry = {
        "hearts": [6, 5, 5, 4, 4, 0],
        "taken": [["QS", "QS"], [], [], [], [], []],
        "unclaimed": ["KH", "2H"],
    }
    record_entry(by_tests(), game, number=1, entry=entry, source="host")
    for path in ("", "/hands/1", "/read-back"):
        page = hanna.get(f"{EVENT}/tables/r1t1{path}").content.decode()
        words = " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())
        assert "2 of 2 Q" in words, path
        assert "Unclaimed: K ♥ , 2 ♥ ." in words, path
        assert "50 of 52 points are assigned" in words, path
    publish(event.pk, now=NOW)
    hanna.cookies["figures"] = "all"
    standings = hanna.get(EVENT).content.decode()
    heads = re.findall(r'<th\s+class="num[^"]*"[^>]*>\s*<a[^>]*>\s*([^<]+?)\s*</a>', standings)
    ends = heads.index("Won")
    assert heads[ends : ends + 6] == ["Won", "2nd", "3rd", "4th", "6th", "Moons"]  # two are 4th


def test_sheet_of_a_tie_played_off_names_who_can_win(cast: Cast, people: list[Player]) -> None:
    options = {"tie": "playoff", "target": 10, "target_op": ">="}
    game = table(event_of(cast), people[:4], variant="hearts-without-black-lady", options=options)
    client, address = cast.client("hanna"), f"{EVENT}/tables/r1t1"
    a, b, c, d = (player.name for player in people[:4])

    def enter(number: int, *hearts: int) -> tuple[str, list[int]]:
        entry = {"hearts": list(hearts)}
        record_entry(by_tests(), game, number=number, entry=entry, source="host")
        found = re.search(r'<p class="says">(.*?)</p>', client.get(address).content.decode())
        hands = client.get(f"/api/v1{address}/hands").json()["results"]
        assert found
        return unescape(found[1]), hands[-1]["game"]["winners"]

    assert enter(1, 11, 0, 0, 2) == (
        f"{b} and {c} are tied for first place: the lowest total, 0. "
        "They play it off: nobody else can win.",
        [],
    )
    decided = (f"{b} wins: the lowest total of those who play off, 6.", [2])
    assert enter(2, 0, 6, 7, 0) == decided
    seats = client.get(f"/api/v1{address}").json()["seats"]
    assert {seat["player"]: seat["place"] for seat in seats} == {b: "1", c: "2", d: "3", a: "4"}
    with pytest.raises(Refused, match="match_over"):
        enter(3, 4, 3, 3, 3)


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("gong-zhu", "The game ends after 8 hands. The highest total wins."),
        ("likha", "The game ends after 8 hands. The side with the highest single total has lost, "
         "the other has won."),
    ],
)  # fmt: skip
def test_sheet_of_a_game_without_target_names_no_losing_total(variant: str, expected: str) -> None:
    rules = catalogue().rules(variant)
    seats = [SeatView(number, "", "", "", "") for number in range(1, 5)]
    state = new_game(rules, 4)
    assert standing(rules, state, seats, is_over=False, length="hands:8")[1]["rule"] == expected
