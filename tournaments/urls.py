"""Addresses of the pages: those of REST without `/api/v1`, and a few of their own."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from tournaments.views.access import open_link, table_links
from tournaments.views.clubs import clubs, players, public
from tournaments.views.events import (
    adjustments,
    change_log,
    copy_event,
    cuts,
    entrants,
    manage_event,
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
    score_sheet,
    undo_hand,
    void_hand,
)
from tournaments.views.http import theme
from tournaments.views.imports import column_mapping, imports, resolve_problem, uploads
from tournaments.views.ladders import absences, challenges, ladders, members, rules
from tournaments.views.offline import pwa
from tournaments.views.playoffs import playoffs
from tournaments.views.rounds import (
    boards,
    close_table,
    photos,
    rounds,
    seating,
    sheet_verification,
)
from tournaments.views.rules import edit_house_rules, house_rules, variants
from tournaments.views.standings import history, standings


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

urlpatterns = [
    path("", public.club_list, name="clubs"),
    path("sw.js", pwa.service_worker, name="service-worker"),
    path("manifest.webmanifest", pwa.manifest, name="manifest"),
    path("on-this-phone", pwa.on_this_phone, name="on-this-phone"),
    path("theme", theme.theme, name="theme"),
    path("t", open_link.enter_code, name="enter-code"),
    path("t/<own_id:token>", open_link.open_link, name="open-link"),
    path("my-tables", table_links.my_tables, name="my-tables"),
    path("clubs", public.to_club_list),
    path(CLUB, public.club, name="club"),
    path(f"{CLUB}/events", public.to_club),
    path("variants", variants.catalogue, name="variants"),
    path("variants/compare", variants.compare, name="compare"),
    path("variants/<str:variant>", variants.variant, name="variant"),
    path(f"{EVENT}/rules", variants.event_rules, name="event-rules"),
    path(f"{EVENT}/rules/<slug:version>", variants.snapshot, name="snapshot"),
    path("new-club", clubs.new_club, name="new-club"),
    path(f"{CLUB}/records", history.club_records, name="club-records"),
    path(f"{CLUB}/players", clubs.players, name="players"),
    path(f"{CLUB}/add-players", clubs.add_players, name="add-players"),
    path(f"{CLUB}/add-players/<int:number>", clubs.added_players, name="added-players"),
    path(f"{CLUB}/players/<own_id:player_id>", players.player, name="player"),
    path(f"{CLUB}/house-rules", house_rules.house_rules_list, name="house-rules"),
    path(f"{CLUB}/new-house-rules", edit_house_rules.new, name="new-house-rules"),
    path(HOUSE, house_rules.house, name="house-rule"),
    path(f"{HOUSE}/change", edit_house_rules.change, name="change-house-rules"),
    path(f"{HOUSE}/archive", edit_house_rules.archive_page, name="archive-house-rules"),
    path(f"{HOUSE}/versions", house_rules.to_house),
    path(f"{HOUSE}/difference", house_rules.difference, name="house-difference"),
    path(f"{VERSION}", house_rules.version, name="house-version"),
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
    path(f"{CLUB}/new-event", manage_event.new_event, name="new-event"),
    path(f"{EVENT}/direct", manage_event.manage_event, name="manage-event"),
    path(f"{EVENT}/settings", settings.settings_page, name="settings"),
    path(f"{EVENT}/settings/change", settings.change, name="change-settings"),
    path(f"{EVENT}/next", copy_event.next_event, name="next-event"),
    path(f"{EVENT}/use-version", edit_house_rules.use, name="use-version"),
    path(f"{EVENT}/new-round", rounds.new_round, name="new-round"),
    path(f"{EVENT}/rounds/<int:number>/direct", rounds.manage_round, name="manage-round"),
    path(f"{EVENT}/rounds/<int:number>/new-table", seating.new_table, name="new-table"),
    path(f"{EVENT}/links", table_links.event_links, name="event-links"),
    path(f"{EVENT}/rounds/<int:number>/links", table_links.round_links, name="round-links"),
    path(f"{TABLE}/link", table_links.table_link, name="table-link"),
    path(f"{TABLE}/close", close_table.close_table, name="close-table"),
    path(f"{HAND}/void", void_hand.void, name="void-hand"),
    path(f"{TABLE}/change-players", change_players.change_page, name="change-players"),
    path(f"{TABLE}/seating", seating.table_seating, name="table-seating"),
    path(EVENT, standings.standings_page, name="event"),
    path(f"{EVENT}/standings", history.as_of, name="standings"),
    path(f"{EVENT}/standings.csv", standings.standings_csv, name="standings-csv"),
    path(f"{EVENT}/projector", boards.big_screen, name="big-screen"),
    path(f"{EVENT}/changes", change_log.changes, name="change-log"),
    path(f"{EVENT}/publications", standings.publications, name="publications"),
    path(f"{EVENT}/publications/<int:number>", standings.publication, name="publication"),
    path(
        f"{EVENT}/publications/<int:number>/difference/<int:other>",
        history.difference,
        name="publication-difference",
    ),
    path(f"{EVENT}/head-to-head", history.head_to_head, name="head-to-head"),
    path(f"{EVENT}/charts/places/<own_id:player_id>", history.places_chart, name="places-chart"),
    path(f"{EVENT}/players/<own_id:player_id>", players.entrant, name="entrant"),
    path(f"{EVENT}/ladder", ladders.ladder, name="ladder"),
    path(f"{EVENT}/ladder.csv", ladders.ladder_csv, name="ladder-csv"),
    path(f"{EVENT}/ladder/moves", ladders.moves, name="ladder-moves"),
    path(f"{EVENT}/ladder/rules", rules.rules, name="ladder-rules"),
    path(f"{EVENT}/ladder/rules/change", rules.change, name="change-ladder-rules"),
    path(f"{EVENT}/ladder/what-if", members.what_if, name="what-if"),
    path(
        f"{EVENT}/ladder/publications/<int:number>", ladders.publication, name="ladder-publication"
    ),
    path(f"{EVENT}/ladder/members/<own_id:player_id>", members.member, name="ladder-member"),
    path(
        f"{EVENT}/charts/ratings/<own_id:player_id>",
        members.ratings_chart,
        name="ratings-chart",
    ),
    path(f"{EVENT}/ratings", ladders.ratings, name="ratings"),
    path(f"{EVENT}/challenges", challenges.challenges, name="challenges"),
    path(f"{EVENT}/challenges/new", challenges.new, name="new-challenge"),
    path(f"{EVENT}/challenges/<int:number>", challenges.challenge, name="challenge"),
    path(f"{EVENT}/challenges/<int:number>/move", challenges.move, name="move-challenge"),
    path(f"{EVENT}/challenges/<int:number>/result", challenges.result, name="challenge-result"),
    path(f"{EVENT}/absences", absences.absences, name="absences"),
    path(f"{EVENT}/absences/new", absences.new, name="new-absence"),
    path(f"{EVENT}/absences/end", absences.end, name="end-absence"),
    path(f"{EVENT}/ledger", adjustments.adjustments_page, name="adjustments"),
    path(f"{EVENT}/ledger/new", adjustments.new_adjustment, name="new-adjustment"),
    path(f"{EVENT}/ledger/<int:number>/withdraw", adjustments.withdraw, name="withdraw-adjustment"),
    path(f"{EVENT}/playoffs", playoffs.playoffs, name="playoffs"),
    path(f"{EVENT}/playoffs/<int:number>", playoffs.playoff, name="playoff"),
    path(f"{EVENT}/playoffs/<int:number>/direct", playoffs.manage_playoff, name="manage-playoff"),
    path(f"{EVENT}/stages", cuts.stages, name="stages"),
    path(f"{EVENT}/stages/new", cuts.new_cut, name="new-cut"),
    path(f"{EVENT}/stages/<int:number>/direct", cuts.manage_stage, name="manage-stage"),
    path(f"{EVENT}/entrants", entrants.entrants, name="entrants"),
    path(f"{EVENT}/new-entrant", entrants.new_entrant, name="new-entrant"),
    path(
        f"{EVENT}/entrants/<own_id:entrant>/direct", entrants.manage_entrant, name="manage-entrant"
    ),
    path(f"{EVENT}/rounds/<int:number>/sit-outs", entrants.round_sit_outs, name="sit-outs"),
    path(f"{EVENT}/disputes", disputes.disputes, name="disputes"),
    path(f"{EVENT}/disputes/<int:number>/rule", disputes.rule, name="rule-on-dispute"),
    path(f"{EVENT}/disputes/<int:number>/withdraw", disputes.withdraw, name="withdraw-dispute"),
    path(f"{TABLE}/dispute", disputes.dispute, name="dispute"),
    path(f"{EVENT}/meetings", score_sheet.meetings, name="meetings"),
    path(f"{EVENT}/rounds", score_sheet.to_meetings),
    path(f"{EVENT}/rounds/<int:number>", score_sheet.round_, name="round"),
    path(f"{EVENT}/rounds/<int:number>/board", boards.round_board, name="board"),
    path(f"{EVENT}/imports", imports.batches, name="imports"),
    path(f"{EVENT}/sheets.csv", imports.sheets_csv, name="sheets-csv"),
    path(f"{EVENT}/sheets.xlsx", imports.sheets_xlsx, name="sheets-xlsx"),
    path(f"{EVENT}/imports/new", uploads.upload, name="upload"),
    path(f"{EVENT}/imports/<int:number>", imports.batch, name="import"),
    path(f"{EVENT}/imports/<int:number>/columns", column_mapping.columns, name="column-mapping"),
    path(f"{CLUB}/mappings", column_mapping.mappings, name="mappings"),
    path(f"{CLUB}/mappings/<int:number>", column_mapping.mapping, name="mapping"),
    path(
        f"{EVENT}/imports/<int:number>/keep-mapping",
        column_mapping.save_mapping,
        name="import-keep-mapping",
    ),
    path(f"{EVENT}/imports/<int:number>/confirm", uploads.confirm, name="import-confirm"),
    path(f"{EVENT}/imports/<int:number>/discard", uploads.discard, name="import-discard"),
    path(
        f"{EVENT}/imports/<int:number>/problems/<int:position>",
        resolve_problem.problem,
        name="problem",
    ),
    path(f"{EVENT}/imports/<int:number>/undo", uploads.undo, name="import-undo"),
    path(f"{EVENT}/imports/<int:number>/undone-hands.csv", imports.undone_csv, name="undone-csv"),
    path(f"{EVENT}/imports/<int:number>/again", uploads.restart_import, name="import-again"),
    path(TABLE, score_sheet.table, name="table"),
    path(f"{TABLE}/grid", grid.grid, name="grid"),
    path(f"{TABLE}/grid/second", double_entry.enter_second, name="double-entry"),
    path(f"{TABLE}/grid/differences", double_entry.differences, name="double-entry-differences"),
    path(f"{EVENT}/rounds/<int:number>/pile", grid.sheets_to_enter, name="sheets-to-enter"),
    path(f"{TABLE}/rules", variants.table_rules, name="table-rules"),
    path(f"{TABLE}/hands", score_sheet.to_table),
    path(f"{TABLE}/hands/new", enter_hand.new_hand, name="new-hand"),
    path(f"{TABLE}/totals", enter_totals.totals, name="totals"),
    path(f"{TABLE}/read-back", sheet_verification.verify_sheet, name="verify-sheet"),
    path(f"{TABLE}/photos", photos.table_photos, name="photos"),
    path(f"{TABLE}/photos/<int:number>", photos.photo, name="photo"),
    path(f"{TABLE}/photos/<int:number>/remove", photos.remove, name="remove-photo"),
    path(HAND, score_sheet.hand, name="hand"),
    path(f"{HAND}/edit", enter_hand.edit_hand, name="edit-hand"),
    path(f"{HAND}/undo", undo_hand.undo_hand, name="undo-hand"),
    path(f"{HAND}/revisions", score_sheet.to_hand),
]
