"""A request for each operation that takes an Idempotency-Key, with what must be there before it."""

from collections.abc import Mapping
from typing import Any

from scoring.duplicate.deals import commitment_of
from tests.support.pages.photos import picture
from tests.support.rest import before_calls as before
from tests.support.rest.before_calls import ASSIGNED, CLAIM, MEMBER, NIGHT, SEED, TOKEN, E, L
from tests.support.rest.call import RestCall
from tests.support.webhooks import DELIVERY, HOOK, WEBHOOK, with_webhook
from tournaments.selectors.rounds.table_sheets import digest_of_hands

SEATS = {"seats": ["RL04", "RL03", "RL02", "RL01"]}
SHEETS = {
    "mode": "all",
    "sheets": [
        {
            "round": 2,
            "table": 1,
            "players": ["RL01", "RL02", "RL03", "RL04"],
            "hands": [
                {"number": 1, "entry": {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}}
            ],
        }
    ],
}
SECOND: dict[str, Any] = {
    "complete": True,
    "hands": [
        {"number": 1, "entry": {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}},
        {"number": 2, "entry": {"hearts": [0, 0, 13, 0], "taken": [["QS"], [], [], []]}},
    ],
}
SHEET = digest_of_hands([(1, "accepted", 1), (2, "accepted", 1)])
OPENING = {"entrant": "RL02", "date": "2025-10-02", "value": "20", "games": 1, "hands": 4}
LINE = {"entrant": "RL02", "kind": "penalty", "amount": "2", "reason": "Late."}
TOTALS = {"points": {"H": 10, "I": 20, "E": 48}}
APART = {"kind": "apart", "player": "RL01", "other": "RL02"}
DEALS = {"commitment": commitment_of(SEED)}
SEASON = {"name": "Spring", "starts_on": "2026-01-01", "ends_on": "2026-05-31"}
NEW_EVENT = {"name": "Cup", "variant": "hearts", "preset": "places"}
CALLS: Mapping[str, RestCall] = {
    "create_club": RestCall("/api/v1/clubs", {"name": "Lakeside"}, "piet", status=201),
    "create_season": RestCall("/seasons", SEASON, status=201),
    "change_season": RestCall(
        "/seasons/autumn",
        {"events": ["league"]},
        prepare=before.with_season,
        method="PATCH",
        lines=2,
    ),
    "retry_season": RestCall("/seasons/autumn/retry", {}, prepare=before.with_season),
    "create_event": RestCall("/events", NEW_EVENT, status=201),
    "copy_event": RestCall(
        f"{E}/copy", {"name": "Next league"}, prepare=before.evening, status=201, lines=2
    ),
    "move_event": RestCall(f"{E}/state", {"to": "open"}, prepare=before.drafted),
    "retry_jobs": RestCall(f"{E}/jobs/retry", {}, prepare=before.evening, lines=0),
    "create_link": RestCall(f"{E}/links", {"table": "r1t1"}, prepare=before.evening, status=201),
    "revoke_link": RestCall(f"{E}/links/r1t1", prepare=before.with_link, method="DELETE"),
    "revoke_links": RestCall(f"{E}/links/revoke", {}, prepare=before.with_link),
    "create_round_links": RestCall(f"{E}/rounds/1/links", {}, prepare=before.evening, status=201),
    "revoke_round_links": RestCall(f"{E}/rounds/1/links/revoke", {}, prepare=before.with_link),
    "make_deals": RestCall(f"{E}/boards", {"count": 4}, prepare=before.duplicate, status=201),
    "print_deals": RestCall(f"{E}/boards/print", DEALS, prepare=before.with_deals, status=201),
    "delete_deals": RestCall(f"{E}/boards/delete", DEALS, prepare=before.with_deals),
    "make_plans": RestCall(
        f"{E}/meetings/2025-11-13/plans",
        {"rounds": 2, "seed": 1},
        prepare=before.planned,
        status=201,
    ),
    "choose_plan": RestCall(f"{E}/plans/{TOKEN}/choose", {}, prepare=before.planned),
    "take_best_plan": RestCall(f"{E}/plans/{TOKEN}/take", {}, prepare=before.planned, lines=0),
    "form_tables": RestCall(
        f"{E}/meetings/2025-11-13/tables", {}, prepare=before.on_an_open_night, status=201
    ),
    "add_constraint": RestCall(f"{E}/constraints", APART, prepare=before.planned, status=201),
    "remove_constraint": RestCall(
        f"{E}/constraints/{TOKEN}", prepare=before.kept_apart, method="DELETE"
    ),
    "add_entrant": RestCall(
        f"{E}/entrants",
        {"kind": "pair", "players": ["RL05", "RL06"]},
        prepare=before.planned,
        status=201,
    ),
    "change_entrant": RestCall(
        f"{E}/entrants/pair-1", {"name": "Aces"}, prepare=before.with_pair, method="PATCH"
    ),
    "move_entrant": RestCall(
        f"{E}/entrants/pair-1/state",
        {"to": "withdrawn", "reason": "Moved away."},
        prepare=before.with_pair,
    ),
    "add_ledger_line": RestCall(f"{E}/ledger", LINE, prepare=before.evening, status=201),
    "withdraw_ledger_line": RestCall(
        f"{E}/ledger/1/withdraw", {"reason": "No."}, prepare=before.with_line
    ),
    "add_opening_values": RestCall(
        f"{E}/opening-values",
        {"values": [OPENING], "reason": "The list on paper."},
        prepare=before.evening,
        status=201,
    ),
    "withdraw_opening_value": RestCall(
        f"{E}/opening-values/1/withdraw", {"reason": "No."}, prepare=before.with_opening_value
    ),
    "open_dispute": RestCall(
        f"{E}/disputes",
        {"table": "r1t1", "hand": 1, "words": "No."},
        "hanna",
        before.evening,
        status=201,
    ),
    "open_table_dispute": RestCall(
        f"{E}/tables/r1t1/disputes",
        {"hand": 1, "words": "No."},
        "hanna",
        before.evening,
        status=201,
    ),
    "rule_on_dispute": RestCall(
        f"{E}/disputes/1/rule", {"to": "rejected", "reason": "Right."}, prepare=before.with_dispute
    ),
    "withdraw_dispute": RestCall(f"{E}/disputes/1/withdraw", {}, "hanna", before.with_dispute),
    "make_cut": RestCall(f"{E}/stages", {"cut": 2}, prepare=before.over, status=201),
    "change_stage": RestCall(
        f"{E}/stages/2", {"movement": "swiss"}, prepare=before.with_planned_stage, method="PATCH"
    ),
    "remove_stage": RestCall(
        f"{E}/stages/2",
        {},
        prepare=before.with_planned_stage,
        method="DELETE",
        headers={"If-Match": "*"},
    ),
    "begin_stage": RestCall(f"{E}/stages/2/begin", {}, prepare=before.with_planned_stage),
    "play_off_tie": RestCall(
        f"{E}/stages/2/playoff", {}, prepare=before.with_tied_stage, status=201
    ),
    "record_walk_over": RestCall(
        f"{E}/tables/r1t1/walk-overs",
        {"player_id": "RL02", "reason": "Did not come."},
        prepare=before.with_knockout,
    ),
    "undo_cut": RestCall(f"{E}/stages/2/undo", {"reason": "Too early."}, prepare=before.with_cut),
    "issue_challenge": RestCall(
        f"{L}/challenges", {"challenged": "E"}, "H", before.on_ladder, status=201
    ),
    "move_challenge": RestCall(
        f"{L}/challenges/1/moves", {"to": "accepted"}, "E", before.challenged
    ),
    "postpone_challenge": RestCall(f"{L}/challenges/1/postpone", {}, "H", before.accepted),
    "give_result": RestCall(f"{L}/challenges/1/result", TOTALS, "H", before.accepted, lines=3),
    "plan_meeting": RestCall(
        f"{E}/meetings", {"date": "2025-11-20"}, prepare=before.evening, status=201
    ),
    "change_meeting": RestCall(
        f"{E}/meetings/2025-11-06", {"place": "Hall"}, prepare=before.meeting, method="PATCH"
    ),
    "remove_meeting": RestCall(
        f"{E}/meetings/2025-11-06",
        prepare=before.meeting,
        method="DELETE",
        headers={"If-Match": "*"},
    ),
    "set_attendance": RestCall(
        f"{E}/meetings/2025-11-06/attendance/RL01",
        {"state": "here"},
        "hanna",
        before.meeting,
        method="PUT",
    ),
    "add_meeting_guest": RestCall(
        f"{E}/meetings/2025-11-06/attendance",
        {"name": "Tom T."},
        "hanna",
        before.meeting,
        status=201,
        lines=2,
    ),
    "ask_fill_in": RestCall(
        f"{E}/meetings/2025-11-13/fill-in", {}, "hanna", before.planned, status=201
    ),
    "end_fill_in": RestCall(
        f"{E}/meetings/2025-11-13/fill-in", {}, "hanna", before.with_fill_in, method="DELETE"
    ),
    "tell_absence": RestCall(
        f"{L}/absences", {"since": "2025-11-10"}, "A", before.on_ladder, status=201
    ),
    "end_absence": RestCall(f"{L}/absences/end", {}, "A", before.away),
    "move_playoff": RestCall(f"{E}/playoffs/1/moves", {"to": "by_lot"}, prepare=before.played_off),
    "seat_neutrals": RestCall(
        f"{E}/playoffs/1/neutral", {"players": ["RL03"]}, prepare=before.duel
    ),
    "playoff_gone": RestCall(
        f"{E}/playoffs/1/gone", {"player_id": "RL02", "why": "no_show"}, prepare=before.played_off
    ),
    "waive_playoff": RestCall(
        f"{E}/playoffs/1/waive", {"reason": "They agree."}, prepare=before.played_off
    ),
    "make_house_rules": RestCall(
        "/variants", {"name": "Ours", "base": "hearts", "options": {"target": 61}}, status=201
    ),
    "add_house_version": RestCall(
        "/variants/thursday-rules/versions",
        {"options": {"target": 71}},
        prepare=before.house,
        headers={"If-Match": '"1"'},
        status=201,
    ),
    "delete_house_version": RestCall(
        "/variants/thursday-rules/versions/1", prepare=before.house, method="DELETE"
    ),
    "archive_house_rules": RestCall("/variants/thursday-rules/archive", {}, prepare=before.house),
    "unarchive_house_rules": RestCall(
        "/variants/thursday-rules/unarchive", {}, prepare=before.house, lines=0
    ),
    "use_house_version": RestCall(f"{E}/use-version", {}, prepare=before.behind_its_rules),
    "change_settings": RestCall(
        f"{E}/settings",
        {"settings": {"drop_worst": 1}, "reason": "Agreed."},
        prepare=before.evening,
        method="PATCH",
    ),
    "change_seats": RestCall(
        f"{E}/tables/r1t1/seats",
        {"act": "swap", "seat": 1, "player_id": "RL02", "reason": "Wrong seats."},
        prepare=before.evening,
    ),
    "make_round": RestCall(
        f"{E}/rounds", {"date": "2025-11-06"}, prepare=before.with_plan, status=201
    ),
    "redraw_round": RestCall(f"{E}/rounds/1/redraw", {}, prepare=before.with_seated_round),
    "move_round": RestCall(
        f"{E}/rounds/1/state", {"to": "posted"}, prepare=before.with_seated_round
    ),
    "restore_table": RestCall(f"{E}/tables/r2t1/restore", {}, prepare=before.with_removed_table),
    "extend_round": RestCall(f"{E}/rounds/1/extend", {"minutes": 5}, "hanna", before.with_clock),
    "link_player": RestCall(
        "/players/RL01/link", {"member": str(MEMBER)}, prepare=before.to_be_linked
    ),
    "set_contact": RestCall(
        "/players/RL01/contact",
        {"email": "elsa@mail.example", "has_consent": True},
        prepare=before.evening,
        method="PUT",
    ),
    "remove_contact": RestCall(
        "/players/RL01/contact", prepare=before.with_contact, method="DELETE"
    ),
    "renew_personal_link": RestCall("/players/RL01/personal-link", {}, prepare=before.evening),
    "revoke_personal_link": RestCall(
        "/players/RL01/personal-link", prepare=before.with_contact, method="DELETE"
    ),
    "make_personal_links": RestCall("/personal-links", {}, prepare=before.with_contact),
    "claim_player": RestCall("/players/RL01/claim", {}, "piet", before.to_be_linked, status=201),
    "merge_player": RestCall("/players/RL02/merge", {"into": "RL01"}, prepare=before.doubled),
    "unmerge_player": RestCall("/players/RL02/unmerge", {}, prepare=before.merged),
    "erase_player": RestCall("/players/RL01/erase", {"reason": "Asked."}, "olga", before.doubled),
    "request_erasure": RestCall(
        "/players/RL01/erasure-request", {"to": "ask"}, "piet", before.doubled
    ),
    "confirm_claim": RestCall(f"/claims/{CLAIM}/confirm", {}, prepare=before.claimed),
    "reject_claim": RestCall(f"/claims/{CLAIM}/reject", {}, prepare=before.claimed),
    "withdraw_claim": RestCall(f"/claims/{CLAIM}/withdraw", {}, "piet", before.claimed),
    "change_member": RestCall(
        f"/members/{MEMBER}", {"role": "host"}, "olga", before.to_be_linked, method="PATCH"
    ),
    "remove_member": RestCall(
        f"/members/{MEMBER}", who="olga", prepare=before.to_be_linked, method="DELETE"
    ),
    "create_invitation": RestCall("/invitations", {"role": "host"}, "olga", status=201),
    "resend_invitation": RestCall(
        f"/invitations/{MEMBER}/resend", {}, "olga", before.invited, status=201
    ),
    "revoke_invitation": RestCall(
        f"/invitations/{MEMBER}", who="olga", prepare=before.invited, method="DELETE"
    ),
    "enter_sheets": RestCall(f"{E}/sheets", SHEETS, "hanna", before.evening, status=201),
    "confirm_import": RestCall(
        f"{E}/imports/1/confirm", {}, "hanna", before.with_checked_file, status=202, lines=0
    ),
    "add_import_players": RestCall(
        f"{E}/imports/1/players", {}, prepare=before.with_unknown_people, status=202
    ),
    "discard_import": RestCall(
        f"{E}/imports/1/discard", {}, "hanna", before.with_checked_file, lines=0
    ),
    "undo_import": RestCall(
        f"{E}/imports/1/undo", {}, "hanna", before.with_imported_file, status=202
    ),
    "restart_import": RestCall(
        f"{E}/imports/1/again", {}, "hanna", before.with_waiting_file, status=202, lines=0
    ),
    "delete_hand": RestCall(
        f"{E}/tables/r1t1/hands/1/void", {"reason": "Twice."}, prepare=before.evening
    ),
    "undo_hand": RestCall(f"{E}/tables/r1t1/hands/3/undo", {}, "hanna", before.with_own_hand),
    "restore_hand": RestCall(
        f"{E}/tables/r1t1/hands/1/restore", {"reason": "No."}, prepare=before.with_deleted_hand
    ),
    "move_table": RestCall(f"{E}/tables/r1t1/state", {"to": "complete"}, "hanna", before.evening),
    "close_tables": RestCall(f"{E}/rounds/1/close-tables", {}, "hanna", before.evening),
    "seat_table": RestCall(
        f"{E}/rounds/2/tables", SEATS, prepare=before.with_draft_round, status=201
    ),
    "reseat_table": RestCall(f"{E}/tables/r2t1/seating", SEATS, prepare=before.with_seated_table),
    "remove_table": RestCall(f"{E}/tables/r2t1", prepare=before.with_seated_table, method="DELETE"),
    "change_round_game": RestCall(
        f"{E}/rounds/2/game", {"variant": "hearts"}, prepare=before.with_draft_round
    ),
    "remove_round": RestCall(f"{E}/rounds/2", prepare=before.with_draft_round, method="DELETE"),
    "add_sit_out": RestCall(
        f"{E}/rounds/2/sit-outs",
        {"entrant": "RL01", "reason": "rest"},
        prepare=before.with_draft_round,
        status=201,
    ),
    "sit_out_unseated": RestCall(
        f"{E}/rounds/1/sit-out-unseated", {}, prepare=before.with_player_without_seat
    ),
    "remove_sit_out": RestCall(
        f"{E}/rounds/2/sit-outs/RL01", prepare=before.with_sit_out, method="DELETE"
    ),
    "add_photo": RestCall(
        f"{E}/tables/r1t1/photos", {"photo": picture()}, "hanna", before.evening, status=201
    ),
    "remove_photo": RestCall(
        f"{E}/tables/r1t1/photos/1",
        {"reason": "Not this sheet."},
        prepare=before.with_photo,
        method="DELETE",
    ),
    "add_entrants": RestCall(
        f"{E}/rosters", {"players": ["RL05", "RL06"]}, prepare=before.planned, status=201
    ),
    "enter_second": RestCall(
        f"{E}/tables/r1t1/double-entry", SECOND, "hanna", before.with_double_entry
    ),
    "decide_entry": RestCall(
        f"{E}/tables/r1t1/double-entry/2",
        {"right": "second", "reason": "The paper says so."},
        "hanna",
        before.with_second_entry,
        headers={"If-Match": "*"},
        lines=2,
    ),
    "file_disputed": RestCall(
        f"{E}/tables/r1t1/disputed-hands",
        {
            "number": 3,
            "entry": {"hearts": [4, 1, 2, 5], "taken": [[], [], [], ["QS"]]},
            "reason": "A heart is missing.",
        },
        prepare=before.evening,
        status=201,
    ),
    "check_sheet": RestCall(
        f"{E}/tables/r1t1/sheet-check", {"sheet": SHEET}, "hanna", before.evening, lines=2
    ),
    "map_import_columns": RestCall(
        f"{E}/imports/1/columns", ASSIGNED, "hanna", before.with_foreign_file, status=202, lines=0
    ),
    "store_mapping": RestCall(
        f"{E}/imports/1/mapping", {"name": "Tuesdays"}, "hanna", before.with_mapped_file, status=201
    ),
    "delete_mapping": RestCall(
        "/mappings/1", who="hanna", prepare=before.with_mapping, method="DELETE"
    ),
    "import_sheets": RestCall(f"{E}/imports", {"file": NIGHT}, prepare=before.evening),
    "add_roster": RestCall(
        "/rosters",
        {"players": [{"name": "Zoë Kay"}, {"name": "Tom Tal", "player_id": "RL77"}]},
        status=201,
    ),
    "undo_roster": RestCall("/rosters/2/undo", {}, prepare=before.with_roster),
    "add_player": RestCall("/players", {"name": "Zoë Kay"}, status=201),
    "change_player": RestCall(
        "/players/RL01", {"nickname": "Ace"}, prepare=before.evening, method="PATCH"
    ),
    "change_notification": RestCall(
        "/api/v1/me/notifications/riverside/digest", {"by_mail": False}, method="PATCH", lines=0
    ),
    "change_club": RestCall("", {"name": "Riverbank"}, "olga", method="PATCH"),
    "change_event": RestCall(E, {"visibility": "held"}, prepare=before.evening, method="PATCH"),
    "archive_event": RestCall(f"{E}/archive", {"reason": "Over."}, "olga", before.evening),
    "unarchive_event": RestCall(f"{E}/unarchive", {"reason": "Again."}, "olga", before.archived),
    "delete_event": RestCall(E, prepare=before.drafted, method="DELETE"),
    "delete_club": RestCall("/delete", {"confirm": "riverside"}, "olga", before.exported),
    "undo_delete_club": RestCall("/delete/undo", {}, "olga", before.deleted),
    "create_token": RestCall(
        "/api/v1/tokens", {"name": "Site", "scope": "read", "club": "riverside"}, status=201
    ),
    "revoke_token": RestCall(f"/api/v1/tokens/{TOKEN}", prepare=before.with_token, method="DELETE"),
    "create_webhook": RestCall(
        "/webhooks", {"url": HOOK, "kinds": ["publication.created"]}, "olga", status=201
    ),
    "change_webhook": RestCall(
        f"/webhooks/{WEBHOOK}", {"kinds": ["hand.corrected"]}, "olga", with_webhook, method="PATCH"
    ),
    "remove_webhook": RestCall(f"/webhooks/{WEBHOOK}", {}, "olga", with_webhook, method="DELETE"),
    "rotate_webhook_secret": RestCall(f"/webhooks/{WEBHOOK}/rotate", {}, "olga", with_webhook),
    "test_webhook": RestCall(f"/webhooks/{WEBHOOK}/test", {}, "olga", with_webhook, status=201),
    "repeat_delivery": RestCall(
        f"/webhooks/{WEBHOOK}/deliveries/{DELIVERY}/repeat", {}, "olga", with_webhook
    ),
    "revoke_club_token": RestCall(
        f"/tokens/{TOKEN}", who="olga", prepare=before.with_token, method="DELETE"
    ),
}
