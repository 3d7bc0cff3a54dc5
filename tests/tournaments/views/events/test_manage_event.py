"""Making an event, its states, readers, archive, name and address, and deleting a draft."""

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.hand_entry import typed
from tests.support.pages.outbox import shell
from tests.support.pages.text import beside, summary, text_of
from tests.support.scenarios.table_links import linked
from tests.support.seasons import assign_event, autumn_season
from tournaments.domain.event_settings import PRESETS, settings_of
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event, FormerEventSlug, Snapshot
from tournaments.models.hands import Game, Hand
from tournaments.models.jobs import Dirty
from tournaments.models.rounds import Table
from tournaments.services.clubs.names import taken_event_slugs
from tournaments.services.events.change_event import change_event
from tournaments.services.events.events import create_event
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.publishing.publications import publish

NEW = "/clubs/riverside/new-event"


DIRECT = "/clubs/riverside/events/league/direct"


def event_typed(**more: str) -> dict[str, str]:
    plain = {"name": "Autumn cup", "variant": "hearts", "preset": "games"}
    return plain | {"kind": "tournament", "visibility": "members"} | more


def move(client: Client, to: str, reason: str = "") -> Answer:
    return client.post(DIRECT, {"to": to, "reason": reason}, follow=True)


def test_event_is_made_by_an_alias_of_its_game_with_options_and_settings(cast: Cast) -> None:
    page = cast.client("dirk").post(
        NEW,
        event_typed(variant="omnibus  J♦", hands="8")
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
    response = cast.client("dirk").get(NEW, event_typed(variant="black LADY", step="1"))
    assert "About Hearts (American), and its options Thirteen hearts at 1" in text_of(response, 200)
    assert "Points limit The total that ends the game." in text_of(response)
    assert "options-kitty" not in response.content.decode()
    assert 'value="Autumn cup"' in response.content.decode()
    assert Event.objects.count() == 0


@pytest.mark.parametrize(
    ("wrong", "field", "says"),
    [
        ({"name": ""}, "name", "Enter a name with at least one visible letter, digit or symbol."),
        ({"variant": "spot heart"}, "variant", "There is no variant called"),
        ({"variant": "spot heart"}, "variant", "Closest: spot-hearts"),
        ({"preset": "chess"}, "preset", "preset cannot be chess. Expected: one of sheets"),
        ({"hands": "many"}, "hands", "many is not a valid number of hands. Enter 1 to 999"),
        ({"options-target": "lots"}, "options-target", '"Points limit" cannot be "lots" here'),
    ],
)
def test_refused_event_keeps_what_was_typed_and_says_why_beside_the_field(
    cast: Cast, wrong: dict[str, str], field: str, says: str
) -> None:
    refused = cast.client("dirk").post(NEW, event_typed() | wrong)
    assert says in beside(refused, field, 422)
    assert says in summary(refused)
    whole = event_typed() | wrong
    for key in ("name", "hands", "options-target"):
        assert not whole.get(key) or f'value="{whole[key]}"' in refused.content.decode()
    assert Event.objects.count() == 0


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_each_preset_can_be_chosen_by_its_sentence(dirk: Client, preset: str) -> None:
    assert f'name="preset" value="{preset}"' in dirk.get(NEW).content.decode()
    assert dirk.post(NEW, event_typed(preset=preset)).status_code == 302
    assert settings_of(Event.objects.get()).primary == PRESETS[preset]["primary"]


@pytest.mark.parametrize(("preset", "kind"), [("pairs", "pairs"), ("teams", "teams")])
def test_event_of_pairs_or_teams_says_that_they_are_entered(
    cast: Cast, preset: str, kind: str
) -> None:
    dirk = cast.client("dirk")
    dirk.post(NEW, event_typed(preset=preset))
    shown = text_of(dirk.get(f"/clubs/riverside/events/{Event.objects.get().slug}/direct"))
    assert f"without {kind} yet. Enter them before you plan the seating." in shown


def test_event_without_players_says_how_they_join(cast: Cast) -> None:
    event = league(cast.riverside)
    players(cast.riverside, "Ada", "Ben", "Cleo", "Dora")
    dirk = cast.client("dirk")
    shown = text_of(dirk.get(DIRECT))
    assert "League without players yet. Players who are checked in or seated join." in shown
    assert "Players No players yet" in shown
    table(event, list(event.club.players.all()))
    assert "League with 4 players." in text_of(dirk.get(DIRECT))


def test_event_goes_from_draft_to_final_and_only_the_owner_opens_it_again(cast: Cast) -> None:
    dirk = cast.client("dirk")
    dirk.post(NEW, event_typed(name="League"))
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
    assert beside(move(olga, "open", "  "), "reason", 422) == "Enter a reason in one sentence."
    assert "Event opened." in text_of(move(olga, "open", "Round 3 was left out."))
    lines = AuditLine.objects.filter(act="move_event").order_by("number")
    assert [line.facts["to"] for line in lines] == [
        *("open", "draft"),
        *("open", "closed", "final", "open"),
    ]
    assert lines[5].facts["reason"] == "Round 3 was left out."


def test_event_with_hands_cannot_be_a_draft_again_nor_close_over_a_round(cast: Cast) -> None:
    hand(table(league(cast.riverside), players(cast.riverside, *"ABCD")), 1, [4, 1, 2, 6], queen=3)
    dirk = cast.client("dirk")
    assert "Back to draft" not in text_of(dirk.get(DIRECT))
    assert "Hands have been entered" in summary(move(dirk, "draft"))
    assert "Round 1 is still in play. Close it first." in summary(move(dirk, "closed"))


AT = "/clubs/riverside/events/league"


RESULTS = (
    *(AT, f"{AT}/standings.csv", f"{AT}/publications", f"{AT}/publications/1"),
    *(f"{AT}/tables/r1t1", f"{AT}/changes", f"{AT}/players/RL01"),
    *(f"/api/v1{AT}", f"/api/v1{AT}/standings", f"/api/v1{AT}/standings.csv"),
    *(f"/api/v1{AT}/publications/1", f"/api/v1{AT}/publications/1.csv"),
    *(f"/api/v1{AT}/publications", f"/api/v1{AT}/history", f"/api/v1{AT}/tables/r1t1/hands"),
)


READERS = ("", "nora", "piet", "hanna", "dirk")


@pytest.fixture
def game(cast: Cast) -> Game:
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    made = table(league(cast.riverside), people)
    for number, points in enumerate(([4, 1, 2, 6], [0, 13, 0, 0]), 1):
        hand(made, number, points, 3)
        publish(made.event_id, now=NOW)
    return made


def change(client: Client, to: str) -> Answer:
    return client.post(f"{AT}/visibility", {"visibility": to}, follow=True)


def readable(cast: Cast, path: str) -> dict[str, int]:
    return {name: cast.client(name).get(path).status_code for name in READERS}


def test_withdrawn_results_are_missing_at_every_address_at_once(cast: Cast, game: Game) -> None:
    stranger = cast.client()
    tags = {path: stranger.get(path).headers.get("ETag", "") for path in RESULTS}
    assert {stranger.get(path).status_code for path in RESULTS} == {200}
    for visibility, readers in (("members", {"piet", "hanna", "dirk"}), ("held", {"dirk"})):
        change(cast.client("dirk"), visibility)
        for path in RESULTS:
            expected = {name: 200 if name in readers else 404 for name in READERS}
            assert readable(cast, path) == expected, (visibility, path)
            known = stranger.get(path, headers={"If-None-Match": tags[path]})
            assert known.status_code == 404, path
    assert AT not in stranger.get("/clubs/riverside").content.decode()
    assert stranger.get("/api/v1/clubs/riverside/events").json()["results"] == []
    assert stranger.get("/clubs/riverside/players/RL01").status_code == 404


def test_held_results_are_released_by_one_button_that_says_so(cast: Cast, game: Game) -> None:
    text = text_of(cast.client("dirk").get(f"{AT}/visibility"))
    assert "Public: Everybody can read it, without signing in." in text
    assert "Only members will be able to read 2 publications and 1 score sheet." in text
    assert "Only directors will be able to read 2 publications and 1 score sheet." in text
    change(cast.client("dirk"), "held")
    text = text_of(cast.client("dirk").get(f"{AT}/direct"))
    says = "Everybody will be able to read 2 publications and 1 score sheet. Release results"
    assert says in text
    released = change(cast.client("dirk"), "public")
    assert "Saved. Everybody can read it, without signing in." in text_of(released)
    assert "Release results" not in text_of(released)
    assert set(readable(cast, f"/api/v1{AT}/publications/1").values()) == {200}
    lines = AuditLine.objects.filter(act="change_visibility").order_by("number")
    assert [(line.subject, line.facts) for line in lines] == [
        ("event:league", {"from": "public", "to": "held"}),
        ("event:league", {"from": "held", "to": "public"}),
    ]


def test_nothing_of_a_private_club_is_offered_to_everybody(cast: Cast, game: Game) -> None:
    change(cast.client("dirk"), "held")
    cast.riverside.is_public = False
    cast.riverside.save()
    text = text_of(cast.client("dirk").get(f"{AT}/visibility"))
    assert "Everybody" not in text
    assert text.count("Members will be able to read 2 publications and 1 score sheet.") == 2


LISTS = (
    *("/clubs/riverside", "/clubs/riverside/players/RL01"),
    *("/clubs/riverside/seasons/autumn", "/api/v1/clubs/riverside/events"),
    *("/api/v1/clubs/riverside/events.csv", "/api/v1/clubs/riverside/players/RL01"),
    "/api/v1/clubs/riverside/seasons/autumn",
)


@pytest.fixture
def archived_game(cast: Cast) -> Game:
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    event = league(cast.riverside)
    season = autumn_season(cast.riverside, preset="")
    assign_event(event, season)
    made = table(event, people)
    hand(made, 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)
    return made


def archive(cast: Cast, reason: str = "Moved to the new league.") -> Answer:
    return cast.client("olga").post(f"{AT}/archive", {"reason": reason}, follow=True)


def names(cast: Cast, path: str) -> bool:
    text = cast.client("olga").get(path).content.decode()
    return AT in text or '"league"' in text or "\nleague," in text


def test_archived_event_leaves_lists_and_keeps_addresses(cast: Cast, archived_game: Game) -> None:
    assert "Archive event" not in text_of(cast.client("dirk").get(f"{AT}/direct"))
    assert beside(archive(cast, reason=" "), "reason") == "Enter a reason in one sentence."
    assert [path for path in LISTS if not names(cast, path)] == []
    assert "League archived." in text_of(archive(cast))
    assert [path for path in LISTS if names(cast, path)] == []
    response = cast.client().get(AT)
    assert (response.status_code, "Archived" in text_of(response)) == (200, True)
    assert cast.client().get(f"/api/v1{AT}").json()["archived_at"] is not None
    assert "Elsa D." in text_of(cast.client().get("/clubs/riverside/players/RL01"))
    line = AuditLine.objects.get(act="archive_event")
    assert line.facts == {"reason": "Moved to the new league."}
    back = cast.client("olga").post(
        f"{AT}/archive", {"unarchive": "yes", "reason": "Played on."}, follow=True
    )
    assert "League is in the lists again." in text_of(back)
    assert [path for path in LISTS if not names(cast, path)] == []


def test_draft_alone_is_deleted_with_all_that_was_prepared(cast: Cast) -> None:
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    table(league(cast.riverside), people)
    says = "Only a draft can be deleted. Ask an owner of the club to archive this event instead."
    assert says in text_of(cast.client("dirk").post(f"{AT}/delete"))
    assert "Delete event" not in text_of(cast.client("dirk").get(f"{AT}/direct"))
    Event.objects.update(state="draft")
    assert "Delete event" in text_of(cast.client("dirk").get(f"{AT}/direct"))
    asks = cast.client("dirk").get(f"{AT}/delete")
    assert "The draft is deleted with its settings, players, rounds and tables." in text_of(asks)
    assert "League deleted." in text_of(cast.client("dirk").post(f"{AT}/delete", follow=True))
    assert (Event.objects.count(), Table.objects.count(), Dirty.objects.count()) == (0, 0, 0)
    assert AuditLine.objects.order_by("number").last().act == "delete_event"  # type: ignore[union-attr]
    assert cast.client("dirk").get(AT).status_code == 404
    create_event(by_tests(), cast.riverside, name="League", variant="hearts")


PERMANENT = 308


def save(client: Client, at: str = AT, **more: str) -> Answer:
    form = client.get(f"{at}/name").context["form"]
    fields = {name: form[name].value() for name in form.fields}
    return client.post(f"{at}/name", {**fields, **more}, follow=True)


def moved(cast: Cast, event: Event, slug: str) -> Event:
    return change_event(cast.operation("dirk"), Event.objects.get(pk=event.pk), slug=slug)


@pytest.fixture
def event(cast: Cast) -> Event:
    found = league(cast.riverside)
    hand(table(found, players(cast.riverside, *"ABCD")), 1, [4, 1, 2, 6], 3)
    publish(found.pk, now=NOW)
    return found


def test_former_address_leads_to_the_new_on_pages_and_over_rest(cast: Cast, event: Event) -> None:
    saved = save(cast.client("dirk"), name="Cup", slug="autumn")
    assert saved.redirect_chain == [("/clubs/riverside/events/autumn/direct", 302)]
    assert "Name and address saved." in text_of(saved)
    publish(event.pk, now=NOW)
    for path in (
        *(AT, f"{AT}?sort=hands", f"{AT}/publications/1", f"{AT}/tables/r1t1/hands/1"),
        *(f"/api/v1{AT}", f"/api/v1{AT}/standings.csv", f"/api/v1{AT}/publications?limit=1"),
    ):
        answer = cast.client().get(path)
        to = path.replace("events/league", "events/autumn")
        assert (answer.status_code, answer.headers["Location"]) == (PERMANENT, to), path
        assert "no-store" in answer.headers["Cache-Control"]
        assert cast.client().get(to).status_code == 200, path
    body = cast.client().get("/api/v1/clubs/riverside/events/autumn/standings").json()
    assert (body["event"]["slug"], body["event"]["name"]) == ("autumn", "Cup")
    assert cast.client().get(f"{AT}x").status_code == 404
    line = AuditLine.objects.get(act="change_event_address")
    assert line.facts == {"from": "league", "to": "autumn"}


def test_no_other_event_of_the_club_gets_a_former_address(cast: Cast, event: Event) -> None:
    moved(cast, event, "two")
    moved(cast, event, "three")
    for slug in ("league", "two", "three"):
        with pytest.raises(Conflict, match="slug_taken"):
            create_event(by_tests(), cast.riverside, name="X", slug=slug, variant="hearts")
    new = create_event(by_tests(), cast.riverside, name="League", variant="hearts")
    assert new.slug == "league-2"
    assert create_event(by_tests(), cast.hilltop, name="League", variant="hearts").slug == "league"
    refused = save(cast.client("dirk"), "/clubs/riverside/events/league-2", slug="two")
    assert (refused.status_code, beside(refused, "slug")) == (422, "two is already taken.")
    moved(cast, event, "league")
    assert cast.client().get(AT).status_code == 200
    former = FormerEventSlug.objects.filter(event=event).values_list("slug", flat=True)
    assert set(former) == {"two", "three"}
    assert {"league", "two", "three", "league-2"} <= taken_event_slugs(cast.riverside)


def test_former_address_leads_nobody_to_events_they_may_not_read(cast: Cast, event: Event) -> None:
    moved(cast, event, "quiet")
    Event.objects.filter(pk=event.pk).update(visibility="members")
    found = {name: cast.client(name).get(AT).status_code for name in ("", "nora", "piet")}
    assert found == {"": 404, "nora": 404, "piet": PERMANENT}
    assert "quiet" not in cast.client().get(f"/api/v1{AT}").content.decode()


def test_phone_at_a_table_goes_on_while_club_and_event_move(cast: Cast) -> None:
    night = linked(cast, visibility="held")
    phone, new = night.holder(), f"{night.table}/hands/new"
    owner = shell(phone.get(new))["owner"]
    fields = typed([1, 4, 2, 6], queen=3) | {"number": "2"}
    moved(cast, night.game.event, "moved")
    answer = phone.post(new, fields)
    to = new.replace("events/league", "events/moved")
    assert (answer.status_code, answer.headers["Location"]) == (PERMANENT, to)
    assert phone.post(new, fields, headers={"X-Outbox": str(owner)}).status_code == 200
    assert Hand.objects.filter(game=night.game).count() == 2


def test_what_the_audit_trail_says_of_the_event_is_found_after_it_moved(cast: Cast) -> None:
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, *"ABCD"))
    hand(game, 1, [4, 1, 2, 6], 3)
    void_hand(cast.operation("dirk"), game, number=1, based_on=1, reason="Dealt twice.")
    moved(cast, event, "autumn")
    page = cast.client("dirk").get("/clubs/riverside/events/autumn/tables/r1t1/hands/1")
    assert "Dealt twice." in text_of(page)


def test_manage_counts_only_several_things_and_names_no_lines(cast: Cast) -> None:
    game = table(league(cast.riverside), players(cast.riverside, "Ada", "Ben", "Cora", "Dora"))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    page = text_of(cast.client("dirk").get(DIRECT))
    assert "Needs attention No worker is running" in page
    assert "Penalties and bonuses No entries" in page
