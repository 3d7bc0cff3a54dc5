"""Change the players of a table: form, preview, saving, undo, and the changes in words."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.entry.sheet import seat_names
from scoring.errors import Problem, one_stop
from scoring.json_types import JsonObject
from tournaments.domain.messages import sentence
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantKind, Event
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.find_players import named_players, names_of
from tournaments.selectors.events.entrants import find_with_results
from tournaments.selectors.events.events import event_url
from tournaments.selectors.hands import score_sheet
from tournaments.selectors.rounds.resolve_players import (
    TOGETHER,
    Groups,
    free_players,
    side_players,
    side_text,
)
from tournaments.selectors.rounds.tables import (
    get_group_of_players,
    player_changes,
    player_names,
    side_shape,
    table_seating,
)
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.events.entrants import add_entrant
from tournaments.services.hands.change_players import change_players, undo_players
from tournaments.services.hands.plan_player_changes import ChangedPlayers, PlayerChange
from tournaments.services.previewing.diff import Preview
from tournaments.services.previewing.preview_changes import change_as_previewed, preview_players
from tournaments.services.previewing.run_preview import PreviewOutdated
from tournaments.services.rounds.seating import people_at
from tournaments.services.rounds.seating_checks import ASKED, has_pairs
from tournaments.views.hands.hand_form_fields import number_in
from tournaments.views.hands.preview_correction import PREVIEWED, STAND_IN, boundaries_in_words
from tournaments.views.http.decorators import REFUSED, event_form_page
from tournaments.views.http.find_players import NamedPlayersForm, posted_at_table
from tournaments.views.http.layout import Link, PageRequest, link_to
from tournaments.views.http.pages import render_table
from tournaments.views.http.service_form import RefusalMessages, operation_of

PLAYER: Final = "seat-1"
"""The field of the player: the fields that names are resolved for are called so."""

SIDE: Final = "side-"
"""The value of a side among the seats begins so, and ends with one of its seats."""

SEATED: Final = ("player_already_seated", "player_sits_here")
"""Codes of refusals that a swap resolves."""

BACK: Final = "back"
"""Name of the field that says where the page leads afterwards."""

TO_SEATING: Final = "seating"
"""The value of that field for the page of the round."""

INSTEAD: Final = ("swap", "replace")
"""Acts that a button proposes in place of the one that was refused."""

ACTS: Final = (
    ("swap", gettext_lazy("Swap within this round")),
    ("replace", gettext_lazy("Replace")),
    ("substitute", gettext_lazy("Substitute from a hand on")),
)

HANDS: Final = (
    ("keep", gettext_lazy("Keep: scores stay with the seats")),
    ("remap", gettext_lazy("Move: scores follow the players")),
    ("void", gettext_lazy("Delete: hands do not count")),
)

_SCORES_IN_WORDS: Final = {
    "keep": gettext_lazy("The scores stay with the seats."),
    "remap": gettext_lazy("The scores follow the players."),
    "void": gettext_lazy("The hands already played do not count."),
}


class SeatingForm(NamedPlayersForm):
    """Who sits where at one table: one field a seat, `seat-1` clockwise.

    Where `shape` has the seats of sides it is one field a side, `side-1` first.
    """

    def __init__(
        self,
        data: object = None,
        *,
        seats: int,
        names: Sequence[str] = (),
        shape: Sequence[Sequence[int]] = (),
    ) -> None:
        if shape:
            kind = "side"
            labels = side_labels(shape)
        else:
            kind = "seat"
            labels = _seat_labels(seats)
        initial = {f"{kind}-{number}": name for number, name in enumerate(names, start=1)}
        super().__init__(data, initial=initial)
        self.shape = shape
        self.ask_players(labels, kind)


def _seat_labels(seats: int) -> Iterable[str]:
    if seats <= 4:
        for number, name in enumerate(seat_names(seats), start=1):
            yield _("Seat %(number)s, %(name)s") % {"number": number, "name": name}
        return
    for number in range(1, seats + 1):
        yield _("Seat %(number)s") % {"number": number}


def side_labels(shape: Sequence[Sequence[int]]) -> Iterable[str]:
    """Name each side by its seats: North and South, or seats 1, 3 and 5."""
    names = {"N": _("North"), "E": _("East"), "S": _("South"), "W": _("West")}
    n_seats = sum(len(side) for side in shape)
    for side in shape:
        if n_seats == 4 and len(side) == 2:
            letters = seat_names(n_seats)
            first, second = (names[letters[seat]] for seat in side)
            yield _("%(first)s and %(second)s") % {"first": first, "second": second}
        else:
            numbers = ", ".join(str(seat + 1) for seat in side)
            yield _("Seats %(numbers)s") % {"numbers": numbers}


class PlayerChangeForm(NamedPlayersForm):
    """Which seat, who is to have played there, from which hand on, and what of played hands.

    Args:
        seats: number and words of each seat, as in ("1", "North: Anna").
        sides: the same of each side, as in ("side-1", "North and South: Ada & Ben").
    """

    required_fields = ("act", "seat", "hands")
    act = forms.ChoiceField(label=gettext_lazy("What to do"), choices=ACTS)
    seat = forms.ChoiceField(label=gettext_lazy("Seat"))
    from_hand = forms.IntegerField(
        label=gettext_lazy("From hand"),
        min_value=1,
        max_value=999,
        help_text=gettext_lazy("Enter 1 to change the whole game."),
        error_messages={"invalid": gettext_lazy("Enter the number of a hand, for example 3.")},
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    hands = forms.ChoiceField(
        label=gettext_lazy("Hands that were played"), choices=HANDS, initial="keep"
    )

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        seats: Sequence[tuple[str, str]],
        sides: Sequence[tuple[str, str]] = (),
        initial: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(data, initial={"from_hand": 1, **(initial or {})})
        seat_field: Any = self.fields["seat"]
        seat_field.choices = [*sides, *seats]
        if sides:
            seat_field.label = _("Side or seat")
        self.ask_players([_("New pair or player") if sides else _("New player")])
        self.fields[PLAYER].widget.attrs.pop("autofocus", None)
        self.fields[PLAYER].help_text = _("You can enter the beginning of a name if it is unique.")
        self.order_fields(["act", "seat", PLAYER, "from_hand", "hands"])

    def field_of(self, problem: Problem) -> str | None:
        if problem.at[:1] == ("player",) or problem.at == ("side",):
            return PLAYER
        return super().field_of(problem)

    @property
    def named(self) -> str:
        return str(self.cleaned_data[PLAYER]).strip()

    @property
    def is_side(self) -> bool:
        return str(self.cleaned_data.get("seat", "")).startswith(SIDE)

    @property
    def seat_number(self) -> int:
        """The number of the seat, or of a seat of the side."""
        return int(self.cleaned_data["seat"].removeprefix(SIDE))


class _TableRequest:
    """A request's table in its current state, and the submitted data.

    `shape` has the seats (from 0) of each side, if pairs or teams compete; `back` is the page to
    return to: `seating`, that of the round, or empty for the table.
    """

    def __init__(self, request: PageRequest, event: Event, code: str) -> None:
        self.event = event
        self.sheet = score_sheet.table_sheet(event, code)
        self.seating = table_seating(event, code)
        self.game = score_sheet.get_game(event, code)
        self.tag = request.POST.get("tag", "") or self.seating["tag"]
        self.shape: Sequence[Sequence[int]] = ()
        if has_pairs(event):
            rules = rules_of(self.game.snapshot)
            self.shape = side_shape(rules, len(self.sheet.seats))
        back = request.POST.get(BACK, "") or request.GET.get(BACK, "")
        self.back = back if back == TO_SEATING else ""

    @property
    def back_url(self) -> str:
        if self.back:
            return event_url("round", self.event, self.game.table.round.number)
        return event_url("table", self.event, self.sheet.code)


@event_form_page(change_players, add_entrant)
def change_page(request: PageRequest, event: Event, code: str) -> HttpResponse:
    target = _TableRequest(request, event, code)
    undo = number_in(request.POST.get("undo", "") or request.GET.get("undo", ""))
    if undo is not None:
        return _undo(request, target, undo)
    form = _form(request, target)
    players: Sequence[Player] = ()
    if request.method == "POST" and request.POST.get("go") != "back" and form.is_valid():
        players = _players(target, form)
    if not players:
        return _ask(request, target, form)

    change = _change_of(request, form, players)
    fields = [
        ("act", change.act),
        ("seat", form.cleaned_data["seat"]),
        (PLAYER, side_text(target.event, players)),
        ("from_hand", str(change.from_hand)),
        ("hands", change.hands),
    ]
    if change.split_sides:
        fields.append(("split", "yes"))
    op = operation_of(request)

    def save(reason: str) -> ChangedPlayers:
        return change_players(op, target.game, change=change, reason=reason, tag=target.tag)

    with form.placing():
        if "make_pair" in request.POST:
            add_entrant(op, event, kind=EntrantKind.PAIR, players=players)
        return _preview_or_change(request, target, change=save, fields=fields)
    return _ask(request, target, form, players_named=players)


def _change_of(
    request: PageRequest, form: PlayerChangeForm, players: Sequence[Player]
) -> PlayerChange:
    """Return the change that a valid form asks for; a button may propose another act."""
    values = form.cleaned_data
    act = request.POST.get("instead", "")
    if act not in INSTEAD:
        act = values["act"]
    player_id = ""
    side: tuple[str, ...] = ()
    if form.is_side:
        side = tuple(player.player_id for player in players)
    else:
        player_id = players[0].player_id
    from_hand = 1
    if act != "replace" and values["from_hand"]:
        from_hand = values["from_hand"]
    return PlayerChange(
        act=act,
        seat=form.seat_number,
        player_id=player_id,
        side=side,
        hands=values["hands"],
        from_hand=from_hand,
        split_sides=bool(request.POST.get("split")),
    )


def _undo(request: PageRequest, target: _TableRequest, line: int) -> HttpResponse:
    op = operation_of(request)

    def undo(reason: str) -> ChangedPlayers:
        return undo_players(op, target.game, line=line, reason=reason, tag=target.tag)

    with RefusalMessages(request):
        return _preview_or_change(
            request, target, change=undo, fields=[("undo", str(line))], is_undo=True
        )
    return redirect(target.back_url)


def _preview_or_change(
    request: PageRequest,
    target: _TableRequest,
    *,
    change: Callable[[str], ChangedPlayers],
    fields: Sequence[tuple[str, str]],
    is_undo: bool = False,
) -> HttpResponse:
    """Show the effect of a change; run it once its preview is sent back with a reason.

    Args:
        change: runs it, with its reason.
        fields: names and values of hidden fields that send the same change again.
    """
    digest = request.POST.get(PREVIEWED, "")
    reason = request.POST.get("reason", "").strip()
    now = timezone.now()
    code = target.sheet.code
    preview_page = partial(_preview_page, request, target, fields=fields, is_undo=is_undo)
    if digest and reason:
        try:
            change_as_previewed(target.event, code, partial(change, reason), digest=digest, now=now)
        except PreviewOutdated as outdated:
            return preview_page(outdated.preview, is_outdated=True)
        messages.success(
            request,
            _("Players changed. The totals are updated, and the standings will follow shortly."),
        )
        return redirect(target.back_url)
    preview = preview_players(target.event, code, partial(change, reason or STAND_IN), now=now)
    problem = ""
    if digest:
        problem = sentence(Problem("reason_required"))
    return preview_page(preview, problem=problem)


def _preview_page(
    request: PageRequest,
    target: _TableRequest,
    preview: Preview,
    *,
    fields: Sequence[tuple[str, str]],
    is_undo: bool,
    problem: str = "",
    is_outdated: bool = False,
) -> HttpResponse:
    hidden_fields = [*fields, ("tag", target.tag)]
    if target.back:
        hidden_fields.append((BACK, target.back))
    context = {
        "preview": preview,
        "effect": boundaries_in_words(preview),
        "fields": hidden_fields,
        "back_url": target.back_url,
        "is_undo": is_undo,
        "reason": request.POST.get("reason", ""),
        "problem": problem,
        "is_outdated": is_outdated,
    }
    status = 200
    if is_outdated:
        status = 409
    elif problem:
        status = REFUSED
    page = "hands/preview_change_players.html"
    return render_table(request, page, target.event, target.sheet, context, status=status)


def _ask(
    request: PageRequest,
    target: _TableRequest,
    form: PlayerChangeForm,
    players_named: Sequence[Player] = (),
) -> HttpResponse:
    """Show the form; `players_named` are those whom a refused change named."""
    codes = {problem.code for problem in form.placed}
    players: list[Player] = []
    if form["act"].value() in (None, "swap"):
        players += people_at(target.game)
    players += free_players(target.event.club, target.game.table.round)
    people: list[str] = []
    if target.shape:
        people += Groups(target.event).label.values()
    people += names_of(target.event.club, players)
    context = {
        "form": form,
        "seat_field": form.seat_fields[0],
        "tag": target.seating["tag"],
        "back": target.back,
        "back_url": target.back_url,
        "people": people,
        "may_add_guest": may_do(target.event, "add_guest"),
        "asks_sides": bool(codes & ASKED),
        "new_pair": _get_new_pair(target, players_named, codes=codes),
        "may_swap": bool(codes & set(SEATED)),
        "may_replace": "nobody_to_swap" in codes,
        "is_side": form.is_bound and form.is_side,
        "refused_links": change_player_links(target.event, form.placed),
    }
    page = "hands/change_players.html"
    return render_table(request, page, target.event, target.sheet, context, form)


def _get_new_pair(
    target: _TableRequest, players: Sequence[Player], *, codes: Collection[str]
) -> Sequence[Player]:
    """Return the two players without a partner who were named for a side and may become a pair.

    Else nobody. A player whose own results count cannot join a pair.
    """
    if "side_of_singles" not in codes or len(players) != 2:
        return ()
    rows = [player.pk for player in players]
    if get_group_of_players(target.event, rows) or find_with_results(target.event, rows):
        return ()
    return players


def change_player_links(event: Event, problems: Sequence[Problem]) -> tuple[Link, ...]:
    """Return links to change the players of the tables that problems name, each table once."""
    links = {}
    for problem in problems:
        if problem.code == "table_has_hands":
            code = str(problem.facts.get("table", ""))
        elif problem.code == "player_already_seated":
            code = str(problem.facts.get("code", ""))
        else:
            continue
        if code:
            _round, _t, number = code.partition("t")
            text = _("Change players at table %(number)s") % {"number": number}
            links[code] = link_to(text, "change-players", event, code=code)
    return tuple(links.values())


def _form(request: PageRequest, target: _TableRequest) -> PlayerChangeForm:
    """Return the form of a table; its address may name act, seat and player."""
    titles = {seat.number: str(seat.title) for seat in target.sheet.seats}
    names = {sitting["seat"]: sitting["name"] for sitting in target.seating["sittings"]}
    seats = [(str(seat), f"{titles[seat]}: {name}") for seat, name in names.items()]
    sides = []
    for side, label in zip(target.shape, side_labels(target.shape), strict=True):
        side_names = TOGETHER.join(names[seat + 1] for seat in side if seat + 1 in names)
        sides.append((f"{SIDE}{side[0] + 1}", f"{label}: {side_names}"))
    initial = {name: request.GET[name] for name in ("act", "seat") if name in request.GET}
    if "player" in request.GET:
        initial[PLAYER] = request.GET["player"]
        seat_number = number_in(initial.get("seat", ""))
        if target.shape and seat_number:
            pair = Groups(target.event).pair_of(initial[PLAYER])
            if pair:
                initial["seat"] = f"{SIDE}{_side_with(target, seat_number)[0] + 1}"
                initial[PLAYER] = pair
    return PlayerChangeForm(
        posted_at_table(request, target.event), seats=seats, sides=sides, initial=initial
    )


def _side_with(target: _TableRequest, seat_number: int) -> Sequence[int]:
    """Return the seats (from 0) of the side that has a seat."""
    return next(side for side in target.shape if seat_number - 1 in side)


def _players(target: _TableRequest, form: PlayerChangeForm) -> Sequence[Player]:
    """Return the players whom the form names; nobody, with the problem placed, if it is unclear."""
    text = form.named
    at = ("seat", 1)
    people = named_players(target.event.club)
    players: Player | Problem | Sequence[Player]
    if not text:
        players = Problem("nobody_named", at)
    elif form.is_side:
        n_seats = len(_side_with(target, form.seat_number))
        players = side_players(
            text, n_seats, groups=Groups(target.event), people=people, at=at, number=1
        )
    else:
        players = people.meant(text, at)
    if isinstance(players, Problem):
        form.place([players])
        return ()
    if isinstance(players, Player):
        return (players,)
    return players


def moves_of(
    event: Event, changes: Mapping[int, tuple[str, JsonObject]]
) -> dict[int, tuple[str, ...]]:
    """Return the moves of lines of the change log in words, by line, as far as their table goes."""
    names = player_names(event, [facts for _table, facts in changes.values()])
    moves = {}
    for line, (table, facts) in changes.items():
        table_moves = [move for move in facts["moves"] if move["table"] == table]
        moves[line] = _moves({**facts, "moves": table_moves}, names)
    return moves


def changes_in_words(event: Event, code: str) -> list[dict[str, object]]:
    """Return how it changed who played at a table, the newest first.

    `undo` is the number of a change that can be undone, else None.
    """
    rows = player_changes(event, code)
    names = player_names(event, [row.facts for row in rows])
    changes: list[dict[str, object]] = []
    for index, row in enumerate(rows):
        is_newest = index == 0
        change: dict[str, object] = {
            "moves": _moves(row.facts, names),
            "reason": row.reason,
            "undo": row.pk if is_newest else None,
        }
        changes.append(change)
    return changes


def _moves(facts: JsonObject, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return a change in sentences: each move, and what became of the hands that were played."""
    sentences = []
    moves: Sequence[Mapping[str, Any]] = facts.get("moves", ())
    for move in moves:
        _round, _t, table_number = str(move["table"]).partition("t")
        words = {
            "table": table_number,
            "seat": move["seat"],
            "old": names.get(move["from"], move["from"]),
            "new": names.get(move["to"], move["to"]),
            "number": move["from_hand"],
        }
        if move["from_hand"] == 1:
            text = _("Table %(table)s, seat %(seat)s: %(old)s → %(new)s.")
        else:
            text = _("Table %(table)s, seat %(seat)s: %(old)s → %(new)s from hand %(number)s.")
        sentences.append(one_stop(text % words))
    if facts.get("act") != "undo" and any(facts.get("played", {}).values()):
        sentences.append(str(_SCORES_IN_WORDS.get(facts.get("hands", ""), "")))
    return tuple(sentences)
