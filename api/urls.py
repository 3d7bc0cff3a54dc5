"""Addresses below `/api/v1/`: no trailing slash, `.csv` beside every list."""

from collections.abc import Mapping
from typing import Any, Final, cast

from django.urls import URLPattern, path, re_path, register_converter
from rest_framework.routers import DynamicRoute, Route, SimpleRouter

from api import schema_views
from api.query_parameters import NameConverter, NumberConverter
from api.resources import ResourceViewSet
from api.v1 import (
    access,
    attendance,
    audit,
    boards,
    chat_text,
    notices,
    playoffs,
    seating_plans,
    webhooks,
)
from api.v1 import people as people_api
from api.v1.clubs import aliases, clubs, contacts, members, people, players
from api.v1.events import entrants, events, result_notes, seasons, settings
from api.v1.hands import change_players, disputes, double_entry, hands, move_hands
from api.v1.imports import (
    enter_sheets,
    import_batches,
    import_columns,
    import_problems,
    import_upload,
)
from api.v1.ladders import challenges, ladders
from api.v1.rounds import meetings, seat_rounds, sheets, tables
from api.v1.rules import house_rules, variants
from api.v1.stages import bracket, stages
from api.v1.standings import evenings, files, history, standings

_ROW: Final = {
    "get": "retrieve",
    "post": "submit",
    "put": "update",
    "patch": "partial_update",
    "delete": "destroy",
}


class ResourceRouter(SimpleRouter):
    """Routes of viewsets: `.csv` beside each list, no slash at the end, operation ids as names."""

    routes = [  # noqa: RUF012 - as in the framework
        Route("{prefix}", {"get": "list", "post": "create"}, "", False, {}),
        DynamicRoute("{prefix}/{url_path}", "", False, {}),
        Route("{prefix}.csv", {"get": "list_csv"}, "", False, {}),
        Route("{prefix}/{lookup}", _ROW, "", True, {}),
        DynamicRoute("{prefix}/{lookup}/{url_path}", "", True, {}),
    ]

    def get_method_map(self, viewset: Any, method_map: Mapping[str, str]) -> dict[str, str]:
        actions = super().get_method_map(viewset, method_map)
        has_list = not vars(viewset).keys().isdisjoint(("get_queryset", "rows_selector"))
        return {key: name for key, name in actions.items() if has_list or "list" not in name}


class SingleRouter(ResourceRouter):
    """Routes of a viewset with one row, which has the address itself."""

    routes = [  # noqa: RUF012 - as in the framework
        Route("{prefix}", _ROW, "", True, {}),
        DynamicRoute("{prefix}/{url_path}", "", True, {}),
    ]


CLUB: Final = "clubs/<name:club>"
HOUSE: Final = f"{CLUB}/variants/<name:house>"
EVENT: Final = f"{CLUB}/events/<name:event>"
TABLE: Final = f"{EVENT}/tables/<name:code>"


def routes(prefix: str, viewset: type[ResourceViewSet]) -> list[URLPattern]:
    """Return the addresses of a viewset; each view has its operations and rights by method."""
    kind = SingleRouter if viewset.is_single else ResourceRouter
    router = kind(trailing_slash=False, use_regex_path=False)
    lookup = router.get_lookup_regex(viewset)
    return [
        _address(viewset, route.url.format(prefix=prefix, lookup=lookup), mapping, route.detail)
        for route in router.get_routes(viewset)
        if (mapping := router.get_method_map(viewset, route.mapping))
    ]


def read_at(route: str, view: Any) -> URLPattern:
    """Return the address of a view with `@reading`, under the name of its operation."""
    return cast("URLPattern", path(route, view, name=view.cls.__name__))


def _address(viewset: Any, url: str, mapping: dict[str, str], detail: bool) -> URLPattern:
    view = viewset.as_view(mapping, detail=detail)
    declared = {method: viewset(action=name).declared for method, name in mapping.items()}
    view.operations = {method: each.operation_id for method, each in declared.items()}
    view.rights = {method: each.right for method, each in declared.items()}
    if "get" in mapping:
        view.rights["head"] = view.rights["get"]
    return cast("URLPattern", path(url, view, name=next(iter(view.operations.values()))))


register_converter(NameConverter, "name")
register_converter(NumberConverter, "number")

VERSION: Final = f"{HOUSE}/versions/<number:number>"
SEASON: Final = f"{CLUB}/seasons/<name:season>"
HAND: Final = f"{TABLE}/hands/<number:number>"
IMPORT: Final = f"{EVENT}/imports/<number:number>"
LADDER: Final = f"{EVENT}/ladder"
PUBLICATION: Final = f"{EVENT}/publications/<number:number>"

urlpatterns: list[URLPattern] = [
    # What is asked most comes first: an address is compared with one pattern after the other.
    read_at(f"{EVENT}/standings", standings.read_standings),
    read_at(f"{EVENT}/standings.csv", standings.read_standings_csv),
    *files.paths(files.SEASON, f"{SEASON}/standings", f"{SEASON}/publications/<number:number>"),
    *standings.list_publications.paths(f"{EVENT}/publications"),
    read_at(PUBLICATION, standings.read_publication),
    read_at(f"{PUBLICATION}.csv", standings.read_publication_csv),
    *files.paths(files.STANDINGS, f"{EVENT}/standings", PUBLICATION),
    read_at(f"{PUBLICATION}/difference/<number:other>", history.read_difference),
    read_at(f"{EVENT}/history", history.read_history),
    read_at(f"{EVENT}/history.csv", history.read_history_csv),
    *history.list_head_to_head.paths(f"{EVENT}/head-to-head"),
    *history.list_met.paths(f"{EVENT}/players/<name:player_id>/head-to-head"),
    *files.paths(files.LADDER, LADDER, f"{LADDER}/publications/<number:number>"),
    *standings.list_metrics.paths("metrics"),
    *hands.list_hands.paths(f"{EVENT}/hands"),
    *routes(f"{EVENT}/disputes", disputes.DisputeViewSet),
    *routes(f"{EVENT}/result-notes", result_notes.ResultNoteViewSet),
    *routes(f"{TABLE}/double-entry", double_entry.DoubleEntryViewSet),
    *routes(f"{TABLE}/double-entry/<number:number>", double_entry.DecisionViewSet),
    *routes(f"{TABLE}/disputed-hands", disputes.DisputedHandViewSet),
    *routes(f"{TABLE}/totals", hands.TotalsViewSet),
    *routes(f"{TABLE}/seats", change_players.SeatsViewSet),
    *routes(f"{TABLE}/moved-hands", move_hands.MovedHandsViewSet),
    *routes(f"{TABLE}/hands", hands.HandViewSet),
    *routes(f"{TABLE}/disputes", disputes.TableDisputeViewSet),
    read_at("me", people_api.read_me),
    *routes("me/notifications", people_api.NotificationsViewSet),
    *routes("me/notifications/<name:club>", people_api.NotificationViewSet),
    *routes(f"{CLUB}/mail", notices.MailViewSet),
    *routes(f"{CLUB}/waiting", notices.WaitingViewSet),
    read_at("search", clubs.search),
    read_at(f"{CLUB}/search", clubs.search_club),
    *routes("clubs", clubs.ClubViewSet),
    *routes(f"{CLUB}/logo", clubs.LogoViewSet),
    *routes(f"{CLUB}/delete", clubs.ClubDeletionViewSet),
    read_at(f"{CLUB}/export", clubs.export_club),
    *routes(f"{CLUB}/players", players.PlayerViewSet),
    *routes(f"{CLUB}/rosters", players.RosterViewSet),
    *routes(f"{CLUB}/players/<name:player_id>/aliases", aliases.AliasViewSet),
    *routes(f"{CLUB}/players/<name:player_id>/contact", contacts.ContactViewSet),
    *routes(f"{CLUB}/players/<name:player_id>/personal-link", contacts.PersonalLinkViewSet),
    *routes(f"{CLUB}/personal-links", contacts.PersonalLinksViewSet),
    *routes(f"{CLUB}/players/<name:player_id>/link", members.PlayerLinkViewSet),
    *routes(f"{CLUB}/players/<name:player_id>/claim", members.NewClaimViewSet),
    *routes(f"{CLUB}/players", people.PlayerActViewSet),
    *routes(f"{CLUB}/players/<name:player_id>/results", players.PlayerResultViewSet),
    *routes(f"{CLUB}/players/<name:player_id>/opponents", players.OpponentViewSet),
    read_at(f"{CLUB}/players/<name:player_id>/records", players.read_player_records),
    read_at(f"{CLUB}/players/<name:player_id>/data", people.read_player_data),
    *routes(f"{CLUB}/claims", members.ClaimViewSet),
    *routes(f"{CLUB}/members", members.MemberViewSet),
    *routes(f"{CLUB}/invitations", members.InvitationViewSet),
    *routes(f"{CLUB}/audit", audit.AuditViewSet),
    *routes(f"{CLUB}/audit/refused", audit.RefusedActViewSet),
    *routes("tokens", access.TokenViewSet),
    *routes(f"{CLUB}/tokens", access.ClubTokenViewSet),
    *routes(f"{EVENT}/links", access.LinkViewSet),
    *routes(f"{EVENT}/rounds/<number:number>/links", access.RoundLinkViewSet),
    *routes(f"{CLUB}/webhooks", webhooks.WebhookViewSet),
    *routes(f"{CLUB}/webhooks/<name:webhook>/deliveries", webhooks.DeliveryViewSet),
    *routes(f"{CLUB}/seasons", seasons.SeasonViewSet),
    read_at(f"{SEASON}/standings", seasons.read_season_standings),
    read_at(f"{SEASON}/standings.csv", seasons.read_season_standings_csv),
    read_at(f"{SEASON}/publications/<number:number>", seasons.read_season_publication),
    read_at(f"{SEASON}/publications/<number:number>.csv", seasons.read_season_publication_csv),
    *routes(f"{CLUB}/events", events.EventViewSet),
    *routes(f"{EVENT}/settings", settings.SettingsViewSet),
    *routes(f"{EVENT}/entrants", entrants.EntrantViewSet),
    *routes(f"{EVENT}/rosters", entrants.EntrantListViewSet),
    *routes(f"{EVENT}/ledger", entrants.LedgerViewSet),
    *routes(f"{EVENT}/opening-values", entrants.OpeningValueViewSet),
    *settings.list_changes.paths(f"{EVENT}/changes"),
    *routes(f"{EVENT}/jobs", events.JobViewSet),
    *routes(f"{EVENT}/stages", stages.StageViewSet),
    read_at(f"{EVENT}/stages/<number:number>/standings", stages.read_stage_standings),
    read_at(f"{EVENT}/stages/<number:number>/bracket", bracket.read_bracket),
    read_at(f"{EVENT}/stages/<number:number>/answers", stages.read_cut_answers),
    *routes(f"{TABLE}/walk-overs", bracket.WalkOverViewSet),
    *routes(f"{CLUB}/variants", house_rules.HouseRulesViewSet),
    read_at(f"{HOUSE}/card", house_rules.read_house_rules_card),
    read_at(f"{HOUSE}/entry-schema", house_rules.read_house_entry_schema),
    *routes(f"{HOUSE}/versions", house_rules.HouseVersionViewSet),
    read_at(f"{VERSION}.toml", house_rules.read_house_version_toml),
    read_at(f"{VERSION}/card", house_rules.read_house_version_card),
    read_at(f"{VERSION}/entry-schema", house_rules.read_house_version_entry_schema),
    *variants.list_variants.paths("variants"),
    read_at("variants/<name:variant>", variants.read_variant),
    read_at("variants/<name:variant>/card", variants.read_rules_card),
    read_at("variants/<name:variant>/entry-schema", variants.read_entry_schema),
    read_at("score", variants.score),
    read_at(LADDER, ladders.read_ladder),
    read_at(f"{LADDER}.csv", ladders.read_ladder_csv),
    read_at(f"{LADDER}/publications/<number:number>", ladders.read_ladder_publication),
    read_at(f"{LADDER}/publications/<number:number>.csv", ladders.read_ladder_publication_csv),
    *ladders.list_moves.paths(f"{LADDER}/moves"),
    *ladders.list_history.paths(f"{LADDER}/members/<name:player_id>/ratings"),
    read_at(f"{LADDER}/members/<name:player_id>", ladders.read_ladder_member),
    read_at(f"{LADDER}/what-if", ladders.read_ladder_what_if),
    *ladders.list_ratings.paths(f"{EVENT}/ratings"),
    *routes(f"{EVENT}/challenges", challenges.ChallengeViewSet),
    *routes(f"{EVENT}/absences", challenges.AbsenceViewSet),
    *routes(f"{EVENT}/meetings/<name:day>/plans", seating_plans.MeetingPlanViewSet),
    *routes(f"{EVENT}/meetings/<name:day>/next-round", seating_plans.NextRoundViewSet),
    *routes(f"{EVENT}/meetings/<name:day>/tables", tables.NightTablesViewSet),
    *routes(f"{EVENT}/plans", seating_plans.PlanViewSet),
    *routes(f"{EVENT}/constraints", seating_plans.ConstraintViewSet),
    read_at(f"{EVENT}/rounds/<number:number>/seating-list.pdf", sheets.print_seating_list),
    read_at(f"{EVENT}/rounds/<number:number>/table-cards.pdf", sheets.print_table_cards),
    read_at(f"{EVENT}/rounds/<number:number>/score-sheets.pdf", sheets.print_score_sheets),
    read_at(f"{EVENT}/rounds/<number:number>/seating.txt", chat_text.read_seating_text),
    read_at(f"{EVENT}/meetings/<name:day>/standings", evenings.read_evening_standings),
    read_at(f"{EVENT}/meetings/<name:day>/standings.csv", evenings.read_evening_standings_csv),
    *evenings.list_excused_entrants.paths(f"{EVENT}/meetings/<name:day>/excused"),
    *evenings.list_evening_results.paths(f"{EVENT}/meetings/<name:day>/results"),
    read_at(f"{EVENT}/meetings/<name:day>/results/<number:number>", evenings.read_evening_result),
    read_at(
        f"{EVENT}/meetings/<name:day>/results/<number:number>.csv",
        evenings.read_evening_result_csv,
    ),
    *files.result_paths(f"{EVENT}/meetings/<name:day>/results/<number:number>"),
    read_at(f"{EVENT}/meetings/<name:day>/result.txt", chat_text.read_result_text),
    read_at(f"{EVENT}/meetings/<name:day>/expected.txt", chat_text.read_expected_text),
    read_at(f"{LADDER}/challenges.txt", chat_text.read_challenges_text),
    *routes(f"{EVENT}/meetings", meetings.MeetingViewSet),
    *routes(f"{EVENT}/meetings/<name:day>/attendance", attendance.AttendanceViewSet),
    *routes(f"{EVENT}/meetings/<name:day>/fill-in", attendance.FillInViewSet),
    *routes(f"{EVENT}/rounds", seat_rounds.RoundViewSet),
    *routes(f"{EVENT}/rounds/<number:number>/tables", tables.RoundTablesViewSet),
    *routes(f"{EVENT}/rounds/<number:number>/sit-outs", seat_rounds.SitOutViewSet),
    *routes(f"{EVENT}/tables", tables.TableViewSet),
    *routes(f"{TABLE}/sheet-check", sheets.SheetCheckViewSet),
    *routes(f"{TABLE}/photos", sheets.PhotoViewSet),
    read_at(f"{TABLE}/photos/<number:number>.jpg", sheets.read_photo),
    *tables.list_revisions.paths(f"{HAND}/revisions"),
    read_at(f"{VERSION}/score-sheet.pdf", sheets.print_house_blank_sheet),
    read_at("variants/<name:variant>/score-sheet.pdf", sheets.print_blank_sheet),
    *routes(f"{EVENT}/boards", boards.BoardViewSet),
    read_at(f"{EVENT}/boards/hand-records.pdf", boards.print_hand_records),
    *routes(f"{EVENT}/boards/delete", boards.DealsDeletionViewSet),
    *boards.list_results.paths(f"{EVENT}/boards/<number:number>/results"),
    *routes(f"{EVENT}/imports", import_upload.ImportViewSet),
    *routes(f"{EVENT}/sheets", enter_sheets.SheetsViewSet),
    read_at(f"{EVENT}/sheets.csv", import_batches.export_sheets),
    read_at(f"{EVENT}/sheets.xlsx", import_batches.export_sheets_xlsx),
    *routes(f"{IMPORT}/problems", import_problems.ProblemViewSet),
    *routes(f"{IMPORT}/columns", import_columns.ColumnsViewSet),
    *routes(f"{IMPORT}/mapping", import_columns.ImportMappingViewSet),
    *routes(f"{IMPORT}/undone-hands", import_batches.UndoneHandViewSet),
    *routes(f"{CLUB}/mappings", import_columns.MappingViewSet),
    *routes(f"{EVENT}/playoffs", playoffs.PlayoffViewSet),
    *routes(f"{EVENT}/stages/<number:number>/playoff", playoffs.StagePlayoffViewSet),
    read_at(f"{EVENT}/playoffs/<number:number>/answers", playoffs.read_playoff_answers),
    path("schema", schema_views.schema, name="schema"),
    path("docs", schema_views.reference, name="reference"),
    path("docs/errors.md", schema_views.error_codes, name="error_codes"),
    re_path("", schema_views.unknown_address, name="unknown_address"),
]
