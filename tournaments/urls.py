"""Addresses of the pages: those of REST without `/api/v1`, and a few of their own."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from tournaments.views import (
    appearance,
    beside,
    boards,
    changes,
    closing,
    clubs,
    direct,
    disputes,
    entrance,
    entrants,
    grid,
    host,
    house_forms,
    house_rules,
    imports,
    ledger,
    links,
    mapping,
    next_events,
    offline,
    people,
    photos,
    public,
    read_back,
    rounds,
    second,
    settings,
    settling,
    sheets,
    totals,
    undoing,
    uploads,
    variants,
)


class ClubsOwnId(StringConverter):
    """A player's id as the club wrote it: any text, a slash or a line end included.

    A link's token is read so too: what is no token is answered as one that opens nothing.
    """

    regex = r"(?s:.+)"


register_converter(ClubsOwnId, "own_id")

app_name = "tournaments"

CLUB = "clubs/<slug:club>"
HOUSE = f"{CLUB}/house-rules/<slug:slug>"
VERSION = f"{HOUSE}/versions/<int:number>"
EVENT = f"{CLUB}/events/<slug:event>"
TABLE = f"{EVENT}/tables/<slug:code>"
HAND = f"{TABLE}/hands/<int:number>"

urlpatterns = [
    path("", public.club_list, name="clubs"),
    path("sw.js", offline.service_worker, name="service-worker"),
    path("manifest.webmanifest", offline.manifest, name="manifest"),
    path("on-this-phone", offline.on_this_phone, name="on-this-phone"),
    path("theme", appearance.theme, name="theme"),
    path("t", entrance.entrance, name="entrance"),
    path("t/<own_id:token>", entrance.open_link, name="open-link"),
    path("my-tables", links.my_tables, name="my-tables"),
    path("clubs", public.to_club_list),
    path(CLUB, public.club, name="club"),
    path(f"{CLUB}/events", public.to_club),
    path("variants", variants.catalogue, name="variants"),
    path("variants/compare", variants.compare, name="compare"),
    path("variants/<str:variant>", variants.variant, name="variant"),
    path(f"{EVENT}/rules", variants.event_rules, name="event-rules"),
    path(f"{EVENT}/rules/<slug:version>", variants.snapshot, name="snapshot"),
    path("new-club", clubs.new_club, name="new-club"),
    path(f"{CLUB}/records", beside.club_records, name="club-records"),
    path(f"{CLUB}/players", clubs.players, name="players"),
    path(f"{CLUB}/add-players", clubs.add_players, name="add-players"),
    path(f"{CLUB}/add-players/<int:number>", clubs.added_players, name="added-players"),
    path(f"{CLUB}/players/<own_id:player_id>", people.player, name="player"),
    path(f"{CLUB}/house-rules", house_rules.every, name="house-rules"),
    path(f"{CLUB}/new-house-rules", house_forms.new, name="new-house-rules"),
    path(HOUSE, house_rules.house, name="house-rule"),
    path(f"{HOUSE}/change", house_forms.change, name="change-house-rules"),
    path(f"{HOUSE}/archive", house_forms.archive_page, name="archive-house-rules"),
    path(f"{HOUSE}/versions", house_rules.to_house),
    path(f"{HOUSE}/difference", house_rules.difference, name="house-difference"),
    path(f"{VERSION}", house_rules.version, name="house-version"),
    path(f"{VERSION}/card", house_rules.version_card, name="house-card"),
    path(f"{VERSION}.toml", house_rules.version_file, name="house-version-file"),
    path(f"{VERSION}/delete", house_forms.delete, name="delete-house-version"),
    path(f"{CLUB}/new-event", direct.new_event, name="new-event"),
    path(f"{EVENT}/direct", direct.direct, name="direct"),
    path(f"{EVENT}/settings", settings.settings_page, name="settings"),
    path(f"{EVENT}/settings/change", settings.change, name="change-settings"),
    path(f"{EVENT}/next", next_events.next_event, name="next-event"),
    path(f"{EVENT}/use-version", house_forms.use, name="use-version"),
    path(f"{EVENT}/new-round", rounds.new_round, name="new-round"),
    path(f"{EVENT}/rounds/<int:number>/direct", rounds.direct_round, name="direct-round"),
    path(f"{EVENT}/rounds/<int:number>/new-table", rounds.new_table, name="new-table"),
    path(f"{EVENT}/links", links.event_links, name="event-links"),
    path(f"{EVENT}/rounds/<int:number>/links", links.round_links, name="round-links"),
    path(f"{TABLE}/link", links.table_link, name="table-link"),
    path(f"{TABLE}/close", closing.close_table, name="close-table"),
    path(f"{HAND}/void", closing.void, name="void-hand"),
    path(f"{TABLE}/seating", rounds.table_seating, name="table-seating"),
    path(EVENT, public.event, name="event"),
    path(f"{EVENT}/standings", beside.as_of, name="standings"),
    path(f"{EVENT}/standings.csv", public.standings_csv, name="standings-csv"),
    path(f"{EVENT}/projector", boards.projector, name="projector"),
    path(f"{EVENT}/changes", changes.changes, name="changes"),
    path(f"{EVENT}/publications", public.publications, name="publications"),
    path(f"{EVENT}/publications/<int:number>", public.publication, name="publication"),
    path(
        f"{EVENT}/publications/<int:number>/difference/<int:other>",
        beside.difference,
        name="difference",
    ),
    path(f"{EVENT}/head-to-head", beside.head_to_head, name="head-to-head"),
    path(f"{EVENT}/charts/places/<own_id:player_id>", beside.places_chart, name="places-chart"),
    path(f"{EVENT}/players/<own_id:player_id>", people.entrant, name="entrant"),
    path(f"{EVENT}/ledger", ledger.ledger, name="ledger"),
    path(f"{EVENT}/ledger/new", ledger.new_line, name="new-line"),
    path(f"{EVENT}/ledger/<int:number>/withdraw", ledger.withdraw, name="withdraw-line"),
    path(f"{EVENT}/entrants", entrants.entrants, name="entrants"),
    path(f"{EVENT}/new-entrant", entrants.new_entrant, name="new-entrant"),
    path(
        f"{EVENT}/entrants/<own_id:entrant>/direct", entrants.direct_entrant, name="direct-entrant"
    ),
    path(f"{EVENT}/rounds/<int:number>/sit-outs", entrants.round_sit_outs, name="sit-outs"),
    path(f"{EVENT}/disputes", disputes.disputes, name="disputes"),
    path(f"{EVENT}/disputes/<int:number>/rule", disputes.rule, name="rule-on-dispute"),
    path(f"{EVENT}/disputes/<int:number>/withdraw", disputes.withdraw, name="withdraw-dispute"),
    path(f"{TABLE}/dispute", disputes.dispute, name="dispute"),
    path(f"{EVENT}/meetings", sheets.meetings, name="meetings"),
    path(f"{EVENT}/rounds", sheets.to_meetings),
    path(f"{EVENT}/rounds/<int:number>", sheets.round_, name="round"),
    path(f"{EVENT}/rounds/<int:number>/board", boards.round_board, name="board"),
    path(f"{EVENT}/imports", imports.batches, name="imports"),
    path(f"{EVENT}/sheets.csv", imports.sheets_csv, name="sheets-csv"),
    path(f"{EVENT}/imports/new", uploads.upload, name="upload"),
    path(f"{EVENT}/imports/<int:number>", imports.batch, name="import"),
    path(f"{EVENT}/imports/<int:number>/columns", mapping.columns, name="columns"),
    path(f"{CLUB}/mappings", mapping.mappings, name="mappings"),
    path(f"{CLUB}/mappings/<int:number>", mapping.mapping, name="mapping"),
    path(f"{EVENT}/imports/<int:number>/confirm", uploads.confirm, name="import-confirm"),
    path(f"{EVENT}/imports/<int:number>/discard", uploads.discard, name="import-discard"),
    path(f"{EVENT}/imports/<int:number>/problems/<int:position>", settling.problem, name="problem"),
    path(f"{EVENT}/imports/<int:number>/undo", uploads.undo, name="import-undo"),
    path(f"{EVENT}/imports/<int:number>/again", uploads.again, name="import-again"),
    path(TABLE, sheets.table, name="table"),
    path(f"{TABLE}/grid", grid.grid, name="grid"),
    path(f"{TABLE}/grid/second", second.second, name="second"),
    path(f"{TABLE}/grid/differences", second.differences, name="differences"),
    path(f"{EVENT}/rounds/<int:number>/pile", grid.pile, name="pile"),
    path(f"{TABLE}/rules", variants.table_rules, name="table-rules"),
    path(f"{TABLE}/hands", sheets.to_table),
    path(f"{TABLE}/hands/new", host.new_hand, name="new-hand"),
    path(f"{TABLE}/totals", totals.totals, name="totals"),
    path(f"{TABLE}/read-back", read_back.read_back, name="read-back"),
    path(f"{TABLE}/photos", photos.table_photos, name="photos"),
    path(f"{TABLE}/photos/<int:number>", photos.photo, name="photo"),
    path(f"{TABLE}/photos/<int:number>/remove", photos.remove, name="remove-photo"),
    path(HAND, sheets.hand, name="hand"),
    path(f"{HAND}/edit", host.edit_hand, name="edit-hand"),
    path(f"{HAND}/undo", undoing.undo_hand, name="undo-hand"),
    path(f"{HAND}/revisions", sheets.to_hand),
]
