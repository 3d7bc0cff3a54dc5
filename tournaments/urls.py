"""Addresses of the pages: those of REST without `/api/v1`, and a few of their own."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from tournaments.management.service import SETUP_PATH
from tournaments.views import attendance, audit, boards, calendars, notices, seating_plans, webhooks
from tournaments.views.access import join, table_links, tokens
from tournaments.views.clubs import club_imports, clubs, edit_player, players, public
from tournaments.views.clubs import members as club_members
from tournaments.views.clubs import settings as club_settings
from tournaments.views.events import (
    adjustments,
    change_event,
    change_log,
    entrants,
    manage_event,
    new_event,
    result_notes,
    seasons,
    settings,
)
from tournaments.views.hands import (
    change_players,
    disputes,
    double_entry,
    enter_hand,
    enter_totals,
    grid,
    move_hands,
    preview_correction,
    score_sheet,
)
from tournaments.views.help import help as help_pages
from tournaments.views.http import responses
from tournaments.views.imports import column_mapping, imports, resolve_problem
from tournaments.views.ladders import challenges, ladders, members, rules
from tournaments.views.offline import pwa
from tournaments.views.people import account, me, personal, personal_links
from tournaments.views.playoffs import playoffs
from tournaments.views.rounds import (
    big_screens,
    evening_seating,
    meetings,
    paper_sheets,
    rounds,
    seating,
    table_sheets,
)
from tournaments.views.rules import edit_house_rules, house_rules, variants
from tournaments.views.stages import bracket, stages
from tournaments.views.standings import embed_and_feed, evenings, history, standings


class PlayerIdConverter(StringConverter):
    """A player's id as the club wrote it: any text, a slash or a line end included.

    A link's token is read so too: what is no token is answered as one that opens nothing.
    """

    regex = r"(?s:.+)"


register_converter(PlayerIdConverter, "own_id")

app_name = "tournaments"

CLUB = "clubs/<slug:club>"
HOUSE = f"{CLUB}/house-rules/<slug:slug>"
VERSION = f"{HOUSE}/versions/<int:number>"
SEASON = f"{CLUB}/seasons/<slug:season>"
EVENT = f"{CLUB}/events/<slug:event>"
TABLE = f"{EVENT}/tables/<slug:code>"
HAND = f"{TABLE}/hands/<int:number>"
PUBLICATION = f"{EVENT}/publications/<int:number>"
LADDER = f"{EVENT}/ladder"
STAGE = f"{EVENT}/stages/<int:number>"
IMPORT = f"{EVENT}/imports/<int:number>"
MEETING = f"{EVENT}/meetings/<slug:day>"
ROUND = f"{EVENT}/rounds/<int:number>"

urlpatterns = [
    # What open pages ask for every two seconds comes first: an address is compared with one pattern
    # after the other.
    path(EVENT, standings.standings_page, name="event"),
    path(TABLE, score_sheet.table, name="table"),
    path(f"{TABLE}/hands/new", enter_hand.new_hand, name="new-hand"),
    path(f"{ROUND}/board", big_screens.round_board, name="board"),
    path(f"{EVENT}/projector", big_screens.big_screen, name="big-screen"),
    path(LADDER, ladders.ladder, name="ladder"),
    path(CLUB, public.club, name="club"),
    path("", public.club_list, name="clubs"),
    path("sw.js", pwa.service_worker, name="service-worker"),
    path("manifest.webmanifest", pwa.manifest, name="manifest"),
    path("on-this-phone", pwa.on_this_device, name="on-this-phone"),
    path("theme", responses.theme, name="theme"),
    path("help", help_pages.front, name="help"),
    path("help/shortcuts", help_pages.shortcuts, name="help-shortcuts"),
    path("help/tour", help_pages.tour, name="help-tour"),
    path("help/images/<path:image>", help_pages.help_image, name="help-image"),
    path("help/<slug:name>", help_pages.help_page, name="help-page"),
    path("help/<slug:folder>/<slug:name>", help_pages.help_page, name="help-in-folder"),
    path("robots.txt", public.robots, name="robots"),
    path("sitemap.xml", public.sitemap, name="sitemap"),
    path("oembed", embed_and_feed.oembed, name="oembed"),
    path("qr.svg", help_pages.page_qr, name="page-qr"),
    path("styleguide/", help_pages.styleguide, name="styleguide"),
    path("t", table_links.enter_code, name="enter-code"),
    path("t/<own_id:token>", table_links.open_link, name="open-link"),
    path(SETUP_PATH, join.setup, name="setup"),
    path(f"{SETUP_PATH}/<own_id:token>", join.open_setup, name="open-setup"),
    path("invitations/join", join.join, name="join"),
    path("invitations/<own_id:token>", join.open_invitation, name="open-invitation"),
    path("my-tables", table_links.my_tables, name="my-tables"),
    path("my/confirm/<own_id:token>", personal.confirm, name="my-confirm"),
    path("my/<slug:token>", personal.my_evening, name="my-evening"),
    path("my/<slug:token>/evenings/<int:meeting>", personal.my_answer, name="my-answer"),
    path("my/<slug:token>/calendar.ics", calendars.personal_calendar, name="my-calendar"),
    path("my/<slug:token>/events/<slug:event>", personal.my_values, name="my-values"),
    path("my/<slug:token>/mails", personal.my_mails, name="my-mails"),
    path("my/<slug:token>/more", personal.my_requests, name="my-requests"),
    path("programs", tokens.programs, name="programs"),
    path("tokens", tokens.tokens, name="tokens"),
    path(f"{CLUB}/tokens", tokens.club_tokens, name="club-tokens"),
    path(f"{CLUB}/audit", audit.audit, name="audit"),
    path("me", me.me, name="me"),
    path("clubs", public.to_club_list),
    path(f"{CLUB}/events", public.to_club),
    path("variants", variants.catalogue, name="variants"),
    path("variants/compare", variants.compare, name="compare"),
    path("variants/<str:variant>", variants.variant, name="variant"),
    path("variants/<str:variant>/score-sheet", variants.blank_score_sheet, name="blank-sheet"),
    path(f"{EVENT}/rules", variants.event_rules, name="event-rules"),
    path(f"{EVENT}/rules/<slug:version>", variants.snapshot, name="snapshot"),
    path("new-club", clubs.new_club, name="new-club"),
    path("import-club", club_imports.import_club, name="import-club"),
    path("import-club/<number:number>", club_imports.club_import, name="club-import"),
    path(f"{CLUB}/settings", club_settings.club_settings_page, name="club-settings"),
    path(f"{CLUB}/settings/logo", club_settings.logo, name="change-club-logo"),
    path(f"{CLUB}/export", club_settings.export, name="export-club"),
    path(f"{CLUB}/delete", club_settings.delete, name="delete-club"),
    path(f"{CLUB}/logo/<slug:digest>.png", public.logo, name="club-logo"),
    path(f"{CLUB}/accent/<slug:digest>.css", public.accent, name="club-accent"),
    path(f"{CLUB}/calendar.ics", calendars.club_calendar, name="club-calendar"),
    path(f"{CLUB}/standings", public.club_standings, name="club-standings"),
    path(f"{CLUB}/evenings", public.evenings, name="club-evenings"),
    path(f"{CLUB}/ladders", public.ladders, name="club-ladders"),
    path(f"{CLUB}/rules", public.rules, name="club-rules"),
    path(f"{CLUB}/manage", public.manage, name="club-manage"),
    path(f"{CLUB}/search", public.club_search, name="club-search"),
    path("search", public.search, name="search"),
    path(f"{CLUB}/records", history.club_records, name="club-records"),
    path(f"{CLUB}/members", club_members.members, name="members"),
    path(f"{CLUB}/members/invite", club_members.invite, name="invite"),
    path(f"{CLUB}/members/<uuid:member>/remove", club_members.remove, name="remove-member"),
    path(f"{CLUB}/invitations", club_members.invitations, name="invitations"),
    path(f"{CLUB}/invitations/cards", club_members.invitation_cards_page, name="invitation-cards"),
    path(f"{CLUB}/invitations/<uuid:invitation>", club_members.invitation, name="invitation"),
    path(f"{CLUB}/players", clubs.players, name="players"),
    path(f"{CLUB}/personal-links", personal_links.personal_links, name="personal-links"),
    path(
        f"{CLUB}/personal-links/<own_id:player_id>", personal_links.player_link, name="player-link"
    ),
    path(f"{CLUB}/add-players", clubs.add_players, name="add-players"),
    path(f"{CLUB}/add-players/<int:number>", clubs.added_players, name="added-players"),
    path(f"{CLUB}/players/<own_id:player_id>", players.player, name="player"),
    path(
        f"{CLUB}/player-aliases/<uuid:alias>/<own_id:player_id>", players.alias, name="player-alias"
    ),
    path(
        f"{CLUB}/charts/places/<own_id:player_id>", players.places_chart, name="player-places-chart"
    ),
    path(f"{CLUB}/edit-player/<own_id:player_id>", edit_player.edit, name="edit-player"),
    path(f"{CLUB}/player-contact/<own_id:player_id>", edit_player.contact, name="player-contact"),
    path(f"{CLUB}/link-player/<own_id:player_id>", players.link, name="link-player"),
    path(f"{CLUB}/claim-player/<own_id:player_id>", players.claim, name="claim-player"),
    path(f"{CLUB}/merge-player/<own_id:player_id>", edit_player.merge, name="merge-player"),
    path(f"{CLUB}/unmerge-player/<own_id:player_id>", edit_player.unmerge, name="unmerge-player"),
    path(f"{CLUB}/erase-player/<own_id:player_id>", edit_player.erase, name="erase-player"),
    path(
        f"{CLUB}/erasure-request/<own_id:player_id>",
        edit_player.erasure_request,
        name="erasure-request",
    ),
    path(f"{CLUB}/player-data/<own_id:player_id>", edit_player.player_data, name="player-data"),
    path(f"{CLUB}/claims", players.claims, name="claims"),
    path(f"{CLUB}/claims/<uuid:claim>/decide", players.decide, name="decide-claim"),
    path(f"{CLUB}/mail", notices.mails, name="mails"),
    path(f"{CLUB}/webhooks", webhooks.webhooks, name="webhooks"),
    path(f"{CLUB}/webhooks/<uuid:webhook>", webhooks.webhook, name="webhook"),
    path(f"{CLUB}/mail/<int:number>", notices.mail, name="mail"),
    path(f"{CLUB}/mail/<int:number>/send", notices.send_again, name="send-mail-again"),
    path("account/hints", account.hints, name="hints"),
    path("account/names", account.own_names, name="own-names"),
    path("account/notifications", notices.notifications, name="notifications"),
    path("account/calendar", calendars.calendar_link, name="calendar-link"),
    path("calendar/<str:token>.ics", calendars.own_calendar, name="own-calendar"),
    path("fill-in/<slug:token>", attendance.fill_in, name="fill-in"),
    path("fill-in/for/<own_id:token>", attendance.own_fill_in, name="own-fill-in"),
    path("notices", notices.notices, name="notices"),
    path("notices/<uuid:notice>", notices.open_notice, name="open-notice"),
    path("will-you-come/<own_id:token>", me.answer_by_link, name="answer-link"),
    path("unsubscribe/<own_id:token>", notices.stop_mails, name="unsubscribe"),
    path(f"{CLUB}/house-rules", house_rules.house_rules_list, name="house-rules"),
    path(f"{CLUB}/new-house-rules", edit_house_rules.new, name="new-house-rules"),
    path(HOUSE, house_rules.house, name="house-rule"),
    path(f"{HOUSE}/change", edit_house_rules.change, name="change-house-rules"),
    path(f"{HOUSE}/archive", edit_house_rules.archive_page, name="archive-house-rules"),
    path(f"{HOUSE}/versions", house_rules.to_house),
    path(f"{HOUSE}/difference", house_rules.difference, name="house-difference"),
    path(f"{VERSION}", house_rules.version, name="house-version"),
    path(f"{VERSION}/score-sheet", variants.house_score_sheet, name="house-score-sheet"),
    path(f"{VERSION}/card", house_rules.version_card, name="house-card"),
    path(f"{VERSION}.toml", house_rules.version_file, name="house-version-file"),
    path(f"{VERSION}/delete", edit_house_rules.delete, name="delete-house-version"),
    path(f"{CLUB}/seasons", seasons.season_list, name="seasons"),
    path(f"{CLUB}/new-season", seasons.new_season, name="new-season"),
    path(SEASON, seasons.season, name="season"),
    path(f"{SEASON}/change", seasons.change, name="change-season"),
    path(f"{SEASON}/standings", seasons.to_season),
    path(f"{SEASON}/standings.csv", seasons.season_csv, name="season-csv"),
    path(f"{SEASON}/publications/<int:number>", seasons.season, name="season-publication"),
    path(f"{CLUB}/new-event", new_event.new_event, name="new-event"),
    path(f"{EVENT}/direct", manage_event.manage_event, name="manage-event"),
    path(f"{EVENT}/settings", settings.settings_page, name="settings"),
    path(f"{EVENT}/archive", change_event.archive, name="archive-event"),
    path(f"{EVENT}/delete", change_event.delete, name="delete-event"),
    path(f"{EVENT}/name", change_event.rename_event, name="rename-event"),
    path(f"{EVENT}/visibility", change_event.visibility, name="visibility"),
    path(f"{EVENT}/settings/change", settings.change, name="change-settings"),
    path(f"{EVENT}/next", change_event.next_event, name="next-event"),
    path(f"{EVENT}/use-version", edit_house_rules.use, name="use-version"),
    path(f"{EVENT}/new-round", rounds.new_round, name="new-round"),
    path(f"{ROUND}/direct", rounds.manage_round, name="manage-round"),
    path(f"{ROUND}/new-table", seating.new_table, name="new-table"),
    path(f"{EVENT}/links", table_links.event_links, name="event-links"),
    path(f"{ROUND}/links", table_links.round_links, name="round-links"),
    path(f"{ROUND}/print", table_sheets.print_round, name="print-round"),
    path(f"{TABLE}/link", table_links.table_link, name="table-link"),
    path(f"{TABLE}/close", rounds.close_table, name="close-table"),
    path(f"{HAND}/void", preview_correction.void, name="void-hand"),
    path(f"{TABLE}/change-players", change_players.change_page, name="change-players"),
    path(f"{TABLE}/move-hands", move_hands.move_page, name="move-hands"),
    path(f"{TABLE}/seating", seating.table_seating, name="table-seating"),
    path(f"{EVENT}/standings", history.as_of, name="standings"),
    path(f"{EVENT}/standings.csv", standings.standings_csv, name="standings-csv"),
    path(f"{EVENT}/results.atom", embed_and_feed.results_feed, name="results-feed"),
    path(f"{EVENT}/embed", embed_and_feed.embed, name="embed"),
    path(f"{EVENT}/screen", big_screens.round_screen, name="round-screen"),
    path(f"{EVENT}/changes", change_log.changes, name="change-log"),
    path(f"{EVENT}/publications", standings.publications, name="publications"),
    path(PUBLICATION, standings.publication, name="publication"),
    path(
        f"{PUBLICATION}/difference/<int:other>", history.difference, name="publication-difference"
    ),
    path(f"{EVENT}/head-to-head", history.head_to_head, name="head-to-head"),
    path(f"{EVENT}/charts/places/<own_id:player_id>", history.places_chart, name="places-chart"),
    path(f"{EVENT}/players/<own_id:player_id>", players.entrant, name="entrant"),
    path(f"{EVENT}/result-notes/new", result_notes.new_result_note, name="new-result-note"),
    path(
        f"{EVENT}/result-notes/<int:number>/answer",
        result_notes.answer,
        name="answer-result-note",
    ),
    path(f"{LADDER}.csv", ladders.ladder_csv, name="ladder-csv"),
    path(f"{LADDER}/moves", ladders.moves, name="ladder-moves"),
    path(f"{LADDER}/rules", rules.rules, name="ladder-rules"),
    path(f"{LADDER}/rules/change", rules.change, name="change-ladder-rules"),
    path(f"{LADDER}/what-if", members.what_if, name="what-if"),
    path(f"{LADDER}/publications/<int:number>", ladders.publication, name="ladder-publication"),
    path(f"{LADDER}/members/<own_id:player_id>", members.member, name="ladder-member"),
    path(f"{EVENT}/charts/ratings/<own_id:player_id>", members.ratings_chart, name="ratings-chart"),
    path(f"{EVENT}/ratings", ladders.ratings, name="ratings"),
    path(f"{EVENT}/challenges", challenges.challenges, name="challenges"),
    path(f"{EVENT}/challenges/new", challenges.new, name="new-challenge"),
    path(f"{EVENT}/challenges/<int:number>", challenges.challenge, name="challenge"),
    path(f"{EVENT}/challenges/<int:number>/move", challenges.move, name="move-challenge"),
    path(f"{EVENT}/challenges/<int:number>/result", challenges.result, name="challenge-result"),
    path(f"{EVENT}/challenges/<int:number>/wrong", challenges.wrong, name="dispute-result"),
    path(f"{EVENT}/absences", members.absences, name="absences"),
    path(f"{EVENT}/absences/new", members.new, name="new-absence"),
    path(f"{EVENT}/absences/end", members.end, name="end-absence"),
    path(f"{EVENT}/ledger", adjustments.adjustments_page, name="adjustments"),
    path(f"{EVENT}/ledger/new", adjustments.new_adjustment, name="new-adjustment"),
    path(f"{EVENT}/ledger/<int:number>/withdraw", adjustments.withdraw, name="withdraw-adjustment"),
    path(f"{EVENT}/opening-values", adjustments.opening_values_page, name="opening-values"),
    path(f"{EVENT}/opening-values/list", adjustments.season_so_far, name="season-so-far"),
    path(f"{EVENT}/opening-values/new", adjustments.new_opening_value, name="new-opening-value"),
    path(
        f"{EVENT}/opening-values/<int:number>/withdraw",
        adjustments.withdraw_value,
        name="withdraw-opening-value",
    ),
    path(f"{EVENT}/playoffs", playoffs.playoffs, name="playoffs"),
    path(f"{EVENT}/playoffs/<int:number>", playoffs.playoff, name="playoff"),
    path(f"{EVENT}/playoffs/<int:number>/direct", playoffs.manage_playoff, name="manage-playoff"),
    path(f"{EVENT}/stages", stages.stages, name="stages"),
    path(f"{EVENT}/stages/new", stages.new_cut, name="new-cut"),
    path(f"{EVENT}/stages/add", stages.new_stage, name="new-stage"),
    path(f"{STAGE}/plan", stages.change_planned_stage, name="plan-stage"),
    path(f"{STAGE}/standings", standings.stage_standings, name="stage-standings"),
    path(f"{STAGE}/bracket", bracket.bracket, name="bracket"),
    path(f"{STAGE}/direct", stages.manage_stage, name="manage-stage"),
    path(f"{EVENT}/entrants", entrants.entrants, name="entrants"),
    path(f"{EVENT}/add-entrants", entrants.add_entrants, name="add-entrants"),
    path(f"{EVENT}/new-entrant", entrants.new_entrant, name="new-entrant"),
    path(
        f"{EVENT}/entrants/<own_id:entrant>/direct", entrants.manage_entrant, name="manage-entrant"
    ),
    path(f"{ROUND}/sit-outs", entrants.round_sit_outs, name="sit-outs"),
    path(f"{EVENT}/disputes", disputes.disputes, name="disputes"),
    path(f"{EVENT}/disputes/<int:number>/rule", disputes.rule, name="rule-on-dispute"),
    path(f"{EVENT}/disputes/<int:number>/withdraw", disputes.withdraw, name="withdraw-dispute"),
    path(f"{TABLE}/dispute", disputes.dispute, name="dispute"),
    path(f"{EVENT}/meetings", score_sheet.meetings, name="meetings"),
    path(MEETING, evenings.evening, name="evening"),
    path(f"{MEETING}/end", evenings.end, name="end-evening"),
    path(f"{MEETING}/change", meetings.change_evening, name="change-meeting"),
    path(f"{EVENT}/tonight", meetings.start_tonight, name="start-tonight"),
    path(f"{EVENT}/new-meeting", meetings.new_meeting, name="new-meeting"),
    path(f"{MEETING}/attendance", attendance.attendance, name="attendance"),
    path(f"{MEETING}/messages", notices.texts_to_copy, name="texts-to-copy"),
    path(f"{MEETING}/plans", seating_plans.plans, name="seating-plans"),
    path(f"{EVENT}/boards", boards.boards, name="boards"),
    path(f"{EVENT}/boards/new", boards.new_boards, name="new-boards"),
    path(f"{EVENT}/boards/deals", boards.deals, name="deals"),
    path(f"{EVENT}/boards/hand-records", boards.print_hand_records, name="print-hand-records"),
    path(f"{EVENT}/boards/<int:number>", boards.board, name="board-of-event"),
    path(f"{EVENT}/constraints", seating_plans.constraints, name="seating-constraints"),
    path(f"{MEETING}/seating", evening_seating.evening_seating, name="evening-seating"),
    path(
        f"{MEETING}/players/<own_id:player_id>", score_sheet.player_evening, name="player-evening"
    ),
    path(f"{MEETING}/coming", me.answer, name="will-you-come"),
    path(f"{MEETING}/check-in", me.check_in, name="check-in"),
    path(f"{MEETING}/check-in/code", me.check_in_code, name="check-in-code"),
    path(f"{EVENT}/rounds", score_sheet.to_meetings),
    path(ROUND, evening_seating.round_page, name="round"),
    path(f"{ROUND}/extend", rounds.extend_round, name="extend-round"),
    path(f"{EVENT}/imports", imports.batches, name="imports"),
    path(f"{EVENT}/sheets.csv", imports.sheets_csv, name="sheets-csv"),
    path(f"{EVENT}/sheets.xlsx", imports.sheets_xlsx, name="sheets-xlsx"),
    path(f"{EVENT}/imports/new", imports.upload, name="upload"),
    path(IMPORT, imports.batch, name="import"),
    path(f"{IMPORT}/columns", column_mapping.columns, name="column-mapping"),
    path(f"{CLUB}/mappings", column_mapping.mappings, name="mappings"),
    path(f"{CLUB}/mappings/<int:number>", column_mapping.mapping, name="mapping"),
    path(f"{IMPORT}/keep-mapping", column_mapping.save_mapping, name="import-keep-mapping"),
    path(f"{IMPORT}/confirm", imports.confirm, name="import-confirm"),
    path(f"{IMPORT}/players", imports.add_people, name="import-players"),
    path(f"{IMPORT}/likely", imports.take_likely, name="import-likely"),
    path(f"{IMPORT}/discard", imports.discard, name="import-discard"),
    path(f"{IMPORT}/problems/<int:position>", resolve_problem.problem, name="problem"),
    path(f"{IMPORT}/undo", imports.undo, name="import-undo"),
    path(f"{IMPORT}/undone-hands.csv", imports.undone_csv, name="undone-csv"),
    path(f"{IMPORT}/again", imports.restart_import, name="import-again"),
    path("account", account.account, name="account"),
    path("account/data", edit_player.account_data, name="account-data"),
    path("account/sessions", account.end_sessions, name="end-sessions"),
    path("account/passkey", account.offer_passkey, name="offer-passkey"),
    path("account/delete", account.delete_account, name="delete-account"),
    path(f"{TABLE}/grid", grid.grid, name="grid"),
    path(f"{TABLE}/grid/second", double_entry.enter_second, name="double-entry"),
    path(f"{TABLE}/grid/differences", double_entry.differences, name="double-entry-differences"),
    path(f"{EVENT}/paper-sheets", paper_sheets.paper_sheets, name="paper-sheets"),
    path(f"{ROUND}/pile", table_sheets.sheets_to_enter, name="sheets-to-enter"),
    path(f"{TABLE}/rules", variants.table_rules, name="table-rules"),
    path(f"{TABLE}/hands", score_sheet.to_table),
    path(f"{TABLE}/totals", enter_totals.totals, name="totals"),
    path(f"{TABLE}/read-back", table_sheets.verify_sheet, name="verify-sheet"),
    path(f"{TABLE}/photos", table_sheets.table_photos, name="photos"),
    path(f"{TABLE}/photos/<int:number>", table_sheets.photo, name="photo"),
    path(f"{TABLE}/photos/<int:number>/remove", table_sheets.remove, name="remove-photo"),
    path(HAND, score_sheet.hand, name="hand"),
    path(f"{HAND}/edit", enter_hand.edit_hand, name="edit-hand"),
    path(f"{HAND}/undo-entry", preview_correction.undo_entry, name="undo-entry"),
    path(f"{HAND}/undo", preview_correction.undo_revision, name="undo-hand"),
    path(f"{HAND}/revisions", score_sheet.to_hand),
]
