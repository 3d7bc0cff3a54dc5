"""One request for each operation of REST that is answered with success, and what it needs before.

`call_of("read_standings")` gives it: those that take a key are in `keyed_calls`, the others here.
An operation that gives the same in another form needs what that of the JSON needs.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import (
    TESTS,
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
from tests.support.history import make_all
from tests.support.pages.photos import picture
from tests.support.rest import before_calls as before
from tests.support.rest import keyed_calls as keyed
from tests.support.rest.before_calls import MEMBER, TOKEN, E, L
from tests.support.rest.call import RestCall
from tests.support.scenarios import cuts, mails, playoffs
from tests.support.webhooks import WEBHOOK, with_webhook
from tournaments.models.clubs import Player
from tournaments.models.hands import Game
from tournaments.models.imports import ImportProblem
from tournaments.models.jobs import Outbox
from tournaments.selectors.stages import get_stage
from tournaments.services.boards import deal_boards
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.services.stages.plan_stages import begin_stage, plan_stage

Prepare = Callable[[Cast], object]
FORMS: Final = ("csv", "xlsx", "pdf", "png")
"""Endings of addresses that give the same as another form."""
HAND: Final = {"hearts": [1, 4, 2, 6], "taken": [[], [], [], ["QS"]]}
UNKNOWN: Final = before.NIGHT.replace(b"RL04", b"Ida N.")


def two_evenings(cast: Cast) -> None:
    game = before.evening(cast)
    people = list(Player.objects.filter(club=cast.riverside).order_by("player_id"))
    hand(table(game.event, people, round_number=2, on=date(2025, 11, 13)), 1, [1, 2, 3, 7], queen=0)
    publish(game.event.pk, now=NOW + timedelta(days=7))
    make_all(game.event.pk)


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
    deal_boards(Operation(TESTS, NOW), event, count=1, seed=before.SEED, boards_per_round=1)
    record_entry(
        Operation(TESTS, NOW),
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
    plan_stage(Operation(TESTS, NOW), event, fields=fields)
    begin_stage(Operation(TESTS, NOW), get_stage(event, 2))


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


def _get(path: str, prepare: Prepare, who: str = "olga") -> RestCall:
    return RestCall(path, who=who, prepare=prepare, method="GET")


FURTHER: Mapping[str, RestCall] = {
    "enter_hand": RestCall(
        f"{E}/tables/r1t1/hands",
        {"number": 3, "entry": HAND, "note": "Recounted."},
        "hanna",
        before.evening,
        status=201,
    ),
    "enter_totals": RestCall(
        f"{E}/tables/r2t1/totals",
        {"entry": {"points": [61, 43, 70, 86]}, "hands": 10},
        "hanna",
        with_empty_table,
        status=201,
    ),
    "revise_hand": RestCall(
        f"{E}/tables/r1t1/hands/1",
        {"entry": HAND, "reason": "Two columns were swapped."},
        prepare=before.evening,
        method="PUT",
        headers={"If-Match": '"1"'},
    ),
    "preview_hand": RestCall(
        f"{E}/tables/r1t1/hands/1/preview",
        {"entry": HAND, "reason": "Two columns were swapped."},
        prepare=before.evening,
        headers={"If-Match": '"1"'},
    ),
    "preview_seats": RestCall(
        f"{E}/tables/r1t1/seats/preview",
        {"act": "swap", "seat": 1, "player_id": "RL02", "reason": "Wrong seats."},
        prepare=before.evening,
        headers={"If-Match": "of …/seats"},
    ),
    "resolve_import_problem": RestCall(
        f"{E}/imports/1/problems/{{problem}}",
        {"state": "dismissed", "reason": "Nobody knows who sat there."},
        prepare=imported,
        method="PATCH",
    ),
    "correct_import_problem": RestCall(
        f"{E}/imports/1/problems/{{problem}}/correct",
        {"player_id": "RL04"},
        "hanna",
        imported,
        status=202,
    ),
    "answer_playoff": RestCall(
        f"{E}/playoffs/1/answer",
        {"answer": "keep", "reason": "They agree."},
        prepare=with_question_about_a_playoff,
    ),
    "answer_cut": RestCall(
        f"{E}/stages/2/answer",
        {"answer": "keep", "reason": "They agree."},
        prepare=with_question_about_a_cut,
    ),
    "extend_playoff": RestCall(f"{E}/playoffs/1/extend", {"hands": 2}, prepare=level_playoff),
    "set_logo": RestCall("/logo", {"logo": b"PNG"}, "olga"),
    "remove_logo": RestCall("/logo", who="olga", prepare=with_logo, method="DELETE"),
    "send_mail_again": RestCall("/mail/{mail}/send", {}, "olga", with_mail),
    "score": RestCall(
        "/api/v1/score",
        {
            "id": "a moon",
            "variant": "hearts",
            "seats": 4,
            "hands": [{"entry": {"hearts": [0, 13, 0, 0], "taken": [[], ["QS"], [], []]}}],
        },
    ),
}
"""Operations that write, or only compute, and take no key or have tests of their own for it."""

READS: Mapping[str, RestCall] = {
    "list_clubs": _get("/api/v1/clubs", lambda cast: None),
    "read_club": _get("", lambda cast: None),
    "list_audit": _get("/audit", before.evening),
    "list_refused_acts": _get("/audit/refused", before.refused),
    "list_claims": _get("/claims", before.claimed),
    "list_events": _get("/events", before.evening),
    "read_event": _get(E, before.evening),
    "list_absences": _get(f"{L}/absences", before.away),
    "list_boards": _get(f"{E}/boards", with_board),
    "read_board": _get(f"{E}/boards/1", with_board),
    "list_board_results": _get(f"{E}/boards/1/results", with_board),
    "print_hand_records": _get(f"{E}/boards/hand-records.pdf", with_board),
    "list_challenges": _get(f"{L}/challenges", before.challenged),
    "read_challenge": _get(f"{L}/challenges/1", before.challenged),
    "list_changes": _get(f"{E}/changes", before.with_line),
    "list_constraints": _get(f"{E}/constraints", before.kept_apart),
    "list_disputes": _get(f"{E}/disputes", before.with_dispute),
    "list_entrants": _get(f"{E}/entrants", before.evening),
    "list_event_hands": _get(f"{E}/hands", two_evenings),
    "list_head_to_head": _get(f"{E}/head-to-head", two_evenings),
    "list_head_to_head_of_player": _get(f"{E}/players/RL01/head-to-head", two_evenings),
    "read_history": _get(f"{E}/history", two_evenings),
    "list_imports": _get(f"{E}/imports", imported),
    "read_import": _get(f"{E}/imports/1", imported),
    "list_import_problems": _get(f"{E}/imports/1/problems", imported),
    "read_import_problem": _get(f"{E}/imports/1/problems/{{problem}}", imported),
    "read_import_columns": _get(f"{E}/imports/1/columns", before.with_foreign_file, "hanna"),
    "list_mappings": _get("/mappings", before.with_mapping, "hanna"),
    "list_undone_hands": _get(f"{E}/imports/1/undone-hands", imported),
    "list_jobs": _get(f"{E}/jobs", before.evening),
    "read_ladder": _get(f"{L}/ladder", moved_on_the_ladder),
    "read_ladder_member": _get(f"{L}/ladder/members/RL01", moved_on_the_ladder),
    "list_ladder_member_ratings": _get(f"{L}/ladder/members/RL01/ratings", moved_on_the_ladder),
    "list_ladder_moves": _get(f"{L}/ladder/moves", moved_on_the_ladder),
    "read_ladder_publication": _get(f"{L}/ladder/publications/1", moved_on_the_ladder),
    "read_ladder_what_if": _get(
        f"{L}/ladder/what-if?player=RL01&player=RL02&player=RL03", moved_on_the_ladder
    ),
    "list_ladder_ratings": _get(f"{L}/ratings", moved_on_the_ladder),
    "list_ledger": _get(f"{E}/ledger", before.with_line),
    "list_opening_values": _get(f"{E}/opening-values", before.with_opening_value),
    "list_meetings": _get(f"{E}/meetings", before.evening),
    "read_meeting": _get(f"{E}/meetings/2025-11-06", before.evening),
    "list_attendance": _get(f"{E}/meetings/2025-11-13/attendance", before.planned),
    "read_fill_in": _get(f"{E}/meetings/2025-11-13/fill-in", before.with_fill_in, "hanna"),
    "read_expected_text": _get(f"{E}/meetings/2025-11-13/expected.txt", before.planned, "hanna"),
    "read_result_text": _get(f"{E}/meetings/2025-11-13/result.txt", two_evenings),
    "read_seating_text": _get(f"{E}/rounds/1/seating.txt", two_evenings),
    "read_challenges_text": _get(f"{L}/ladder/challenges.txt", before.challenged),
    "list_plans": _get(f"{E}/meetings/2025-11-13/plans", before.planned),
    "read_plan": _get(f"{E}/plans/{TOKEN}", before.planned),
    "list_playoffs": _get(f"{E}/playoffs", before.played_off),
    "read_playoff": _get(f"{E}/playoffs/1", before.played_off),
    "read_playoff_answers": _get(f"{E}/playoffs/1/answers", with_question_about_a_playoff),
    "list_publications": _get(f"{E}/publications", two_evenings),
    "read_publication": _get(f"{E}/publications/1", two_evenings),
    "read_difference": _get(f"{E}/publications/1/difference/2", two_evenings),
    "list_rounds": _get(f"{E}/rounds", two_evenings),
    "read_round": _get(f"{E}/rounds/1", two_evenings),
    "print_score_sheets": _get(f"{E}/rounds/1/score-sheets.pdf", before.evening),
    "print_seating_list": _get(f"{E}/rounds/1/seating-list.pdf", before.evening),
    "print_table_cards": _get(f"{E}/rounds/1/table-cards.pdf", before.evening),
    "read_settings": _get(f"{E}/settings", before.evening),
    "export_sheets": _get(f"{E}/sheets", before.evening),
    "export_sheets_xlsx": _get(f"{E}/sheets.xlsx", before.evening),
    "list_links": _get(f"{E}/links", before.with_link),
    "list_stages": _get(f"{E}/stages", before.with_cut),
    "read_stage": _get(f"{E}/stages/2", before.with_cut),
    "read_cut_answers": _get(f"{E}/stages/2/answers", with_question_about_a_cut),
    "read_bracket": _get(f"{E}/stages/2/bracket", with_bracket),
    "read_standings": _get(f"{E}/standings", before.evening),
    "read_stage_standings": _get(f"{E}/stages/1/standings", with_table_of_a_stage),
    "read_table": _get(f"{E}/tables/r1t1", before.evening),
    "list_hands": _get(f"{E}/tables/r1t1/hands", before.evening),
    "read_hand": _get(f"{E}/tables/r1t1/hands/1", before.evening),
    "list_photos": _get(f"{E}/tables/r1t1/photos", before.with_photo, "hanna"),
    "read_photo": _get(f"{E}/tables/r1t1/photos/1.jpg", before.with_photo, "hanna"),
    "read_double_entry": _get(f"{E}/tables/r1t1/double-entry", before.with_second_entry, "hanna"),
    "read_sheet_check": _get(f"{E}/tables/r1t1/sheet-check", before.evening, "hanna"),
    "list_revisions": _get(f"{E}/tables/r1t1/hands/1/revisions", before.evening),
    "read_seats": _get(f"{E}/tables/r1t1/seats", before.evening),
    "export_club": _get("/export", before.evening),
    "list_invitations": _get("/invitations", before.invited),
    "list_mails": _get("/mail", with_mail),
    "list_waiting": _get("/waiting", before.claimed),
    "list_members": _get("/members", before.to_be_linked),
    "read_member": _get(f"/members/{MEMBER}", before.to_be_linked),
    "list_players": _get("/players", before.evening),
    "read_player": _get("/players/RL01", before.evening),
    "list_player_results": _get("/players/RL01/results", two_evenings),
    "list_player_opponents": _get("/players/RL01/opponents", two_evenings),
    "read_player_records": _get("/players/RL01/records", two_evenings),
    "read_player_data": _get("/players/RL01/data", before.evening),
    "read_contact": _get("/players/RL01/contact", before.with_contact),
    "read_player_link": _get("/players/RL01/link", before.to_be_linked),
    "search_club": _get("/search?q=elsa", before.evening),
    "list_seasons": _get("/seasons", with_season),
    "read_season": _get("/seasons/autumn", with_season),
    "read_season_publication": _get("/seasons/autumn/publications/1", with_season),
    "read_season_standings": _get("/seasons/autumn/standings", with_season),
    "list_club_tokens": _get("/tokens", before.with_token),
    "list_house_rules": _get("/variants", before.house),
    "read_house_rules": _get("/variants/thursday-rules", before.house),
    "read_house_entry_schema": _get("/variants/thursday-rules/entry-schema", before.house),
    "list_house_versions": _get("/variants/thursday-rules/versions", before.house),
    "read_house_version": _get("/variants/thursday-rules/versions/1", before.house),
    "read_house_version_toml": _get("/variants/thursday-rules/versions/1.toml", before.house),
    "read_house_version_entry_schema": _get(
        "/variants/thursday-rules/versions/1/entry-schema", before.house
    ),
    "print_house_blank_sheet": _get(
        "/variants/thursday-rules/versions/1/score-sheet.pdf", before.house
    ),
    "list_webhooks": _get("/webhooks", with_webhook),
    "read_webhook": _get(f"/webhooks/{WEBHOOK}", with_webhook),
    "list_webhook_deliveries": _get(f"/webhooks/{WEBHOOK}/deliveries", with_webhook),
    "read_me": _get("/api/v1/me", before.evening, "dirk"),
    "list_notifications": _get("/api/v1/me/notifications", before.evening, "dirk"),
    "read_notification": _get("/api/v1/me/notifications/riverside/digest", before.evening, "dirk"),
    "list_metrics": _get("/api/v1/metrics", lambda cast: None),
    "search": _get("/api/v1/search?q=elsa", before.evening),
    "list_tokens": _get("/api/v1/tokens", before.with_token, "dirk"),
    "list_variants": _get("/api/v1/variants", lambda cast: None),
    "read_variant": _get("/api/v1/variants/hearts", lambda cast: None),
    "read_rules_card": _get("/api/v1/variants/hearts/card", lambda cast: None),
    "read_entry_schema": _get("/api/v1/variants/hearts/entry-schema", lambda cast: None),
    "print_blank_sheet": _get("/api/v1/variants/hearts/score-sheet.pdf", lambda cast: None),
}
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
    if call.path == "/logo":
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
