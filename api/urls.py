"""Addresses below `/api/v1/`: no trailing slash, `.csv` beside every list."""

from typing import Final

from django.urls import URLPattern, path, re_path, register_converter

from api import documents
from api.parameters import Name, Number
from api.reference import together
from api.v1 import (
    batches,
    beside,
    cards,
    changes,
    clubs,
    disputes,
    entrants,
    entries,
    events,
    house_rules,
    imports,
    ledger,
    meetings,
    metrics,
    players,
    previews,
    score,
    seasons,
    settings,
    standings,
    tables,
    variants,
)

register_converter(Name, "name")
register_converter(Number, "number")

CLUB: Final = "clubs/<name:club>"
HOUSE: Final = f"{CLUB}/variants/<name:house>"
VERSION: Final = f"{HOUSE}/versions/<number:number>"
SEASON: Final = f"{CLUB}/seasons/<name:season>"
EVENT: Final = f"{CLUB}/events/<name:event>"
TABLE: Final = f"{EVENT}/tables/<name:code>"
HAND: Final = f"{TABLE}/hands/<number:number>"
PUBLICATION: Final = f"{EVENT}/publications/<number:number>"

urlpatterns: list[URLPattern] = [
    *clubs.CLUBS.paths("clubs"),
    path(CLUB, clubs.read_club, name="read_club"),
    *players.PLAYERS.paths(f"{CLUB}/players"),
    path(f"{CLUB}/players/<name:player_id>", players.read_player, name="read_player"),
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
    path(EVENT, events.read_event, name="read_event"),
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
        f"{PUBLICATION}/difference/<number:other>", beside.read_difference, name="read_difference"
    ),
    path(f"{EVENT}/history", beside.read_history, name="read_history"),
    path(f"{EVENT}/history.csv", beside.read_history_csv, name="read_history_csv"),
    *beside.HEAD_TO_HEAD.paths(f"{EVENT}/head-to-head"),
    *beside.MET.paths(f"{EVENT}/players/<name:player_id>/head-to-head"),
    *entrants.ENTRANTS.paths(f"{EVENT}/entrants"),
    *ledger.LEDGER.paths(f"{EVENT}/ledger", writes=ledger.add_ledger_line),
    path(
        f"{EVENT}/ledger/<number:number>/withdraw",
        ledger.withdraw_ledger_line,
        name="withdraw_ledger_line",
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
    *meetings.MEETINGS.paths(f"{EVENT}/meetings"),
    *meetings.ROUNDS.paths(f"{EVENT}/rounds"),
    path(f"{EVENT}/rounds/<number:number>", meetings.read_round, name="read_round"),
    path(TABLE, tables.read_table, name="read_table"),
    *tables.HANDS.paths(f"{TABLE}/hands", writes=entries.enter_hand),
    path(HAND, together(tables.read_hand, entries.revise_hand), name="read_hand"),
    *tables.REVISIONS.paths(f"{HAND}/revisions"),
    path(f"{HAND}/preview", previews.preview_hand, name="preview_hand"),
    *changes.CHANGES.paths(f"{EVENT}/changes"),
    *batches.IMPORTS.paths(f"{EVENT}/imports", writes=imports.import_sheets),
    path(f"{EVENT}/imports/<number:number>", batches.read_import, name="read_import"),
    path(f"{EVENT}/sheets.csv", batches.export_sheets, name="export_sheets_csv"),
    *batches.PROBLEMS.paths(f"{EVENT}/imports/<number:number>/problems"),
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
    path(f"{VERSION}.toml", house_rules.read_house_version_toml, name="read_house_version_toml"),
    path(
        f"{VERSION}/entry-schema",
        house_rules.read_house_version_entry_schema,
        name="read_house_version_entry_schema",
    ),
    *metrics.METRICS.paths("metrics"),
    *variants.VARIANTS.paths("variants"),
    path("variants/<name:variant>", variants.read_variant, name="read_variant"),
    path("variants/<name:variant>/card", cards.read_rules_card, name="read_rules_card"),
    path(
        "variants/<name:variant>/entry-schema",
        variants.read_entry_schema,
        name="read_entry_schema",
    ),
    path("score", score.score, name="score"),
    path("schema", documents.schema, name="schema"),
    path("docs", documents.reference, name="reference"),
    path("docs/errors.md", documents.error_codes, name="error_codes"),
    re_path("", documents.unknown_address, name="unknown_address"),
]
