"""Rounds and tables: number and evening, rules, and seating."""

from collections.abc import Mapping, Sequence

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _

from scoring.rules.options import Option
from scoring.rules.rules import Rules
from tournaments.domain.stage_plan import LARGEST_TABLE
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.find_players import names_of
from tournaments.selectors.events import events
from tournaments.selectors.hands import score_sheet
from tournaments.selectors.rounds import round_seating
from tournaments.selectors.rounds.resolve_players import (
    Groups,
    free_players,
    players_at_seats,
    players_on_sides,
    side_text,
)
from tournaments.selectors.rounds.tables import side_shape
from tournaments.selectors.rules.rule_sets import offered_in, rules_of
from tournaments.services.rounds import seating
from tournaments.services.rounds.seating_checks import ASKED, has_pairs
from tournaments.views.hands.change_players import SeatingForm, change_player_links
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.find_players import is_sent_by, posted_at_table
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_manage
from tournaments.views.http.service_form import operation_of
from tournaments.views.rules.variant_options import (
    GameForm,
    GroupedGames,
    VariantSelection,
    asks_to_preview,
    grouped_games,
    selected_game,
)


class TableForm(SeatingForm, GameForm):
    def __init__(
        self,
        data: object = None,
        *,
        seats: int,
        names: Sequence[str] = (),
        options: Sequence[Option] = (),
        rules: Rules | None = None,
        games: GroupedGames,
        otherwise: str,
        shape: Sequence[Sequence[int]] = (),
    ) -> None:
        super().__init__(data, seats=seats, names=names, shape=shape)
        self.fields["variant"].label = _("Game at this table")
        self.choose_from(games, otherwise)
        self.ask_options(options, rules)
        self.order_fields(["variant", *(f"options-{option.name}" for option in options)])


@event_form_page(seating.seat_table)
def new_table(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Ask for the players and rules of the next table of a round; seat them."""
    round_ = events.get_round(event, number)
    otherwise = round_seating.snapshot_for(event, number)
    game = selected_game(request.POST.get("variant", ""), offered_in(event))
    form = _table_form(posted_at_table(request, event), game, otherwise, event)
    goes_on = is_sent_by(request, "more")
    is_sent = request.method == "POST" and form.is_valid()
    if is_sent and not asks_to_preview(request, form, game):
        with form.placing():
            seated = seating.seat_table(
                operation_of(request),
                event,
                round_number=round_.number,
                players=_find_players(event, round_, form),
                split_sides="split" in request.POST,
                variant=form.cleaned_data["variant"],
                options=form.chosen_options,
            )
            notice = _("Table %(number)s is seated.")
            messages.success(request, notice % {"number": seated.table.number})
            goes_on = goes_on and bool(_list_offers(event, round_, form))
            to = "new-table" if goes_on else "round"
            return go_to(to, event, number=number)
    context = {
        **_context(request, event, form, game, otherwise),
        "round": round_,
        "people": _list_offers(event, round_, form),
        "meant": "more" if goes_on else "",
    }
    below = (layout.round_link(event, number),)
    return render_manage(request, "rounds/new_table.html", event, context, form, below=below)


@event_form_page(seating.reseat_table)
def table_seating(request: PageRequest, event: Event, code: str) -> HttpResponse:
    """Ask for the players and rules of a table without hands, or remove it."""
    sheet = score_sheet.table_sheet(event, code)
    table_game = score_sheet.get_game(event, code)
    round_ = table_game.table.round
    sitting = names_of(event.club, seating.people_at(table_game))
    game = selected_game(request.POST.get("variant", ""), offered_in(event))
    form = _table_form(
        posted_at_table(request, event), game, table_game.snapshot, event, table_game
    )
    if "clear" in request.POST:
        sitting_fields = {f"seat-{n}": label for n, label in enumerate(sitting, 1)}
        form = _table_form(sitting_fields, game, table_game.snapshot, event)
    asks_removal = request.POST.get("clear") == "ask"
    is_sent = request.method == "POST" and form.is_valid() and not asks_removal
    if is_sent and asks_to_preview(request, form, game):
        is_sent = False
    if is_sent:
        with form.placing():
            notice = _reseat(request, event, code, form) % {"number": sheet.number}
            return done(request, notice, "manage-round", event, number=round_.number)
    context = {
        **_context(request, event, form, game, table_game.snapshot),
        "sheet": sheet,
        "people": [*sitting, *_list_offers(event, round_, form)],
        "asks_removal": asks_removal,
    }
    below = (layout.round_link(event, round_.number),)
    return render_manage(request, "rounds/table_seating.html", event, context, form, below=below)


def _table_form(
    fields: Mapping[str, str] | None,
    game: VariantSelection,
    otherwise: Snapshot,
    event: Event,
    table_game: Game | None = None,
) -> TableForm:
    """Return the form of a table with as many seats as the chosen game may have.

    Extra typed players stay, so that the refusal reports too many. If pairs compete and the game
    has sides, it has a field for each side; input typed for seats is still read as such.
    """
    rules = game.rules or rules_of(otherwise)
    most = rules.keys.players[1]
    typed_seats = [n for n in range(1, LARGEST_TABLE + 1) if fields and fields.get(f"seat-{n}")]
    shape = () if typed_seats or not has_pairs(event) else side_shape(rules, most)
    return TableForm(
        fields,
        seats=max(most, *typed_seats, 0),
        names=() if table_game is None else _sitting_as_typed(event, table_game, shape),
        options=game.options,
        rules=game.rules,
        games=grouped_games(game.offered),
        otherwise=otherwise.variant_name,
        shape=shape,
    )


def _sitting_as_typed(event: Event, game: Game, shape: Sequence[Sequence[int]]) -> tuple[str, ...]:
    people = seating.people_at(game)
    if not shape:
        return tuple(names_of(event.club, people))
    if len(people) != sum(map(len, shape)):
        return ()
    return tuple(side_text(event, [people[seat] for seat in side]) for side in shape)


def _list_offers(event: Event, round_: Round, form: TableForm) -> list[str]:
    pairs = Groups(event).free(round_) if form.shape else ()
    return [*pairs, *names_of(event.club, free_players(event.club, round_))]


def _context(
    request: PageRequest, event: Event, form: TableForm, game: VariantSelection, otherwise: Snapshot
) -> Mapping[str, object]:
    return {
        "form": form,
        "game": game,
        "otherwise": otherwise.variant_name,
        "is_open": "look" in request.POST or form.has_options_set,
        "may_add_guest": may_do(event, "add_guest"),
        "asks_sides": any(problem.code in ASKED for problem in form.placed),
        "refused_links": change_player_links(event, form.placed),
    }


def _find_players(
    event: Event, round_: Round, form: TableForm, but_table: int | None = None
) -> tuple[Player, ...]:
    if form.shape:
        return players_on_sides(
            event=event, round_=round_, typed=form.players(), shape=form.shape, but_table=but_table
        )
    return players_at_seats(
        club=event.club, round_=round_, typed=form.players(), but_table=but_table
    )


def _reseat(request: PageRequest, event: Event, code: str, form: TableForm) -> str:
    op = operation_of(request)
    game = score_sheet.get_game(event, code)
    if "clear" in request.POST:
        seating.clear_table(op, game)
        return _("Table %(number)s removed. You can restore it below.")
    seating.reseat_table(
        op,
        game,
        players=_find_players(event, game.table.round, form, but_table=game.table_id),
        split_sides="split" in request.POST,
        variant=form.cleaned_data["variant"],
        options=form.chosen_options,
    )
    return _("Seating of table %(number)s saved.")
