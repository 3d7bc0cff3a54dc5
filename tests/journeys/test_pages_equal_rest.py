"""Every page with a total or a place says what REST says.

The demo's events and small events at random are compared page by page. The list of pages is that
of the addresses: a new page is checked here, or is named among those without a total or a place.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import get_resolver
from django.utils import timezone

from tests.support.builders import TESTS
from tests.support.cast import NOW, Cast
from tests.support.comparisons.event_world import World, names_of
from tests.support.comparisons.files import check_files
from tests.support.comparisons.ladders import (
    check_ladder,
    check_ladder_member,
    check_ledger,
    check_opening_values,
    check_playoffs,
    check_ratings,
    check_what_if,
)
from tests.support.comparisons.standings import (
    check_as_of,
    check_big_screen,
    check_club,
    check_club_records,
    check_csv,
    check_difference,
    check_entrant,
    check_evening,
    check_head_to_head,
    check_player,
    check_preview,
    check_publication,
    check_season,
    check_stage_standings,
    check_standings,
)
from tests.support.comparisons.tables import (
    check_board,
    check_desk,
    check_grid,
    check_hand,
    check_round,
    check_sheet_verification,
    check_table,
    check_totals,
)
from tests.support.history import make_all
from tests.support.lengths import short_or_long
from tests.support.scenarios.playoffs import look, play, tied
from tests.support.scenarios.random_events import people_of, small_event
from tests.support.seasons import assign_event, autumn_season
from tournaments.management.commands.demo import create_demo_events
from tournaments.services.publishing import publications
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.season_table import publish_season

pytestmark = [pytest.mark.django_db, pytest.mark.tier_all]

SEEDS = range(short_or_long(2, 20))


CHECKED: Mapping[str, Callable[[World], None]] = {
    "event": check_standings, "big-screen": check_big_screen, "publication": check_publication,
    "standings": check_as_of, "publication-difference": check_difference, "table": check_table,
    "hand": check_hand, "round": check_round, "board": check_board,
    "verify-sheet": check_sheet_verification,
    "grid": check_grid, "new-hand": check_desk, "totals": check_totals, "entrant": check_entrant,
    "player": check_player, "head-to-head": check_head_to_head, "club-records": check_club_records,
    "club": check_club, "season": check_season, "season-publication": check_season,
    "void-hand": check_preview, "ladder": check_ladder, "ladder-publication": check_ladder,
    "ratings": check_ratings, "ladder-member": check_ladder_member, "what-if": check_what_if,
    "adjustments": check_ledger, "opening-values": check_opening_values,
    "playoff": check_playoffs, "standings-csv": check_csv,
    "season-csv": check_csv, "stage-standings": check_stage_standings,
    "evening": check_evening,
}  # fmt: skip
"""Page → what compares it with REST."""

ALIKE: Mapping[str, str] = {
    "edit-hand": "new-hand", "new-adjustment": "adjustments",
    "new-opening-value": "opening-values",
    "change-players": "void-hand", "dispute": "hand", "undo-hand": "void-hand",
    "undo-entry": "void-hand",
    "places-chart": "standings", "player-places-chart": "player",
    "ratings-chart": "ladder-member", "ladder-csv": "ladder",
    "enter-code": "table", "change-settings": "event", "my-tables": "table",
    "manage-playoff": "playoff", "playoffs": "playoff", "double-entry": "grid",
    "double-entry-differences": "grid",
    "close-table": "table", "ladder-moves": "ladder", "challenge": "ladder",
    "challenges": "ladder", "new-challenge": "ladder", "stages": "event",
    "round-screen": "board", "manage-stage": "event", "new-cut": "event",
    "new-stage": "event", "plan-stage": "event", "bracket": "event", "player-evening": "table",
    "me": "event", "club-standings": "event", "embed": "event", "results-feed": "event",
    "evenings-feed": "event", "evening-result": "evening",
}  # fmt: skip
"""Pages that print numbers of another page by the same view object or the same stored bytes."""

WITHOUT = frozenset({
    "end-evening", "send-result-now", "import-likely", "import-answers", "player-alias",
    "hints", "paper-sheets", "start-tonight",
    "clubs", "service-worker", "manifest", "me-manifest", "my-manifest", "on-this-phone", "theme",
    "open-link", "variants",
    "compare", "variant", "event-rules", "snapshot", "new-club", "players", "add-players",
    "added-players", "house-rules", "new-house-rules", "house-rule", "change-house-rules",
    "archive-house-rules", "house-difference", "house-version", "house-card",
    "house-version-file", "delete-house-version", "seasons", "new-season", "change-season",
    "new-event", "manage-event", "settings", "rule-sheet", "next-event", "use-version", "new-round",
    "manage-round", "extend-round", "new-table", "event-links", "round-links", "table-link",
    "table-seating", "change-log",
    "publications", "ladder-rules", "change-ladder-rules", "move-challenge",
    "challenge-result", "absences", "new-absence", "end-absence",
    "withdraw-adjustment", "withdraw-opening-value", "season-so-far", "entrants",
    "new-entrant", "add-entrants",
    "manage-entrant", "sit-outs", "disputes",
    "new-result-note", "answer-result-note", "dispute-result", "move-hands",
    "rule-on-dispute", "withdraw-dispute", "meetings", "change-meeting", "seating-plans",
    "seating-constraints", "boards", "board-of-event", "new-boards", "deals",
    "print-hand-records",
    "new-meetings", "new-break", "change-later",
    "attendance", "new-meeting", "evening-seating", "imports", "sheets-csv",
    "upload", "import", "column-mapping", "mappings", "mapping", "import-confirm", "import-players",
    "import-discard",
    "problem",
    "import-undo", "undone-csv", "sheets-xlsx",
    "members", "remove-member", "invite", "invitations", "invitation", "invitation-cards", "join",
    "open-invitation", "setup", "open-setup",
    "import-keep-mapping", "import-again", "sheets-to-enter", "table-rules", "photos", "photo",
    "remove-photo", "edit-player", "own-names",
    "account", "account-data", "archive-event", "audit", "change-club-logo", "claim-player",
    "claims", "club-accent", "club-logo", "club-settings", "club-tokens", "decide-claim",
    "delete-account", "delete-club", "delete-event", "end-sessions", "erase-player",
    "erasure-request", "export-club", "link-player", "mail", "mails", "merge-player", "notices",
    "notifications", "offer-passkey", "open-notice", "player-contact",
    "player-data", "programs", "send-mail-again",
    "tokens", "webhook", "webhooks",
    "rename-event", "unmerge-player", "answer-link", "my-evening", "my-answer",
    "my-values", "my-confirm",
    "my-mails", "my-requests", "personal-links", "player-link", "texts-to-copy", "fill-in",
    "own-fill-in",
    "my-calendar", "unsubscribe", "visibility",
    "club-evenings", "club-ladders", "club-manage", "club-rules", "club-search", "search",
    "blank-sheet", "house-score-sheet", "check-in", "check-in-code", "arrive", "tonight",
    "print-round", "will-you-come",
    "help", "help-image", "help-in-folder", "help-page", "help-shortcuts", "help-tour", "page-qr",
    "import-club", "club-import",
    "styleguide", "oembed", "robots", "sitemap", "club-calendar", "own-calendar", "calendar-link",
})  # fmt: skip
"""Pages without a total or a place: forms, lists of names, rules, logs, files of what was typed,
help, and the parts of a page with examples."""

_SMALL = "compared in the small events, which have open tables, seasons and differences"
_PLAYOFF = "compared in the test of a play-off, or of that page's object"
_PREVIEW = (
    "a preview: by the object that REST answers with"
    " (check_preview, tests/tournaments/views/hands/test_preview_correction)"
)
_HOST = (
    "what a hand that is being entered would book"
    " (tests/tournaments/views/hands/test_enter_hand, test_enter_cards)"
)
_HALL = "the place where an evening is held"
_ALIKE = "numbers of another page, by the same object"
_BOARDS = "boards are compared with plain arithmetic (tests/api/boards, tests/scoring/duplicate)"
_MATCHES = "matches are compared in tests/journeys/test_evenings_with_partners"
_OTHER_SITES = "compared with JSON in tests/tournaments/views/standings/test_other_sites"
_BRACKET = "places of the standings of the stage before"
ELSEWHERE: Mapping[str, str] = {
    "boards/board.html": _BOARDS,
    "rounds/_matches.html": _MATCHES,
    "stages/bracket.html": _BRACKET,
    "standings/embed.html": _OTHER_SITES, "standings/_feed_table.html": _OTHER_SITES,
    "rounds/_evening_details.html": _HALL, "rounds/new_meeting.html": _HALL,
    "people/_evening_line.html": _HALL, "people/_questions.html": _HALL,
    "people/check_in.html": _HALL, "people/will_you_come.html": _HALL,
    "people/answer_link.html": _HALL,
    "attendance/attendance.html": _HALL, "rounds/change_meeting.html": _HALL,
    "rounds/new_meetings.html": _HALL, "rounds/change_later.html": _HALL,
    "events/_change_row.html": "amounts of penalties, which are those of the ledger",
    "hands/_last_hand.html": _SMALL, "standings/difference.html": _SMALL, "events/season.html":
    _SMALL, "events/_season_row.html": _SMALL, "events/_season_table.html": _SMALL,
    "hands/preview_change_players.html": _PREVIEW,
    "imports/_import_conflict.html": _PREVIEW, "hands/boxes/_face.html": _HOST,
    "hands/enter_hand.html": _HOST, "hands/ask_moon.html": _HOST, "hands/no_double_entry.html":
    _HOST, "playoffs/playoff.html": _PLAYOFF, "playoffs/playoffs.html": _PLAYOFF,
    "playoffs/_answers.html": _PLAYOFF,
    "clubs/_counted_values.html": _ALIKE,
    "hands/rule_on_dispute.html": _ALIKE, "hands/_hand_details.html": _ALIKE,
    "events/withdraw_adjustment.html": _ALIKE, "events/withdraw_opening_value.html": _ALIKE,
     "hands/double_entry.html": _ALIKE,
    "ladders/challenge.html": _ALIKE, "ladders/new_challenge.html": _ALIKE,
    "ladders/_own_place.html": _ALIKE, "clubs/_meetings.html": _ALIKE,
    "clubs/merge_player.html": _PREVIEW, "people/_place_line.html": _ALIKE,
    "events/_settings_places.html": _PREVIEW,
    "people/_places.html": _ALIKE, "people/_results.html": _ALIKE,
}  # fmt: skip
"""Template that prints numbers and makes none of the pages compared here → where they are from."""


PRINTS = re.compile(r"\|(points|signed|amount)\b|[a-z]\.(totals?|place|rank|score)\b")


def printing() -> set[str]:
    folder = Path(settings.BASE_DIR) / "templates"
    return {
        str(one.relative_to(folder))
        for one in folder.rglob("*.html")
        if PRINTS.search(one.read_text(encoding="utf-8"))
    }


def without_numbers(world: World) -> None:
    """Ask for each page that is said to have no numbers: none of its templates prints any."""
    resolver, prints = get_resolver("tournaments.urls"), printing() - set(ELSEWHERE)
    first = {
        "club": world.club, "event": world.event, "number": 1, "code": (world.codes or [""])[0],
        "season": world.season, "entrant": world.rest("standings")["rows"][0]["player_id"],
    }  # fmt: skip
    for name in sorted(WITHOUT):
        pattern, params = resolver.reverse_dict.getlist(name)[0][0][0]
        if all(first.get(param) for param in params):
            answer = world.client.get(f"/{pattern % first}")
            if answer.status_code == 200:
                world.equal(f"{name} has no numbers", names_of(answer) & prints, set())


def page_names() -> set[str]:
    resolver = get_resolver("tournaments.urls")
    return {str(name) for name in resolver.reverse_dict if isinstance(name, str)}


def test_every_page_is_compared_or_is_named_as_one_without_numbers() -> None:
    placed = [*CHECKED, *ALIKE, *WITHOUT]
    assert sorted(placed) == sorted(set(placed)), "a page has one place"
    assert page_names() <= set(placed), sorted(page_names() - set(placed))
    assert {*CHECKED, *ALIKE} <= page_names()
    assert set(ALIKE.values()) <= set(CHECKED)


def compare(world: World) -> None:
    """Compare all pages of an event; say every number that differs at once."""
    for check in dict.fromkeys(CHECKED.values()):
        check(world)
    check_files(world)
    assert world.differences == [], "\n".join(world.differences[:40])
    assert world.compared > 30, world.compared


@pytest.mark.parametrize("seed", SEEDS)
def test_pages_of_a_small_event_say_what_rest_says(cast: Cast, seed: int) -> None:
    made = small_event(cast, people_of(cast), seed)
    season = autumn_season(cast.riverside)
    assign_event(made.event, season)
    publications.publish(made.event.pk, now=NOW)
    make_all(made.event.pk)
    publish_season(season.pk, now=NOW)
    world = World(cast.client("dirk"), "riverside", made.event.slug, season=season.slug)
    compare(world)
    assert "accepted" in {hand["state"] for _, hand in world.hands}


def test_pages_of_a_playoff_say_what_rest_says(cast: Cast) -> None:
    event = tied(cast.riverside)
    play(event, 1, {"A": 1, "B": 4, "C": 21})
    look(event)
    world = World(cast.client("dirk"), "riverside", event.slug)
    check_playoffs(world)
    check_standings(world)
    assert world.differences == [], "\n".join(world.differences)
    assert "playoffs/playoff.html" in world.printed_by
    assert world.compared > 30, world.compared


def test_small_events_have_all_that_is_to_be_compared(cast: Cast) -> None:
    people = people_of(cast)
    operations = {
        operation for seed in range(4) for operation in small_event(cast, people, seed).operations
    }
    wanted = {"moon self", "moon others", "corrected", "deleted", "disputed", "totals", "penalty"}
    assert operations >= wanted, wanted - operations


@pytest.mark.tier_long
def test_pages_of_the_demo_say_what_rest_says(cast: Cast) -> None:
    folder = Path(settings.BASE_DIR) / "tournaments" / "demo"
    played = [event for event, _ in create_demo_events(TESTS, cast.riverside, folder)]
    for event in played:
        publications.publish(event.pk, now=timezone.now())
        if event.kind == "ladder":
            publish_ladder(event.pk, now=timezone.now())
        make_all(event.pk)
        publications.publish(event.pk, now=timezone.now())
    seen: set[str] = set()
    found: list[str] = []
    for event in played:
        world = World(
            cast.client("dirk"), "riverside", event.slug, is_ladder=event.kind == "ladder"
        )
        compare(world)
        without_numbers(world)
        found += world.differences
        seen |= world.printed_by
    assert found == [], "\n".join(found)
    unseen = printing() - seen
    assert not unseen - set(ELSEWHERE), "\n".join(sorted(unseen - set(ELSEWHERE)))
    assert not set(ELSEWHERE) - unseen
