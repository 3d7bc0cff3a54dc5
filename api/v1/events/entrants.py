"""Entrants of an event, their penalties and bonuses, and what they bring from before."""

from collections.abc import Callable, Generator, Sequence
from datetime import date
from typing import Final

from rest_framework import serializers
from rest_framework.fields import empty

from api.lists import Filter, Flat, limited_rows
from api.resources import ResourceViewSet, changes, creates, performs, previews, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import (
    BooleanField,
    ChoiceTextField,
    DayField,
    NumberOrTextField,
    TextField,
    TextListField,
    WholeNumberField,
    bad_setting,
)
from api.serializers.strict_serializers import (
    BodiesField,
    EmptyBody,
    StrictSerializer,
    read_bodies,
)
from api.serializers.typed_documents import DocumentField, DocumentListField
from api.v1.fields import EntrantReferenceSerializer, MomentField, ReasonSerializer, ScoreField
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict, JsonObject
from tournaments.errors import refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantKind, EntrantState, Event
from tournaments.models.standings import LedgerKind, LedgerLine, OpeningValue
from tournaments.selectors.events.entrants import (
    EntrantLine,
    EntrantRow,
    entrant_row,
    entrant_rows,
    get_entrant,
    get_line,
    ledger_rows,
)
from tournaments.selectors.rounds.resolve_players import read_entrants
from tournaments.selectors.rounds.round_seating import players_with_ids
from tournaments.selectors.standings.opening_values import get_opening_value, opening_rows
from tournaments.services.events.adjustments import add_line, penalties_add, withdraw_line
from tournaments.services.events.entrants import (
    add_entrant,
    add_entrants,
    change_entrant,
    set_guest,
)
from tournaments.services.events.opening_values import (
    MOST_AT_ONCE,
    MOST_COUNTED,
    NewOpeningValue,
    add_opening_values,
    withdraw_opening_value,
)
from tournaments.services.ladders.members import move_entrant
from tournaments.services.operations import Operation
from tournaments.services.previewing.documents import (
    BoundaryDocument,
    CutChangeDocument,
    EveningChangeDocument,
    OutdatedDraftDocument,
    PlayoffChangeDocument,
    PublicationChange,
    StandingsRowsDocument,
)
from tournaments.services.previewing.preview_guest import (
    REASON,
    GuestPreview,
    GuestRowChange,
    preview_guest,
)
from tournaments.services.previewing.preview_lines import change_line_as_previewed, preview_line

MOST_PLAYERS: Final = 1000
"""Players who are added at once."""


class MemberSerializer(OutputSerializer):
    """A player of an entrant."""

    player_id = serializers.CharField()
    player = serializers.CharField(source="name")


class EntrantSerializer(EntrantReferenceSerializer):
    """An entrant, who has one row in the standings: a player, a fixed pair or a team."""

    kind = serializers.ChoiceField(choices=EntrantKind.choices)
    state = serializers.ChoiceField(choices=EntrantState.choices)
    guest = serializers.BooleanField(
        help_text="Whether a guest: ranked in the evenings, without a place in the standings."
    )
    visits = serializers.IntegerField(
        allow_null=True,
        help_text="On how many evenings a guest has played, also as a substitute; null of others.",
    )
    members = MemberSerializer(many=True)


class NewEntrantSerializer(StrictSerializer):
    """A player, a pair or a team to enter."""

    kind = ChoiceTextField(choices=EntrantKind.choices)
    players = TextListField(help_text="Ids of the players: one, a pair, or a whole team.")
    name = TextField(required=False, help_text="Name; empty: the names of the players.")
    code = TextField(required=False, help_text="Code; empty: the next, such as `pair-3`.")
    guest = BooleanField(left_out=False, help_text="Whether they are guests of a league.")


class EntrantListSerializer(StrictSerializer):
    """Players who compete alone, or lines that name players, pairs and teams."""

    players = TextListField(
        left_out=(),
        min_length=1,
        max_length=MOST_PLAYERS,
        help_text="Ids of players of the club. Players in the event already stay as they are.",
    )
    lines = TextListField(
        left_out=(),
        max_length=MOST_PLAYERS,
        help_text=(
            "Entrants by the names of their players, instead of `players`: `Ida`, `Ada & Ben` or "
            "`Spades: Ada, Ben, Cy, Dee`."
        ),
    )
    new_players = BooleanField(left_out=False, help_text="Whether to add names new to the club.")
    guests = BooleanField(left_out=False, help_text="Whether all new entrants are guests.")


class AddedEntrantsSerializer(OutputSerializer):
    """The entrants of players who were added at once."""

    added = serializers.IntegerField(help_text="Number of entrants that are new in the event.")
    entrants = EntrantSerializer(
        many=True, help_text="The entrant of each player, in the order of the list."
    )


class ChangedEntrantSerializer(StrictSerializer):
    """A change of a pair or a team; fields that are left out stay as they are."""

    name = TextField(left_out=empty, help_text="Name; empty: the names of the players.")
    players = TextListField(
        left_out=empty,
        help_text="Ids of all players from now on; only before the first hand of the entrant.",
    )


class EntrantMoveSerializer(StrictSerializer):
    """A withdrawal or a return, with its reason."""

    to = ChoiceTextField(choices=EntrantState.choices)
    reason = TextField()
    check_out = BooleanField(
        left_out=False,
        help_text="Whether the players also leave the newest evening (needs `take_attendance`).",
    )


class GuestPreviewSerializer(StrictSerializer):
    """Whether an entrant would be a guest."""

    guest = BooleanField(help_text="True: a guest; false: a member.")


class GuestSerializer(GuestPreviewSerializer):
    """Whether an entrant is a guest from now on, with the reason."""

    reason = TextField()


class PreviewedGuestSerializer(OutputSerializer):
    """The rows of the standings that would differ."""

    n_changed = serializers.IntegerField(help_text="Number of rows with another place or value.")
    value_name = serializers.CharField(help_text="Name of the value that ranks.")
    rows = DocumentListField(GuestRowChange, help_text="The first 100 of them.")


class EntrantViewSet(ResourceViewSet):
    """The entrants of an event by name, with the players of each."""

    resource = ("entrant", "entrants")
    lookup_url_kwarg = "entrant"
    serializer_class = EntrantSerializer
    row_selector = staticmethod(get_entrant)
    ordering = ()
    filters = (
        Filter("state", "Only entrants in this state.", EntrantState.values),
        Filter("kind", "Only entrants of this kind.", EntrantKind.values),
    )
    create = creates(add_entrant, NewEntrantSerializer)
    partial_update = changes(change_entrant, ChangedEntrantSerializer, if_match=None)
    state = performs(move_entrant, "state", body=EntrantMoveSerializer)
    guest = performs(set_guest, "guest", body=GuestSerializer)
    guest_preview = previews(
        set_guest,
        "guest-preview",
        GuestPreviewSerializer,
        name="preview_guest",
        answer=PreviewedGuestSerializer,
    )

    def perform_guest_preview(self, op: Operation, body: JsonDict) -> GuestPreview:
        """The effect on the standings if a guest becomes a member, or a member a guest."""
        return preview_guest(op, self.get_object(), guest=body["guest"])

    def get_queryset(self, state: str = "", kind: str = "") -> Sequence[EntrantRow]:
        return limited_rows(entrant_rows(self.parent), state=state, kind=kind)

    def get_arguments(self, body: JsonDict) -> JsonDict:
        return _with_players(self.parent, body)

    def get_row(self, result: Entrant) -> EntrantRow:
        return entrant_row(self.parent, result.code)

    def get_lines(self, row: Flat) -> Sequence[Flat]:
        return ({**row, "members": " ".join(member["player_id"] for member in row["members"])},)


class EntrantListViewSet(ResourceViewSet):
    """The entrants of an event who are added at once."""

    is_single = True
    resource = ("entrant", "entrants")
    serializer_class = AddedEntrantsSerializer
    submit = writes(add_entrants, EntrantListSerializer, status=201, is_in_steps=True)

    def perform_submit(self, op: Operation, body: JsonDict) -> Generator[None, None, JsonDict]:
        event: Event = self.parent
        if not 1 <= (n_entrants := len(body["lines"] or body["players"])) <= MOST_PLAYERS:
            facts = {"found": n_entrants, "expected": f"1 to {MOST_PLAYERS}"}
            raise Refused(Problem("members_count", ("players",), facts))
        lines = _lines(event, body)
        yield  # names were compared before the writers wait
        added = add_entrants(op, event, lines=lines, guests=body["guests"])
        of_player = {member.player_id: row for row in entrant_rows(event) for member in row.members}
        players = [player for line in _lines(event, body) for player in line.players]
        rows = [of_player[player.player_id] for player in players if isinstance(player, Player)]
        return {"added": added, "entrants": list({row.entrant_id: row for row in rows}.values())}


class LedgerLineSerializer(OutputSerializer):
    """A penalty or a bonus. It never changes; it may be withdrawn."""

    number = serializers.IntegerField()
    player_id = serializers.CharField(source="entrant_id", help_text="Code of the entrant.")
    player = serializers.CharField(source="name")
    kind = serializers.ChoiceField(choices=LedgerKind.choices)
    amount = ScoreField()
    value = ScoreField()
    reason = serializers.CharField()
    by = serializers.CharField(help_text="Role of the person who gave the penalty or bonus.")
    at = MomentField()
    state = serializers.ChoiceField(choices=["active", "withdrawn"])
    withdrawn_at = MomentField(allow_null=True)
    withdrawn_reason = serializers.CharField(allow_blank=True)
    withdrawn_by = serializers.CharField(allow_blank=True)
    meeting = serializers.DateField(
        allow_null=True, help_text="Evening in whose table it counts too; null: the season's."
    )


class PreviewedLineSerializer(StrictSerializer):
    """A penalty or a bonus whose effect is asked for."""

    entrant = TextField(help_text="Code of the entrant.")
    kind = ChoiceTextField(choices=LedgerKind.choices)
    amount = NumberOrTextField(
        help_text="Size, above 0, in the unit of the primary value: `2`, `2.5`, `2,5` or `5/2`."
    )
    meeting = DayField(
        required=False,
        help_text="Evening in whose table it counts too; null or left out: the season's.",
    )


def previewed_field() -> TextField:
    return TextField(
        required=False,
        help_text="`digest` of a preview; if the effect is no longer the same, the answer is 409.",
    )


class NewLineSerializer(PreviewedLineSerializer):
    """A penalty or a bonus to give."""

    order = ("entrant", "kind", "amount", "reason", "meeting", "previewed")

    reason = TextField()
    previewed = previewed_field()


class WithdrawnLineSerializer(ReasonSerializer):
    """A withdrawal with its reason."""

    previewed = previewed_field()


class LinePreviewSerializer(OutputSerializer):
    """The differences between the current results and those with the change."""

    boundaries = DocumentListField(
        BoundaryDocument,
        help_text="Entrants who rise above (`in`) or fall below (`out`) each cut-off line.",
    )
    rows = DocumentField(
        StandingsRowsDocument, help_text="Changed rows of standings, as in the preview of a hand."
    )
    evening = DocumentField(
        EveningChangeDocument,
        allow_null=True,
        help_text="Effect on the evening of the line, as in the preview of a hand; null for one "
        "of the season.",
    )
    playoffs = DocumentListField(PlayoffChangeDocument)
    cuts = DocumentListField(CutChangeDocument)
    drafts = DocumentListField(OutdatedDraftDocument)
    publication = DocumentField(
        PublicationChange, help_text="Number of the publication before and after the change."
    )
    digest = serializers.CharField(
        help_text=(
            "Digest of this preview; send it as `previewed` of the POST that saves the change."
        )
    )


class LedgerViewSet(ResourceViewSet):
    """The penalties and bonuses of an event; `value` is what each adds to the primary value."""

    resource = ("ledger_line", "ledger")
    lookup_url_kwarg, lookup_value_converter = "number", "number"
    serializer_class = LedgerLineSerializer
    row_selector = staticmethod(get_line)
    ordering = ()
    create = creates(add_line, NewLineSerializer, name="add_ledger_line")
    withdraw = performs(
        withdraw_line, "withdraw", body=WithdrawnLineSerializer, name="withdraw_ledger_line"
    )
    preview = previews(
        add_line,
        "preview",
        PreviewedLineSerializer,
        name="preview_ledger_line",
        detail=False,
        answer=LinePreviewSerializer,
    )
    withdraw_preview = previews(
        withdraw_line,
        "withdraw-preview",
        EmptyBody,
        name="preview_withdrawn_line",
        answer=LinePreviewSerializer,
    )

    def perform_create(self, op: Operation, body: JsonDict) -> LedgerLine:
        change = self._adding(op, body, reason=body["reason"])
        return self._change(op, change, day=body["meeting"], digest=body["previewed"])

    def perform_withdraw(self, op: Operation, body: JsonDict) -> LedgerLine:
        def change() -> LedgerLine:
            return withdraw_line(op, self.get_object(), reason=body["reason"])

        return self._change(op, change, day=self._get_day(), digest=body["previewed"])

    def perform_preview(self, op: Operation, body: JsonDict) -> JsonDict:
        """The effect of a penalty or a bonus on the standings and on its evening."""
        return self._preview(op, self._adding(op, body, reason=REASON), day=body["meeting"])

    def perform_withdraw_preview(self, op: Operation, body: JsonDict) -> JsonDict:
        """The effect of the withdrawal of a penalty or a bonus."""

        def change() -> LedgerLine:
            return withdraw_line(op, self.get_object(), reason=REASON)

        return self._preview(op, change, day=self._get_day())

    def _adding(self, op: Operation, body: JsonDict, *, reason: str) -> Callable[[], LedgerLine]:
        def change() -> LedgerLine:
            return add_line(
                op,
                self.parent,
                entrant=body["entrant"],
                kind=body["kind"],
                amount=body["amount"],
                reason=reason,
                meeting=body["meeting"],
            )

        return change

    def _get_day(self) -> date | None:
        """Return the evening of the line that the address names; None for one of the season."""
        line: LedgerLine = self.get_object()
        if line.meeting is None:
            return None
        return line.meeting.date

    def _change(
        self, op: Operation, change: Callable[[], LedgerLine], *, day: date | None, digest: str
    ) -> LedgerLine:
        """Make a change, with a digest only if its effect is still that of the preview."""
        if not digest:
            return change()
        return change_line_as_previewed(self.parent, change, day=day, digest=digest, now=op.now)

    def _preview(
        self, op: Operation, change: Callable[[], LedgerLine], *, day: date | None
    ) -> JsonDict:
        preview = preview_line(self.parent, change, day=day, now=op.now)
        return {**preview.as_json(), "digest": preview.digest}

    def get_queryset(self) -> Sequence[JsonDict]:
        return ledger_rows(self.parent, penalties_add=penalties_add(self.parent))

    def get_row(self, result: LedgerLine) -> JsonDict:
        return next(row for row in self.get_queryset() if row["number"] == result.number)


class OpeningValueLineSerializer(LedgerLineSerializer):
    """A total of an entrant from before. It never changes; it may be withdrawn."""

    kind = amount = meeting = None  # type: ignore[assignment]  # no line of the ledger
    date = serializers.DateField()
    value = ScoreField(help_text="Total in the unit of the primary value; of means the sum.")
    games = serializers.IntegerField(allow_null=True)
    wins = serializers.IntegerField(allow_null=True)
    hands = serializers.IntegerField(allow_null=True)
    penalty = ScoreField()
    added_with = serializers.IntegerField(
        source="first", help_text="The smallest number of those that were added at once."
    )


class AddedOpeningValuesSerializer(OutputSerializer):
    """The values that were added at once."""

    added = serializers.IntegerField()
    unchanged = serializers.IntegerField(help_text="Values that were there already, the same.")
    first = serializers.IntegerField(
        allow_null=True, help_text="Number of the first added value; null if none was added."
    )


class WithdrawnOpeningValueSerializer(ReasonSerializer):
    """A withdrawal with its reason."""

    together = BooleanField(
        left_out=False, help_text="Whether to withdraw all values that were added at once with it."
    )


def _lines(event: Event, body: JsonObject) -> Sequence[EntrantLine]:
    """Return the entrants that a body lists: its `lines`, or each of its `players` alone."""
    if not body["lines"]:
        players = _with_players(event, body)["players"]
        return [EntrantLine(number, (player,)) for number, player in enumerate(players, start=1)]
    lines, problems, unknown = read_entrants(event.club, body["lines"])
    refuse_any([*problems, *(() if body["new_players"] else unknown)])
    return lines


def _with_players(event: Event, body: JsonObject) -> JsonDict:
    ids = body.get("players", ())
    players = players_with_ids(event, ids)
    problems = [
        Problem("unknown_player", ("players", at), {"player": shown(player_id)})
        for at, player_id in enumerate(ids)
        if player_id not in players
    ]
    refuse_any(problems)
    with_players = dict(body)
    if ids:
        with_players["players"] = [players[player_id] for player_id in ids]
    return with_players


class CountField(WholeNumberField):
    """A number of games, of tables won or of hands; null or left out where it is not known."""

    takes_null = True
    usual = None

    def __init__(self, **more: object) -> None:
        code = "bad_opening_count"
        within = (0, MOST_COUNTED)
        expected = f"a whole number from 0 to {MOST_COUNTED}"
        more = {"required": False, "allow_null": True, **more}
        super().__init__(code=code, expected=expected, within=within, **more)


class OpeningTotalsSerializer(StrictSerializer):
    """A total of an entrant from before."""

    entrant = TextField(help_text="Code of an entrant, or id of a player who is not in the event.")
    date = DayField(help_text="Day that it counts as played on.")
    value = NumberOrTextField(
        help_text="Total in the unit of the primary value: `13`, `7.5`, `5/2` or `-4`; for a mean "
        "the sum over its games or hands."
    )
    games = CountField(help_text="Number of games, if known.")
    wins = CountField(help_text="Number of tables won, if known.")
    hands = CountField(help_text="Number of hands, if known.")
    penalty = NumberOrTextField(
        required=False, help_text="Penalties so far, above 0; `value` does not contain them."
    )


class OpeningValuesField(BodiesField):
    """Totals of many entrants from before."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, list):
            raise bad_setting(self, shown(data), "a list of values from before")
        bodies = read_bodies(data[: MOST_AT_ONCE + 1], OpeningTotalsSerializer)
        return tuple(NewOpeningValue(**body) for body in bodies)


class NewOpeningValuesSerializer(StrictSerializer):
    """Totals of entrants from before, with their source."""

    values = OpeningValuesField(
        child=OpeningTotalsSerializer(), min_length=1, max_length=MOST_AT_ONCE
    )
    reason = TextField()


class OpeningValueViewSet(ResourceViewSet):
    """The totals of entrants from before the first hand of an event, withdrawn ones included."""

    resource = ("opening_value", "opening_values")
    ordering = ()
    lookup_url_kwarg, lookup_value_converter = "number", "number"
    serializer_class = OpeningValueLineSerializer
    row_selector = staticmethod(get_opening_value)
    rows_selector = staticmethod(opening_rows)
    create = creates(
        add_opening_values, NewOpeningValuesSerializer, answer=AddedOpeningValuesSerializer
    )
    withdraw = performs(withdraw_opening_value, "withdraw", body=WithdrawnOpeningValueSerializer)

    def get_row(self, result: OpeningValue) -> JsonDict:
        return next(row for row in self.get_queryset() if row["number"] == result.number)
