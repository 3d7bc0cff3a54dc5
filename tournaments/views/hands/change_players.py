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
from tournaments.views.http.find_players import NamedPlayersForm, posted_with_answer
from tournaments.views.http.layout import Link, PageRequest, link_to
from tournaments.views.http.pages import render_table
from tournaments.views.http.service_form import RefusalMessages, operation_of


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
        kind = "side" if shape else "seat"
        initial = {f"{kind}-{number}": name for number, name in enumerate(names, start=1)}
        super().__init__(data, initial=initial)
        self.shape = shape
        self.ask_players(side_labels(shape) if shape else _seat_labels(seats), kind)


PLAYER: Final = "seat-1"
"""The field of the player: the fields that names are resolved for are called so."""

SIDE: Final = "side-"
"""The value of a side among the seats begins so, and ends with one of its seats."""

SEATED = ("player_already_seated", "player_sits_here")
"""Codes of refusals that a swap resolves."""

BACK = "back"
"""Name of the field that says where the page leads afterwards."""

_SCORES_IN_WORDS: Final = {
    "keep": gettext_lazy("The scores stay with the seats."),
    "remap": gettext_lazy("The scores follow the players."),
    "void": gettext_lazy("The hands already played do not count."),
}


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
    n_seats = sum(map(len, shape))
    for side in shape:
        if n_seats == 4 and len(side) == 2:
            letters = seat_names(n_seats)
            first, second = (names[letters[seat]] for seat in side)
            yield _("%(first)s and %(second)s") % {"first": first, "second": second}
        else:
            seats = ", ".join(str(seat + 1) for seat in side)
            yield _("Seats %(numbers)s") % {"numbers": seats}


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
        is_player = problem.at[:1] == ("player",) or problem.at == ("side",)
        if is_player:
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
        return int(self.cleaned_data["seat"].removeprefix(SIDE))


INSTEAD = ("swap", "replace")
"""Acts that a button proposes in place of the one that was refused."""


TO_SEATING = "seating"


class _TableRequest:
    """A request's table in its current state, and the submitted data.

    `shape` has the seats (from 0) of each side, if pairs or teams compete; `back` is the page to
    return to: `seating`, that of the round, or empty for the table.
    """

    def __init__(self, request: PageRequest, event: Event, code: str) -> None:
        self.event, self.sheet = event, score_sheet.table_sheet(event, code)
        self.seating, self.game = table_seating(event, code), score_sheet.get_game(event, code)
        self.tag = request.POST.get("tag", "") or self.seating["tag"]
        rules = rules_of(self.game.snapshot)
        n_seats = len(self.sheet.seats)
        self.shape = side_shape(rules, n_seats) if has_pairs(event) else ()
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
    is_sent = request.method == "POST" and request.POST.get("go") != "back" and form.is_valid()
    players = _players(target, form) if is_sent else ()
    if not players:
        return _ask(request, target, form)
    values = form.cleaned_data
    act = request.POST.get("instead", "")
    if act not in INSTEAD:
        act = values["act"]
    change = PlayerChange(
        act=act,
        seat=form.seat_number,
        player_id="" if form.is_side else players[0].player_id,
        side=tuple(player.player_id for player in players) if form.is_side else (),
        hands=values["hands"],
        from_hand=1 if act == "replace" else values["from_hand"] or 1,
        split_sides=bool(request.POST.get("split")),
    )
    fields = (
        *(("act", act), ("seat", values["seat"]), (PLAYER, side_text(target.event, players))),
        *(("from_hand", str(change.from_hand)), ("hands", change.hands)),
        *((("split", "yes"),) if change.split_sides else ()),
    )
    op, game, tag = operation_of(request), target.game, target.tag

    def save(reason: str) -> ChangedPlayers:
        return change_players(op, game, change=change, reason=reason, tag=tag)

    with form.placing():
        if "make_pair" in request.POST:
            add_entrant(op, event, kind=EntrantKind.PAIR, players=players)
        return _preview_or_change(request, target, save, fields)
    return _ask(request, target, form, players)


def _undo(request: PageRequest, target: _TableRequest, line: int) -> HttpResponse:
    op, game, tag = operation_of(request), target.game, target.tag

    def undo(reason: str) -> ChangedPlayers:
        return undo_players(op, game, line=line, reason=reason, tag=tag)

    with RefusalMessages(request):
        return _preview_or_change(request, target, undo, (("undo", str(line)),), is_undo=True)
    return redirect(target.back_url)


def _preview_or_change(
    request: PageRequest,
    target: _TableRequest,
    change: Callable[[str], ChangedPlayers],
    fields: Sequence[tuple[str, str]],
    *,
    is_undo: bool = False,
) -> HttpResponse:
    digest = request.POST.get(PREVIEWED, "")
    reason = request.POST.get("reason", "").strip()
    now = timezone.now()
    code = target.sheet.code
    show = partial(_preview_page, request, target, fields=fields, is_undo=is_undo)
    if digest and reason:
        try:
            change_as_previewed(target.event, code, partial(change, reason), digest=digest, now=now)
        except PreviewOutdated as outdated:
            return show(outdated.preview, is_outdated=True)
        messages.success(
            request,
            _("Players changed. The totals are updated, and the standings will follow shortly."),
        )
        return redirect(target.back_url)
    stand_in = partial(change, reason or STAND_IN)
    preview = preview_players(target.event, code, stand_in, now=now)
    return show(preview, problem=sentence(Problem("reason_required")) if digest else "")


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
    context = {
        "preview": preview,
        "effect": boundaries_in_words(preview),
        "fields": (*fields, ("tag", target.tag), *(((BACK, target.back),) if target.back else ())),
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
    codes = {problem.code for problem in form.placed}
    links = change_player_links(target.event, form.placed)
    is_swap = form["act"].value() in (None, "swap")
    free = free_players(target.event.club, target.game.table.round)
    players = [*(people_at(target.game) if is_swap else ()), *free]
    pairs = Groups(target.event).label.values() if target.shape else ()
    context = {
        "form": form,
        "seat_field": form.seat_fields[0],
        "tag": target.seating["tag"],
        "back": target.back,
        "back_url": target.back_url,
        "people": [*pairs, *names_of(target.event.club, players)],
        "may_add_guest": may_do(target.event, "add_guest"),
        "asks_sides": bool(codes & ASKED),
        "new_pair": _get_new_pair(target, players_named, codes),
        "may_swap": bool(codes & set(SEATED)),
        "may_replace": "nobody_to_swap" in codes,
        "is_side": form.is_bound and form.is_side,
        "refused_links": links,
    }
    page = "hands/change_players.html"
    return render_table(request, page, target.event, target.sheet, context, form)


def _get_new_pair(
    target: _TableRequest, players: Sequence[Player], codes: Collection[str]
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
    links = {}
    for problem in problems:
        has_hands = problem.code == "table_has_hands"
        code = str(problem.facts.get("table" if has_hands else "code", ""))
        if (has_hands or problem.code == "player_already_seated") and code:
            number = code.partition("t")[2]
            text = _("Change players at table %(number)s") % {"number": number}
            links[code] = link_to(text, "change-players", event, code=code)
    return tuple(links.values())


def _form(request: PageRequest, target: _TableRequest) -> PlayerChangeForm:
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
        pair = Groups(target.event).pair_of(initial[PLAYER]) if target.shape else ""
        if pair and (seat := number_in(initial.get("seat", ""))):
            side = next(side for side in target.shape if seat - 1 in side)
            initial |= {"seat": f"{SIDE}{side[0] + 1}", PLAYER: pair}
    return PlayerChangeForm(
        posted_with_answer(request, target.event.club), seats=seats, sides=sides, initial=initial
    )


def _players(target: _TableRequest, form: PlayerChangeForm) -> Sequence[Player]:
    text = form.named
    at = ("seat", 1)
    people = named_players(target.event.club)
    answer: Player | Problem | Sequence[Player]
    if not text:
        answer = Problem("nobody_named", at)
    elif form.is_side:
        seats = len(next(side for side in target.shape if form.seat_number - 1 in side))
        answer = side_players(text, seats, Groups(target.event), people, at, 1)
    else:
        answer = people.meant(text, at)
    if isinstance(answer, Problem):
        form.place([answer])
        return ()
    return (answer,) if isinstance(answer, Player) else answer


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
    return [
        {"moves": _moves(row.facts, names), "reason": row.reason, "undo": None if place else row.pk}
        for place, row in enumerate(rows)
    ]


def _moves(facts: JsonObject, names: Mapping[str, str]) -> tuple[str, ...]:
    notice = []
    moves: Sequence[Mapping[str, Any]] = facts.get("moves", ())
    for move in moves:
        words = {
            "table": str(move["table"]).partition("t")[2],
            "seat": move["seat"],
            "old": names.get(move["from"], move["from"]),
            "new": names.get(move["to"], move["to"]),
            "number": move["from_hand"],
        }
        if move["from_hand"] == 1:
            text = _("Table %(table)s, seat %(seat)s: %(old)s → %(new)s.")
        else:
            text = _("Table %(table)s, seat %(seat)s: %(old)s → %(new)s from hand %(number)s.")
        notice.append(one_stop(text % words))
    if facts.get("act") != "undo" and any(facts.get("played", {}).values()):
        notice.append(str(_SCORES_IN_WORDS.get(facts.get("hands", ""), "")))
    return tuple(notice)
