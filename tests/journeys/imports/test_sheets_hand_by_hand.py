"""The 32 hands of a messy night, typed one by one, give the entries and problems of the import."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from tests.support.answers import Answer, Json
from tests.support.builders import table
from tests.support.imports.imports import SHEETS, imported, season
from tests.support.imports.paper import (
    Outcome,
    PaperHand,
    Place,
    hands_of,
    outcomes_of_import,
    stored,
)
from tournaments.errors import Conflict
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.models.meetings import Seat

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MESSY = SHEETS / "messy.csv"
EVENT = "clubs/riverside/events/league"
ROUND = 11
INSTEAD = {(3, "RL13"): "RL16", (4, "Nadiia D."): "RL40"}
"""Who is seated where a sheet has a player who sits elsewhere, or nobody's name."""

Input = Callable[[], Mapping[Place, Outcome]]
"""Takes the night hand by hand and says what became of each."""


def by_hosts_page() -> dict[Place, Outcome]:
    """Type the night hand by hand into the host's form, at tables that a director has seated."""
    hands = hands_of(MESSY)
    seated(hands)
    client, found = host(), {}
    for place, paper in hands.items():
        fields = paper.fields()
        way = "points" if "points-1" in fields else "counts"
        answer = client.post(
            f"/{EVENT}/tables/r{ROUND}t{paper.table}/hands/new",
            {"number": paper.number, "way": way, "go": "save", **fields},
        )
        found[place] = became(paper) if answer.status_code == 302 else Outcome(refused(answer))
    return found


def refused(answer: Answer) -> tuple[str, ...]:
    """The codes of a page that did not save; it shows both versions of a hand that was there."""
    if answer.context["versions"]:
        assert answer.status_code == 409
        return ("hand_exists",)
    assert answer.status_code == 422
    return tuple(problem.code for problem in answer.context["form"]["problems"])


def by_rest_hand_by_hand() -> dict[Place, Outcome]:
    """Send the night hand by hand as a program does, to tables where nobody sits yet."""
    hands = hands_of(MESSY)
    everybody = list(Player.objects.order_by("player_id"))
    for number in sorted({paper.table for paper in hands.values()}):
        table(league(), everybody[4 * number - 4 : 4 * number], **on_the_night(number))
    Seat.objects.filter(table__round__number=ROUND).delete()
    client, found = host(), {}
    for place, paper in hands.items():
        body = {"number": paper.number, "entry": paper.entry(), "players": paper.players()}
        address = f"/api/v1/{EVENT}/tables/r{ROUND}t{paper.table}/hands"
        answer = client.post(address, body, content_type="application/json")
        codes = [error["code"] for error in answer.json().get("errors", ())]
        found[place] = became(paper) if answer.status_code == 201 else Outcome(tuple(codes))
    return found


def seated(hands: Mapping[Place, PaperHand]) -> None:
    """Seat each table by its first sheet, as a director can: ids, and nobody at two tables."""
    people = {player.player_id: player for player in Player.objects.all()}
    for number in sorted({paper.table for paper in hands.values()}):
        ids = hands[number, 1].players()
        if number == 3:
            with pytest.raises(Conflict, match="player_already_seated"):
                table(league(), [people[code] for code in ids], **on_the_night(number))
        ids = [INSTEAD.get((number, code), code) for code in ids]
        table(league(), [people[code] for code in ids], **on_the_night(number))


def on_the_night(number: int) -> Json:
    return {
        "round_number": ROUND,
        "table_number": number,
        "on": date(2025, 11, 13),
        "variant": "black-lady",
    }


def league() -> Event:
    return Event.objects.get(slug="league")


def became(paper: PaperHand) -> Outcome:
    """What is stored of a hand that was taken."""
    there = Hand.objects.filter(game__table__code=f"r{ROUND}t{paper.table}", number=paper.number)
    return stored(there.select_related("entry").get())


def host() -> Client:
    user = User.objects.create_user("hanna")
    Membership.objects.create(club=Club.objects.get(), user=user, role="host")
    client = Client()
    client.force_login(user)
    return client


NO_NAMES = "the seats are the table's: no id and no name is typed"
SEATED_BEFORE = "the director is told when Mina D. is seated again (player_already_seated)"
TWO_FIELDS = "the mark others+26 is two fields, and each is refused"
ONE_AFTER_THE_OTHER = "hands come one by one: the first of a number stands, the second is refused"
NOBODY_SAT = "a table is seated by its first good hand, and table 2 has none"

OTHERWISE: Mapping[Callable[..., Any], Mapping[Place, tuple[str, str]]] = {
    by_hosts_page: {
        (1, 2): ("choice_forbidden wrong_shooter", TWO_FIELDS),
        (1, 4): ("", NO_NAMES),
        **{(3, hand): ("", SEATED_BEFORE) for hand in (1, 2, 3, 4)},
        **{(4, hand): ("", NO_NAMES) for hand in (1, 3, 4)},
        (4, 2): ("missing_cards", "each seat has its row; one left empty took nothing"),
        (6, 3): ("", ONE_AFTER_THE_OTHER),
        (6, 4): ("hand_exists", ONE_AFTER_THE_OTHER),
        **{(7, hand): ("", NO_NAMES) for hand in (2, 3, 4)},
    },
    by_rest_hand_by_hand: {
        (1, 2): ("choice_forbidden wrong_shooter", TWO_FIELDS),
        (1, 4): ("player_mismatch", "an id is sent, without the name that disagrees"),
        **{(3, hand): ("", NOBODY_SAT) for hand in (1, 2, 3, 4)},
        (4, 2): ("unknown_player", "who sits there is settled before what they took"),
        (6, 3): ("", ONE_AFTER_THE_OTHER),
        (6, 4): ("hand_exists", ONE_AFTER_THE_OTHER),
        **{(7, hand): ("player_mismatch", "RL25 sits there since hand 1") for hand in (2, 3, 4)},
    },
}
"""Hands of which an input reports something else than an import, or nothing, and the reason."""


def by_import() -> dict[Place, Outcome]:
    """What the import makes of each hand, with nothing of it kept."""
    with transaction.atomic():
        imported(MESSY)
        problems = ImportProblem.objects.filter(batch=ImportBatch.objects.latest("id"))
        outcomes = outcomes_of_import(hands_of(MESSY), problems, ROUND)
        transaction.set_rollback(True)
    return outcomes


@pytest.mark.parametrize("submit", [by_hosts_page, by_rest_hand_by_hand])
def test_same_32_hands_give_the_same_entries_and_the_same_problem_codes(submit: Input) -> None:
    season()
    expected_hands = by_import()
    assert not Hand.objects.filter(game__table__round__number=ROUND).exists()
    hands = submit()
    otherwise = OTHERWISE[submit]
    assert {place: one for place, one in hands.items() if place not in otherwise} == {
        place: one for place, one in expected_hands.items() if place not in otherwise
    }
    paper = hands_of(MESSY)
    for place, (codes, why) in otherwise.items():
        assert " ".join(sorted(hands[place].codes)) == codes, why
        assert hands[place].typed == (None if codes else paper[place].entry()), why
    assert len(hands) == len(paper) == 32
