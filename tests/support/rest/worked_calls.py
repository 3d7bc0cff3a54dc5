"""One request for each operation of REST that is answered with success, and what it needs before.

`call_of("read_standings")` gives it: those that take a key are in `keyed_calls`, the others here.
An operation that gives the same in another form needs what that of the JSON needs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import (
    by_tests,
    counts,
    finished,
    hand,
    ladder,
    league,
    players,
    publish_all,
    season,
    table,
)
from tests.support.cast import NOW, Cast
from tests.support.evening_work import work_on_evenings
from tests.support.history import make_all
from tests.support.pages.photos import picture
from tests.support.rest import before_calls as before
from tests.support.rest import keyed_calls as keyed
from tests.support.rest.call import RestCall, by_operation, documented
from tests.support.scenarios import cuts, mails, playoffs
from tests.support.webhooks import with_webhook
from tournaments.models.clubs import Player
from tournaments.models.hands import Game
from tournaments.models.imports import ImportProblem
from tournaments.models.jobs import Outbox
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.stages import get_stage
from tournaments.services.boards import deal_boards
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.stages.plan_stages import begin_stage, plan_stage

Prepare = Callable[[Cast], object]
FORMS: Final = ("csv", "xlsx", "pdf", "png")
"""Endings of addresses that give the same as another form."""
UNKNOWN: Final = before.NIGHT.replace(b"RL04", b"Ida N.")


def two_evenings(cast: Cast) -> None:
    game = before.evening(cast)
    people = list(Player.objects.filter(club=cast.riverside).order_by("player_id"))
    hand(table(game.event, people, round_number=2, on=date(2025, 11, 13)), 1, [1, 2, 3, 7], queen=0)
    publish(game.event.pk, now=NOW + timedelta(days=7))
    make_all(game.event.pk)


def evening_over(cast: Cast) -> None:
    two_evenings(cast)
    event = Game.objects.order_by("pk")[0].event
    cuts.close(event, 2)
    end_evening(by_tests(), meeting_on(event, date(2025, 11, 13)))
    work_on_evenings(event, NOW)


def with_empty_table(cast: Cast) -> None:
    game = before.evening(cast)
    people = list(Player.objects.filter(club=cast.riverside).order_by("player_id"))
    table(game.event, people, round_number=2)


def with_table_of_a_stage(cast: Cast) -> None:
    event = before.over(cast)
    cuts.cut(event, 2)
    publish(event.pk, now=cuts.LATER)
    make_all(event.pk)


def with_season(cast: Cast) -> None:
    season(before.evening(cast).event)


def with_board(cast: Cast) -> None:
    own = {"duplicate": True, "primary": "matchpoints", "length": "hands:1"}
    event = league(cast.riverside, settings=own)
    people = players(cast.riverside, *cuts.NAMES[:4])
    deal_boards(by_tests(), event, count=1, seed=before.SEED, boards_per_round=1)
    record_entry(
        by_tests(),
        table(event, people),
        number=1,
        board=1,
        entry=counts([4, 1, 2, 6], 3),
        source="host",
    )
    cuts.close(event, 1)


def with_bracket(cast: Cast) -> None:
    event = before.over(cast)
    fields = {"name": "Final", "movement": "knockout", "advance": {"best": 2}}
    plan_stage(by_tests(), event, fields=fields)
    begin_stage(by_tests(), get_stage(event, 2))


def with_question_about_a_cut(cast: Cast) -> None:
    event = cuts.before_a_cut(players(cast.riverside, *cuts.NAMES))
    cuts.cut(event)
    cuts.correct(event, "r1t2", cuts.OTHERS)


def with_question_about_a_playoff(cast: Cast) -> None:
    event = playoffs.tied(cast.riverside)
    playoffs.play(event, 1, {"A": 10, "B": 3, "C": 13})
    playoffs.look(event)
    game = Game.objects.get(event=event, counts=True)
    hand(game, 1, [4, 4, 5, 0], 3, based_on=1, reason="Read wrongly.")
    playoffs.look(event)


def level_playoff(cast: Cast) -> None:
    event = playoffs.tied(cast.riverside, playoff_rules={"max_hands": 1})
    playoffs.play(event, 1, {"A": 3, "B": 3, "C": 20})
    playoffs.look(event)


def imported(cast: Cast) -> None:
    before.evening(cast)
    sent = replace(keyed.CALLS["import_sheets"], body={"file": UNKNOWN})
    assert sent.send(cast.client("dirk"), key="before").status_code == 200


def with_mail(cast: Cast) -> None:
    mails.give_addresses()
    mails.correct(cast, mails.evening(cast))
    Outbox.objects.update(parked=True, attempts=1, error="550 no such mailbox", due_at=NOW)


def with_logo(cast: Cast) -> None:
    answer = send(cast, FURTHER["set_logo"], key="before")
    assert answer.status_code == 200, answer.content


def moved_on_the_ladder(cast: Cast) -> None:
    event = ladder(cast.riverside)
    finished(table(event, players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")))
    publish_all(event)


FURTHER: Mapping[str, RestCall] = by_operation(
    documented("enter_hand", before.evening, who="hanna"),
    documented("enter_totals", with_empty_table, who="hanna", code="r2t1"),
    documented("revise_hand", before.evening, headers={"If-Match": '"1"'}),
    documented("preview_guest", before.with_pair),
    documented("preview_series", before.meeting),
    documented("preview_later_meetings", before.meeting, day="2025-11-06"),
    documented("preview_cancelled_meetings", before.meeting),
    documented("preview_hand", before.evening, headers={"If-Match": '"1"'}),
    documented("preview_ledger_line", before.evening),
    documented("preview_withdrawn_line", before.with_line),
    documented("preview_moved_hands", before.at_wrong_table, headers={"If-Match": "*"}),
    documented("preview_seats", before.evening, headers={"If-Match": "of …/seats"}),
    documented("resolve_import_problem", imported),
    documented("correct_import_problem", imported, who="hanna"),
    documented("answer_playoff", with_question_about_a_playoff),
    documented("answer_cut", with_question_about_a_cut, number="2"),
    documented("extend_playoff", level_playoff),
    documented("set_logo", who="olga", body={"logo": b"PNG"}),
    documented("remove_logo", with_logo, who="olga"),
    documented("send_mail_again", with_mail, who="olga", number="{mail}"),
    documented("score"),
)
"""Operations that write, or only compute, and take no key or have tests of their own for it."""

_READERS: Final[Sequence[tuple[Prepare, str, str]]] = (
    (
        lambda cast: None,
        "olga",
        "list_clubs read_club list_metrics list_variants read_variant read_rules_card "
        "read_entry_schema print_blank_sheet",
    ),
    (
        before.evening,
        "olga",
        "list_audit list_events read_event list_entrants list_jobs list_meetings "
        "print_score_sheets print_seating_list print_table_cards read_settings "
        "export_sheets_csv export_sheets_xlsx read_standings read_table list_hands read_hand "
        "list_revisions read_seats read_moved_hands export_club list_players read_player "
        "read_player_data",
    ),
    (before.refused, "olga", "list_refused_acts"),
    (before.claimed, "olga", "list_claims list_waiting"),
    (with_board, "olga", "list_boards read_board list_board_results print_hand_records"),
    (before.with_line, "olga", "list_changes list_ledger"),
    (before.kept_apart, "olga", "list_constraints"),
    (before.with_alias, "olga", "list_aliases"),
    (before.with_dispute, "olga", "list_disputes"),
    (before.with_result_note, "olga", "list_result_notes"),
    (
        two_evenings,
        "olga",
        "list_event_hands list_head_to_head list_head_to_head_of_player read_history "
        "read_evening_standings read_result_text read_seating_text list_publications "
        "read_publication read_difference list_rounds read_round list_player_results "
        "list_player_opponents read_player_records",
    ),
    (before.with_excused, "olga", "list_excused_entrants"),
    (evening_over, "olga", "list_evening_results read_evening_result"),
    (
        imported,
        "olga",
        "list_imports read_import list_import_problems read_import_problem list_undone_hands",
    ),
    (before.with_foreign_file, "hanna", "read_import_columns"),
    (before.with_mapping, "hanna", "list_mappings read_mapping"),
    (before.with_opening_value, "olga", "list_opening_values"),
    (before.planned, "olga", "list_attendance list_plans read_plan"),
    (before.with_fill_in, "hanna", "read_fill_in"),
    (before.planned, "hanna", "read_expected_text"),
    (before.played_off, "olga", "list_playoffs read_playoff"),
    (with_question_about_a_playoff, "olga", "read_playoff_answers"),
    (before.with_link, "olga", "list_links"),
    (before.with_cut, "olga", "list_stages"),
    (with_table_of_a_stage, "olga", "read_stage_standings"),
    (before.with_photo, "hanna", "list_photos read_photo"),
    (before.with_second_entry, "hanna", "read_double_entry"),
    (before.evening, "hanna", "read_sheet_check"),
    (before.invited, "olga", "list_invitations"),
    (with_mail, "olga", "list_mails"),
    (before.to_be_linked, "olga", "list_members read_member read_player_link"),
    (before.with_contact, "olga", "read_contact"),
    (before.with_address_by_link, "olga", "read_personal_link"),
    (with_season, "olga", "list_seasons read_season read_season_publication read_season_standings"),
    (before.with_token, "olga", "list_club_tokens"),
    (
        before.house,
        "olga",
        "list_house_rules read_house_rules read_house_rules_card read_house_entry_schema "
        "list_house_versions read_house_version read_house_version_card read_house_version_toml "
        "read_house_version_entry_schema "
        "print_house_blank_sheet",
    ),
    (with_webhook, "olga", "list_webhooks read_webhook list_webhook_deliveries"),
    (before.evening, "dirk", "read_me list_notifications read_notification"),
    (before.with_token, "dirk", "list_tokens"),
)
"""What must be there, who reads, and the operations."""
READS: Mapping[str, RestCall] = by_operation(
    *(
        documented(operation, prepare, who=who)
        for prepare, who, operations in _READERS
        for operation in operations.split()
    ),
    documented("list_absences", before.away, event="ladder", who="olga"),
    documented("list_challenges", before.challenged, event="ladder", who="olga"),
    documented("read_challenge", before.challenged, event="ladder", who="olga"),
    documented("read_ladder", moved_on_the_ladder, event="ladder", who="olga"),
    documented("read_ladder_member", moved_on_the_ladder, event="ladder", who="olga"),
    documented("list_ladder_member_ratings", moved_on_the_ladder, event="ladder", who="olga"),
    documented("list_ladder_moves", moved_on_the_ladder, event="ladder", who="olga"),
    documented("read_ladder_publication", moved_on_the_ladder, event="ladder", who="olga"),
    documented(
        "read_ladder_what_if",
        moved_on_the_ladder,
        event="ladder",
        query="?player=RL01&player=RL02&player=RL03",
        who="olga",
    ),
    documented("list_ladder_ratings", moved_on_the_ladder, event="ladder", who="olga"),
    documented("read_meeting", before.evening, day="2025-11-06", who="olga"),
    documented("read_challenges_text", before.challenged, event="ladder", who="olga"),
    documented("read_stage", before.with_cut, number="2", who="olga"),
    documented("read_cut_answers", with_question_about_a_cut, number="2", who="olga"),
    documented("read_bracket", with_bracket, number="2", who="olga"),
    documented("search_club", before.evening, query="?q=elsa", who="olga"),
    documented("search", before.evening, query="?q=elsa", who="olga"),
)
"""Operations that read, by the account that may read most of it."""


def call_of(operation: str) -> RestCall:
    """Return the request of an operation."""
    calls = {**READS, **FURTHER, **keyed.CALLS}
    if operation in calls:
        return calls[operation]
    of_json, _, form = operation.rpartition("_")
    if form not in FORMS:
        raise KeyError(operation)
    path, mark, query = calls[of_json].path.partition("?")
    return replace(calls[of_json], path=f"{path}.{form}{mark}{query}")


def send(cast: Cast, call: RestCall, client: Client | None = None, key: str = "key-1") -> Answer:
    """Send the request of an operation; what it needs is there already."""
    client = client or cast.client(call.who)
    found = replace(call, path=placed(call.path))
    if found.method == "GET":
        return client.get(found.address)
    if "logo" in found.body:
        file = SimpleUploadedFile("logo.png", picture())
        return client.post(found.address, {"logo": file}, headers={"Idempotency-Key": key})
    if call.path.endswith("/logo"):
        return client.delete(found.address, headers={"Idempotency-Key": key})
    if found.headers.get("If-Match", "").startswith("of "):
        seats = found.address.removesuffix("/preview")
        found = replace(found, headers={"If-Match": client.get(seats)["ETag"]})
    return found.send(client, key)


def placed(path: str) -> str:
    if "{problem}" in path:
        return path.format(problem=int(ImportProblem.objects.order_by("position")[0].position))
    return path.format(mail=int(Outbox.objects.order_by("pk")[0].pk)) if "{mail}" in path else path


def prepared(cast: Cast, operation: str) -> RestCall:
    call = call_of(operation)
    call.prepare(cast)
    return call
