"""Addresses below `/api/v1/`: no trailing slash, `.csv` beside every list."""

from typing import Final

from django.urls import URLPattern, path, re_path, register_converter

from api import schema_views
from api.openapi import together
from api.query_parameters import NameConverter, NumberConverter
from api.v1.access import tokens
from api.v1.boards import boards, deals
from api.v1.clubs import (
    audit,
    change_club,
    clubs,
    link_player,
    mails,
    members,
    people,
    players,
    search,
)
from api.v1.events import (
    adjustments,
    change_event,
    change_log,
    entrants,
    events,
    jobs,
    seasons,
    settings,
)
from api.v1.hands import change_players, disputes, entries, previews
from api.v1.imports import import_batches, import_problems, import_upload
from api.v1.ladders import absences, challenges, ladders
from api.v1.people import me, notifications
from api.v1.playoffs import playoffs
from api.v1.rounds import (
    attendance,
    meetings,
    open_tables,
    plan_meetings,
    printing,
    seat_rounds,
    seating_constraints,
    seating_plans,
    tables,
)
from api.v1.rules import house_rules, rules_cards, score, variants
from api.v1.stages import bracket, change_stage, stages, walk_overs
from api.v1.standings import history, metrics, standings

register_converter(NameConverter, "name")
register_converter(NumberConverter, "number")

CLUB: Final = "clubs/<name:club>"
HOUSE: Final = f"{CLUB}/variants/<name:house>"
VERSION: Final = f"{HOUSE}/versions/<number:number>"
CLAIM: Final = f"{CLUB}/claims/<uuid:claim>"
SEASON: Final = f"{CLUB}/seasons/<name:season>"
EVENT: Final = f"{CLUB}/events/<name:event>"
TABLE: Final = f"{EVENT}/tables/<name:code>"
PLAYOFF: Final = f"{EVENT}/playoffs/<number:number>"
HAND: Final = f"{TABLE}/hands/<number:number>"
LADDER: Final = f"{EVENT}/ladder"
PUBLICATION: Final = f"{EVENT}/publications/<number:number>"

urlpatterns: list[URLPattern] = [
    path("me", me.read_me, name="read_me"),
    *notifications.NOTIFICATIONS.paths("me/notifications"),
    path(
        "me/notifications/<name:club>/<name:kind>",
        together(notifications.read_notification, notifications.change_notification_view),
        name="read_notification",
    ),
    *mails.MAILS.paths(f"{CLUB}/mail"),
    path(f"{CLUB}/mail/<number:number>/send", mails.send_mail_again_view, name="send_mail_again"),
    path("search", search.search, name="search"),
    path(f"{CLUB}/search", search.search_club, name="search_club"),
    *clubs.CLUBS.paths("clubs"),
    path(CLUB, together(clubs.read_club, change_club.change_club_view), name="read_club"),
    path(
        f"{CLUB}/logo",
        together(change_club.remove_logo_view, change_club.set_logo_view),
        name="remove_logo",
    ),
    path(f"{CLUB}/export", change_club.export_club, name="export_club"),
    path(f"{CLUB}/delete", change_club.delete_club_view, name="delete_club"),
    path(f"{CLUB}/delete/undo", change_club.undo_delete_club_view, name="undo_delete_club"),
    *players.PLAYERS.paths(f"{CLUB}/players", writes=players.add_player_view),
    path(
        f"{CLUB}/players/<name:player_id>",
        together(players.read_player, players.change_player),
        name="read_player",
    ),
    path(
        f"{CLUB}/players/<name:player_id>/link",
        together(link_player.read_player_link, link_player.link_player_view),
        name="read_player_link",
    ),
    path(
        f"{CLUB}/players/<name:player_id>/claim",
        link_player.claim_player_view,
        name="claim_player",
    ),
    path(f"{CLUB}/players/<name:player_id>/merge", people.merge_player_view, name="merge_player"),
    path(
        f"{CLUB}/players/<name:player_id>/unmerge",
        people.unmerge_player_view,
        name="unmerge_player",
    ),
    path(f"{CLUB}/players/<name:player_id>/erase", people.erase_player_view, name="erase_player"),
    path(
        f"{CLUB}/players/<name:player_id>/erasure-request",
        people.request_erasure_view,
        name="request_erasure",
    ),
    path(f"{CLUB}/players/<name:player_id>/data", people.read_player_data, name="read_player_data"),
    *link_player.CLAIMS.paths(f"{CLUB}/claims"),
    path(f"{CLAIM}/confirm", link_player.confirm_claim_view, name="confirm_claim"),
    path(f"{CLAIM}/reject", link_player.reject_claim_view, name="reject_claim"),
    path(f"{CLAIM}/withdraw", link_player.withdraw_claim_view, name="withdraw_claim"),
    *tokens.TOKENS.paths("tokens", writes=tokens.create_token_view),
    path("tokens/<name:token>", tokens.revoke_token_view, name="revoke_token"),
    *tokens.CLUB_TOKENS.paths(f"{CLUB}/tokens"),
    path(f"{CLUB}/tokens/<name:token>", tokens.revoke_club_token_view, name="revoke_club_token"),
    *members.MEMBERS.paths(f"{CLUB}/members"),
    path(
        f"{CLUB}/members/<name:member>",
        together(members.read_member, members.change_member_view, members.remove_member_view),
        name="read_member",
    ),
    *members.INVITATIONS.paths(f"{CLUB}/invitations", writes=members.create_invitation_view),
    path(
        f"{CLUB}/invitations/<name:invitation>",
        members.revoke_invitation_view,
        name="revoke_invitation",
    ),
    *audit.AUDIT.paths(f"{CLUB}/audit"),
    *seasons.SEASONS.paths(f"{CLUB}/seasons"),
    path(SEASON, seasons.read_season, name="read_season"),
    path(f"{SEASON}/standings", seasons.read_season_standings, name="read_season_standings"),
    path(
        f"{SEASON}/standings.csv",
        seasons.read_season_standings_csv,
        name="read_season_standings_csv",
    ),
    path(
        f"{SEASON}/publications/<number:number>",
        seasons.read_season_publication,
        name="read_season_publication",
    ),
    path(
        f"{SEASON}/publications/<number:number>.csv",
        seasons.read_season_publication_csv,
        name="read_season_publication_csv",
    ),
    *events.EVENTS.paths(f"{CLUB}/events"),
    path(
        EVENT,
        together(events.read_event, change_event.change_event_view, change_event.delete_event_view),
        name="read_event",
    ),
    path(f"{EVENT}/archive", change_event.archive_event_view, name="archive_event"),
    path(f"{EVENT}/unarchive", change_event.unarchive_event_view, name="unarchive_event"),
    path(
        f"{EVENT}/settings",
        together(settings.read_settings, settings.change_settings_view),
        name="read_settings",
    ),
    path(f"{EVENT}/standings", standings.read_standings, name="read_standings"),
    path(f"{EVENT}/standings.csv", standings.read_standings_csv, name="read_standings_csv"),
    *standings.PUBLICATIONS.paths(f"{EVENT}/publications"),
    path(PUBLICATION, standings.read_publication, name="read_publication"),
    path(f"{PUBLICATION}.csv", standings.read_publication_csv, name="read_publication_csv"),
    path(
        f"{PUBLICATION}/difference/<number:other>", history.read_difference, name="read_difference"
    ),
    path(f"{EVENT}/history", history.read_history, name="read_history"),
    path(f"{EVENT}/history.csv", history.read_history_csv, name="read_history_csv"),
    *history.HEAD_TO_HEAD.paths(f"{EVENT}/head-to-head"),
    *history.MET.paths(f"{EVENT}/players/<name:player_id>/head-to-head"),
    path(LADDER, ladders.read_ladder, name="read_ladder"),
    path(f"{LADDER}.csv", ladders.read_ladder_csv, name="read_ladder_csv"),
    path(
        f"{LADDER}/publications/<number:number>",
        ladders.read_ladder_publication,
        name="read_ladder_publication",
    ),
    path(
        f"{LADDER}/publications/<number:number>.csv",
        ladders.read_ladder_publication_csv,
        name="read_ladder_publication_csv",
    ),
    *ladders.MOVES.paths(f"{LADDER}/moves"),
    *ladders.HISTORY.paths(f"{LADDER}/members/<name:player_id>/ratings"),
    path(
        f"{LADDER}/members/<name:player_id>",
        ladders.read_ladder_member,
        name="read_ladder_member",
    ),
    path(f"{LADDER}/what-if", ladders.read_ladder_what_if, name="read_ladder_what_if"),
    *ladders.RATINGS.paths(f"{EVENT}/ratings"),
    *seating_plans.PLANS.paths(
        f"{EVENT}/meetings/<name:day>/plans", writes=seating_plans.make_plans_view
    ),
    path(f"{EVENT}/meetings/<name:day>/tables", open_tables.form_tables_view, name="form_tables"),
    path(f"{EVENT}/plans/<name:plan>", seating_plans.read_plan, name="read_plan"),
    path(f"{EVENT}/plans/<name:plan>/choose", seating_plans.choose_plan_view, name="choose_plan"),
    path(
        f"{EVENT}/plans/<name:plan>/take",
        seating_plans.take_best_plan_view,
        name="take_best_plan",
    ),
    *seating_constraints.CONSTRAINTS.paths(
        f"{EVENT}/constraints", writes=seating_constraints.add_constraint_view
    ),
    path(
        f"{EVENT}/constraints/<name:constraint>",
        seating_constraints.remove_constraint_view,
        name="remove_constraint",
    ),
    *entrants.ENTRANTS.paths(f"{EVENT}/entrants", writes=entrants.add_entrant_view),
    path(f"{EVENT}/entrants/<name:entrant>", entrants.change_entrant_view, name="change_entrant"),
    path(f"{EVENT}/entrants/<name:entrant>/state", entrants.move_entrant_view, name="move_entrant"),
    *boards.BOARDS.paths(f"{EVENT}/boards", writes=boards.make_deals_view),
    path(f"{EVENT}/boards/hand-records.pdf", boards.print_hand_records, name="print_hand_records"),
    path(f"{EVENT}/boards/print", deals.print_deals_view, name="print_deals"),
    path(f"{EVENT}/boards/delete", deals.delete_deals_view, name="delete_deals"),
    path(f"{EVENT}/boards/<number:number>", boards.read_board, name="read_board"),
    *boards.RESULTS.paths(f"{EVENT}/boards/<number:number>/results"),
    *adjustments.LEDGER.paths(f"{EVENT}/ledger", writes=adjustments.add_ledger_line),
    path(
        f"{EVENT}/ledger/<number:number>/withdraw",
        adjustments.withdraw_ledger_line,
        name="withdraw_ledger_line",
    ),
    *stages.STAGES.paths(f"{EVENT}/stages", writes=stages.make_cut_view),
    path(
        f"{EVENT}/stages/<number:number>",
        together(change_stage.read_stage, change_stage.change_stage_view, stages.remove_stage_view),
        name="read_stage",
    ),
    path(f"{EVENT}/stages/<number:number>/bracket", bracket.read_bracket, name="read_bracket"),
    path(f"{EVENT}/stages/<number:number>/begin", stages.begin_stage_view, name="begin_stage"),
    path(f"{EVENT}/stages/<number:number>/undo", stages.undo_cut_view, name="undo_cut"),
    path(f"{EVENT}/stages/<number:number>/answer", stages.answer_cut_view, name="answer_cut"),
    path(
        f"{EVENT}/stages/<number:number>/answers", stages.read_cut_answers, name="read_cut_answers"
    ),
    *disputes.DISPUTES.paths(f"{EVENT}/disputes", writes=disputes.open_dispute_view),
    path(
        f"{EVENT}/disputes/<number:number>/rule",
        disputes.rule_on_dispute_view,
        name="rule_on_dispute",
    ),
    path(
        f"{EVENT}/disputes/<number:number>/withdraw",
        disputes.withdraw_dispute_view,
        name="withdraw_dispute",
    ),
    path(
        f"{EVENT}/rounds/<number:number>/seating-list.pdf",
        printing.print_seating_list,
        name="print_seating_list",
    ),
    path(
        f"{EVENT}/rounds/<number:number>/table-cards.pdf",
        printing.print_table_cards,
        name="print_table_cards",
    ),
    path(
        f"{EVENT}/rounds/<number:number>/score-sheets.pdf",
        printing.print_score_sheets,
        name="print_score_sheets",
    ),
    *challenges.CHALLENGES.paths(f"{EVENT}/challenges", writes=challenges.issue_challenge_view),
    path(f"{EVENT}/challenges/<number:number>", challenges.read_challenge, name="read_challenge"),
    path(
        f"{EVENT}/challenges/<number:number>/moves",
        challenges.move_challenge_view,
        name="move_challenge",
    ),
    path(
        f"{EVENT}/challenges/<number:number>/postpone",
        challenges.postpone_challenge_view,
        name="postpone_challenge",
    ),
    path(
        f"{EVENT}/challenges/<number:number>/result",
        challenges.give_result_view,
        name="give_result",
    ),
    *absences.ABSENCES.paths(f"{EVENT}/absences", writes=absences.tell_absence_view),
    path(f"{EVENT}/absences/end", absences.end_absence_view, name="end_absence"),
    *playoffs.PLAYOFFS.paths(f"{EVENT}/playoffs"),
    path(PLAYOFF, playoffs.read_playoff, name="read_playoff"),
    path(f"{PLAYOFF}/answers", playoffs.read_playoff_answers, name="read_playoff_answers"),
    path(f"{PLAYOFF}/moves", playoffs.move_playoff_view, name="move_playoff"),
    path(f"{PLAYOFF}/neutral", playoffs.seat_neutrals_view, name="seat_neutrals"),
    path(f"{PLAYOFF}/gone", playoffs.playoff_gone_view, name="playoff_gone"),
    path(f"{PLAYOFF}/extend", playoffs.extend_playoff_view, name="extend_playoff"),
    path(f"{PLAYOFF}/waive", playoffs.waive_playoff_view, name="waive_playoff"),
    path(f"{PLAYOFF}/answer", playoffs.answer_playoff_view, name="answer_playoff"),
    *meetings.MEETINGS.paths(f"{EVENT}/meetings", writes=plan_meetings.plan_meeting_view),
    path(
        f"{EVENT}/meetings/<name:day>",
        together(
            meetings.read_meeting,
            plan_meetings.change_meeting_view,
            plan_meetings.remove_meeting_view,
        ),
        name="read_meeting",
    ),
    *attendance.ATTENDANCE.paths(
        f"{EVENT}/meetings/<name:day>/attendance", writes=attendance.add_guest_view
    ),
    path(
        f"{EVENT}/meetings/<name:day>/attendance/<name:player_id>",
        attendance.set_attendance_view,
        name="set_attendance",
    ),
    *meetings.ROUNDS.paths(f"{EVENT}/rounds", writes=seat_rounds.make_round_view),
    path(f"{EVENT}/rounds/<number:number>", meetings.read_round, name="read_round"),
    path(f"{EVENT}/rounds/<number:number>/state", seat_rounds.move_round_view, name="move_round"),
    path(
        f"{EVENT}/rounds/<number:number>/redraw",
        seat_rounds.redraw_round_view,
        name="redraw_round",
    ),
    path(f"{EVENT}/rounds/<number:number>/extend", meetings.extend_round_view, name="extend_round"),
    path(TABLE, tables.read_table, name="read_table"),
    path(f"{TABLE}/walk-overs", walk_overs.record_walk_over_view, name="record_walk_over"),
    path(f"{TABLE}/restore", tables.restore_table_view, name="restore_table"),
    path(f"{TABLE}/seats", change_players.SEATS, name="read_seats"),
    path(f"{TABLE}/seats/preview", change_players.preview_seats, name="preview_seats"),
    *tables.HANDS.paths(f"{TABLE}/hands", writes=entries.enter_hand),
    path(HAND, together(tables.read_hand, entries.revise_hand), name="read_hand"),
    *tables.REVISIONS.paths(f"{HAND}/revisions"),
    path(f"{TABLE}/disputes", disputes.open_table_dispute_view, name="open_table_dispute"),
    path(f"{HAND}/preview", previews.preview_hand, name="preview_hand"),
    *change_log.CHANGES.paths(f"{EVENT}/changes"),
    *import_batches.IMPORTS.paths(f"{EVENT}/imports", writes=import_upload.import_sheets),
    path(f"{EVENT}/imports/<number:number>", import_batches.read_import, name="read_import"),
    *jobs.JOBS.paths(f"{EVENT}/jobs"),
    path(f"{EVENT}/sheets.csv", import_batches.export_sheets, name="export_sheets_csv"),
    path(f"{EVENT}/sheets.xlsx", import_batches.export_sheets_xlsx, name="export_sheets_xlsx"),
    *import_batches.PROBLEMS.paths(f"{EVENT}/imports/<number:number>/problems"),
    path(
        f"{EVENT}/imports/<number:number>/problems/<number:position>",
        together(import_problems.read_import_problem, import_problems.resolve_import_problem),
        name="read_import_problem",
    ),
    *import_batches.UNDONE_HANDS.paths(f"{EVENT}/imports/<number:number>/undone-hands"),
    *house_rules.HOUSE_RULES.paths(f"{CLUB}/variants", writes=house_rules.make_house_rules_view),
    path(HOUSE, house_rules.read_house_rules, name="read_house_rules"),
    path(
        f"{HOUSE}/entry-schema",
        house_rules.read_house_entry_schema,
        name="read_house_entry_schema",
    ),
    *house_rules.VERSIONS.paths(f"{HOUSE}/versions", writes=house_rules.add_house_version_view),
    path(
        VERSION,
        together(house_rules.read_house_version, house_rules.delete_house_version_view),
        name="read_house_version",
    ),
    path(
        f"{VERSION}/score-sheet.pdf",
        printing.print_house_blank_sheet,
        name="print_house_blank_sheet",
    ),
    path(f"{VERSION}.toml", house_rules.read_house_version_toml, name="read_house_version_toml"),
    path(
        f"{VERSION}/entry-schema",
        house_rules.read_house_version_entry_schema,
        name="read_house_version_entry_schema",
    ),
    *metrics.METRICS.paths("metrics"),
    *variants.VARIANTS.paths("variants"),
    path("variants/<name:variant>", variants.read_variant, name="read_variant"),
    path(
        "variants/<name:variant>/score-sheet.pdf",
        printing.print_blank_sheet,
        name="print_blank_sheet",
    ),
    path("variants/<name:variant>/card", rules_cards.read_rules_card, name="read_rules_card"),
    path(
        "variants/<name:variant>/entry-schema",
        variants.read_entry_schema,
        name="read_entry_schema",
    ),
    path("score", score.score, name="score"),
    path("schema", schema_views.schema, name="schema"),
    path("docs", schema_views.reference, name="reference"),
    path("docs/errors.md", schema_views.error_codes, name="error_codes"),
    re_path("", schema_views.unknown_address, name="unknown_address"),
]
