"""Making an event on a page and taking it through its states, as each role may."""

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import hand, league, players, table
from tests.support.cast import Cast
from tests.support.pages.text import beside, summary, text_of
from tournaments.domain.event_settings import PRESETS, settings_of
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Hand

NEW = "/clubs/riverside/new-event"
DIRECT = "/clubs/riverside/events/league/direct"


def typed(**more: str) -> dict[str, str]:
    """What a director types for an event; `more` is typed otherwise."""
    plain = {"name": "Autumn cup", "variant": "hearts", "preset": "games"}
    return plain | {"kind": "tournament", "visibility": "members"} | more


def move(client: Client, to: str, reason: str = "") -> Answer:
    return client.post(DIRECT, {"to": to, "reason": reason}, follow=True)


def test_event_is_made_by_an_alias_of_its_game_with_options_and_settings(cast: Cast) -> None:
    page = cast.client("dirk").post(
        NEW,
        typed(variant="omnibus  J♦", hands="8")
        | {"options-target": "50", "options-moon": "others", "options-bonus_value": "−5"},
        follow=True,
    )
    assert page.redirect_chain == [("/clubs/riverside/events/autumn-cup/direct", 302)]
    event = Event.objects.get(slug="autumn-cup")
    assert (event.kind, event.visibility, event.state) == ("tournament", "members", "draft")
    assert event.variant == "omnibus-hearts"
    assert event.options == {"target": 50, "moon": "others", "bonus_value": -5}
    assert settings_of(event).length == "hands:8"
    assert settings_of(event).primary == "raw_per_hand"
    assert Snapshot.objects.get(event=event).variant_name == "Omnibus Hearts"
    assert "Settings Omnibus Hearts, 3 options changed, 8 hands" in text_of(page)
    assert AuditLine.objects.filter(club=cast.riverside).last().act == "create_event"  # type: ignore[union-attr]


def test_options_of_a_game_are_explained_before_anything_is_made(cast: Cast) -> None:
    shown = cast.client("dirk").get(NEW, typed(variant="black LADY", step="1"))
    assert shown.status_code == 200
    assert "About Hearts (American), and its options Thirteen hearts at 1" in text_of(shown)
    assert "Points limit The total that ends the game." in text_of(shown)
    assert "options-kitty" not in shown.content.decode()
    assert 'value="Autumn cup"' in shown.content.decode()
    assert Event.objects.count() == 0


@pytest.mark.parametrize(
    ("wrong", "field", "says"),
    [
        ({"name": ""}, "name", "Enter a name with at least one visible letter, digit or symbol."),
        ({"variant": "spot heart"}, "variant", "There is no variant called"),
        ({"variant": "spot heart"}, "variant", "Closest: spot-hearts"),
        ({"preset": "chess"}, "preset", "preset cannot be chess. Expected: one of sheets"),
        ({"hands": "many"}, "hands", "many is not a valid number of hands. Enter 1 to 999"),
        ({"visibility": "nobody"}, "visibility", "visibility cannot be nobody"),
        ({"kind": "war"}, "kind", "kind cannot be war"),
        ({"options-target": "lots"}, "options-target", '"Points limit" cannot be "lots" here'),
        ({"options-moon": "eat"}, "options-moon", '"Shooting the moon" cannot be "eat" here'),
    ],
)
def test_refused_event_keeps_what_was_typed_and_says_why_beside_the_field(
    cast: Cast, wrong: dict[str, str], field: str, says: str
) -> None:
    refused = cast.client("dirk").post(NEW, typed() | wrong)
    assert refused.status_code == 422
    assert says in beside(refused, field)
    assert says in summary(refused)
    whole = typed() | wrong
    for key in ("name", "hands", "options-target"):
        assert not whole.get(key) or f'value="{whole[key]}"' in refused.content.decode()
    assert Event.objects.count() == 0


def test_all_problems_of_an_event_are_told_at_once(cast: Cast) -> None:
    refused = cast.client("dirk").post(NEW, typed(name="", variant="whist", hands="0"))
    told = [field for field in ("name", "variant", "hands") if beside(refused, field)]
    assert told == ["name", "variant", "hands"]


def test_second_event_of_a_name_gets_an_address_of_its_own(cast: Cast) -> None:
    dirk = cast.client("dirk")
    assert dirk.post(NEW, typed())["Location"].endswith("/autumn-cup/direct")
    assert dirk.post(NEW, typed())["Location"].endswith("/autumn-cup-2/direct")


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_each_preset_can_be_chosen_by_its_sentence(cast: Cast, preset: str) -> None:
    dirk = cast.client("dirk")
    assert f'name="preset" value="{preset}"' in dirk.get(NEW).content.decode()
    assert dirk.post(NEW, typed(preset=preset)).status_code == 302
    assert settings_of(Event.objects.get()).primary == PRESETS[preset]["primary"]


@pytest.mark.parametrize(
    ("name", "status"), [("", 302), ("piet", 403), ("hanna", 403), ("nora", 403)]
)
def test_only_directors_and_owners_make_and_direct_events(
    cast: Cast, name: str, status: int
) -> None:
    league(cast.riverside)
    client = cast.client(name)
    assert client.get(NEW).status_code == status
    assert client.post(NEW, typed()).status_code == status
    assert client.get(DIRECT).status_code == status
    assert client.post(DIRECT, {"to": "closed"}).status_code == status
    assert [event.state for event in Event.objects.all()] == ["open"]
    assert "Directing" not in client.get("/clubs/riverside/events/league").content.decode()


def test_event_goes_from_draft_to_final_and_only_the_owner_opens_it_again(cast: Cast) -> None:
    dirk = cast.client("dirk")
    dirk.post(NEW, typed(name="League"))
    assert "Open event" in text_of(dirk.get(DIRECT))
    assert "Close event Back to draft" in text_of(move(dirk, "open"))
    assert "The event is a draft again." in text_of(move(dirk, "draft"))
    assert "Event opened." in text_of(move(dirk, "open"))
    for to in ("closed", "final"):
        assert f"The event is {to}." in text_of(move(dirk, to))
    assert Event.objects.get().state == "final"
    assert "Reopen event" not in text_of(dirk.get(DIRECT))
    assert dirk.post(DIRECT, {"to": "open", "reason": "Why not."}).status_code == 403
    olga = cast.client("olga")
    without = move(olga, "open", "  ")
    assert without.status_code == 422
    assert beside(without, "reason") == "Enter a reason in one sentence."
    assert "Event opened." in text_of(move(olga, "open", "Round 3 was left out."))
    lines = AuditLine.objects.filter(act="move_event").order_by("number")
    assert [line.facts["to"] for line in lines] == [
        *("open", "draft"),
        *("open", "closed", "final", "open"),
    ]
    assert lines[5].facts["reason"] == "Round 3 was left out."


def test_move_that_the_table_of_states_does_not_list_is_refused(cast: Cast) -> None:
    league(cast.riverside)
    refused = move(cast.client("dirk"), "final")
    assert refused.status_code == 422
    assert "The state open cannot change to final by this request." in summary(refused)


def test_event_with_hands_cannot_be_a_draft_again_nor_close_over_a_round(cast: Cast) -> None:
    hand(table(league(cast.riverside), players(cast.riverside, *"ABCD")), 1, [4, 1, 2, 6], queen=3)
    dirk = cast.client("dirk")
    assert "Back to draft" not in text_of(dirk.get(DIRECT))
    assert "Hands have been entered" in summary(move(dirk, "draft"))
    assert "Round 1 is still in play. Close it first." in summary(move(dirk, "closed"))


def test_double_entry_is_offered_until_the_event_is_final(cast: Cast) -> None:
    league(cast.riverside)
    dirk = cast.client("dirk")
    for state in ("draft", "open", "closed"):
        Event.objects.update(state=state)
        assert "Require double entry" in text_of(dirk.get(DIRECT))
    Event.objects.update(state="final")
    assert "Require double entry" not in text_of(dirk.get(DIRECT))
    refused = text_of(dirk.post(DIRECT, {"double_entry": "on"}, follow=True))
    assert "The event is final. Its results cannot be disputed any more." in refused
    assert "Double entry is not required." in refused


def test_event_with_a_disputed_hand_does_not_become_final(cast: Cast) -> None:
    game = table(league(cast.riverside), players(cast.riverside, *"ABCD"))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    Hand.objects.update(state="disputed")
    game.table.round.state = "closed"
    game.table.round.save()
    Event.objects.update(state="closed")
    refused = move(cast.client("dirk"), "final")
    assert "Round 1 has a disputed hand. Resolve it first." in summary(refused)


def test_held_event_of_another_club_is_not_to_be_found(cast: Cast) -> None:
    league(cast.riverside, visibility="held")
    assert cast.client("dirk").get(DIRECT).status_code == 200
    other = DIRECT.replace("riverside", "hilltop")
    assert cast.client("nora").get(other).status_code == 404
