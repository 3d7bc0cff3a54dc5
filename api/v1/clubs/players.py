"""Players of a club, one or a list at once; their results, opponents, totals and records."""

from dataclasses import asdict, replace
from typing import Final

from django.http import HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import caller
from api.lists import Filter
from api.openapi import reading
from api.query_parameters import allow_only
from api.resources import ResourceViewSet, changes, creates, performs
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import (
    BooleanField,
    DayField,
    TextField,
    TextListField,
    bad_setting,
)
from api.serializers.strict_serializers import BodiesField, StrictSerializer, read_bodies
from api.v1.addresses import OfPlayerViewSet
from api.v1.fields import StringListField
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from tournaments.documents.read.people_list import LEFT_OUT, PastedPlayer, read_people
from tournaments.models.clubs import Club, NamesPolicy, Player
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_club, may_do
from tournaments.selectors.clubs.find_players import find_merged_into
from tournaments.selectors.clubs.members import get_pasted_line
from tournaments.selectors.db.statements import PagedRows, RenderedRows
from tournaments.selectors.events.players import (
    ShownPlayer,
    events_with,
    player_for,
    player_rows,
    player_shown,
)
from tournaments.selectors.standings.history import bests_in
from tournaments.selectors.standings.player_results import (
    ORDER,
    entered_events,
    newest_results,
    opponents_over,
    records_over,
    results_in,
)
from tournaments.services.clubs.clubs import add_player, change_player, details_tag
from tournaments.services.clubs.player_paste import (
    MOST_LINES,
    add_roster,
    plan_players,
    undo_roster,
)
from tournaments.services.operations import Operation


class PlayerSerializer(OutputSerializer):
    """A player of a club. Members read the full name, the public what the club's policy shows."""

    player_id = serializers.CharField(help_text="The club's own number.")
    name = serializers.CharField()
    joined = serializers.DateField(allow_null=True)
    nickname = serializers.CharField(
        allow_null=True, default=None, help_text="Nickname; null for callers who are not members."
    )
    shown_as = serializers.ChoiceField(
        choices=NamesPolicy.choices,
        allow_blank=True,
        allow_null=True,
        default=None,
        help_text=(
            "Form in which the public reads the name, if it shows less than the club's policy; "
            "empty for the policy itself, null for callers who are not members."
        ),
    )
    active = serializers.BooleanField(
        source="is_active",
        allow_null=True,
        default=None,
        help_text="Whether the player is offered for seating; null for callers outside the club.",
    )
    fills_in = serializers.BooleanField(
        allow_null=True,
        default=None,
        help_text="Whether the player is willing to fill in; null for callers outside the club.",
    )


class PlayerDetailSerializer(PlayerSerializer):
    """A player of a club, and the events that the player competes in."""

    events = StringListField(help_text="Slugs of the player's events, sorted by name.")


class _PersonSerializer(StrictSerializer):
    name = TextField()
    player_id = TextField(
        required=False,
        help_text="The club's own number; by default the next free one, such as P0001.",
    )


class RosterPlayerSerializer(_PersonSerializer):
    """A person of a list to add."""

    email = TextField(
        required=False, help_text="Mail address; stored with `has_consent`, left out without it."
    )
    joined = DayField(required=False, allow_null=True)
    is_namesake = BooleanField(
        left_out=False,
        help_text="Whether this is another person than the player of this name.",
    )


class NewPlayerSerializer(_PersonSerializer):
    """A person to add to the players of a club."""

    joined = DayField(required=False, allow_null=True)


class PlayerChangesSerializer(StrictSerializer):
    """Changes of a player's details; omitted members keep their values."""

    name = TextField(required=False)
    nickname = TextField(required=False)
    player_id = TextField(
        required=False,
        help_text="New number; refused if the player is in an event or was ever seated.",
    )
    joined = DayField(required=False, allow_null=True)
    active = BooleanField(required=False)
    fills_in = BooleanField(required=False)
    shown_as = TextField(
        required=False,
        help_text=(
            "Form of the public name: `full`, `initial`, `nickname`, `number`, or empty for the "
            "club's policy. Set by the linked account, or by a director if there is none."
        ),
    )


class PlayerViewSet(OfPlayerViewSet):
    """The players of a club, sorted by number.

    Members read all players; everyone else only those who compete in an event that they may read.
    """

    resource = ("player", "players")
    lookup_field = lookup_url_kwarg = "player_id"
    serializer_class = PlayerSerializer
    detail_serializer_class = PlayerDetailSerializer
    ordering = ("player_id",)
    columns = ("player_id", "name", "joined")
    filters = (Filter("q", "Only players whose names or number match, as in a search."),)
    create = creates(add_player, NewPlayerSerializer)
    partial_update = changes(change_player, PlayerChangesSerializer)

    def retrieve(self, request: Request, **address: str) -> HttpResponseBase:
        """One player, with the events they compete in.

        The number of a merged player redirects (302) to the player who now has the records.
        """
        allow_only(request)
        player = _player(self.actor, self.parent, address["player_id"])
        if player.player_id != address["player_id"]:
            return HttpResponseRedirect(
                reverse("read_player", args=[address["club"], player.player_id])
            )
        return self.read(self.get_row(player))

    def get_queryset(self, q: str = "") -> PagedRows:
        return player_rows(self.actor, self.kwargs["club"], q)

    def perform_update(self, op: Operation, body: JsonDict) -> Player:
        changes = {name: body[name] for name in body if name in self.request.data}
        if "active" in changes:
            changes["is_active"] = changes.pop("active")
        return change_player(op, self.get_object(), based_on=body["based_on"], **changes)

    def get_row(self, result: Player) -> ShownPlayer:
        row = player_shown(self.actor, self.parent, result)
        row.events = events_with(self.actor, self.parent, result)
        return row

    def get_tag(self, row: ShownPlayer) -> str:
        if not may_do(self.parent, "read_members"):
            return ""
        return details_tag(row)

    @property
    def etag_text(self) -> str:  # type: ignore[override]  # it depends on the action
        readers = "" if self.action == "create" else "; for members"
        return f"ETag of these details, for `If-Match` of `PATCH`{readers}."


class RosterField(BodiesField):
    """The people of a list."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, list) or not data:
            raise bad_setting(self, shown(data), "a list of players")
        people = read_bodies(data[: MOST_LINES + 1], RosterPlayerSerializer)
        return tuple(
            PastedPlayer(line, as_written=True, **person)
            for line, person in enumerate(people, start=1)
        )


class NewRosterSerializer(StrictSerializer):
    """A list of people to add to a club."""

    players = RosterField(
        left_out=(),
        child=RosterPlayerSerializer(),
        min_length=1,
        max_length=MOST_LINES,
        help_text="People to add; those whom the club has, by number or name, stay as they are.",
    )
    lines = TextListField(
        left_out=(),
        max_length=MOST_LINES,
        help_text="Lines of a list or a chat instead of `players`, read as on the page *Add "
        "players*: column heads, numbers and marks before names, addresses, telephone numbers.",
    )
    as_written = TextListField(
        left_out=(),
        help_text="Texts of `lines` that are the name of one person, such as `Smith, John`.",
    )
    has_consent = BooleanField(
        left_out=False,
        help_text="Whether these people agreed to get mails at these addresses. Players of the "
        "club who have an address keep it.",
    )


class LeftOutSerializer(OutputSerializer):
    """A text of a line that is not stored."""

    kind = serializers.ChoiceField(choices=list(LEFT_OUT))
    text = serializers.CharField()


class RosterLineSerializer(OutputSerializer):
    """The outcome for one person of a list."""

    index = serializers.IntegerField(
        help_text="Position in the `players` or `lines` of the request, from 0."
    )
    name = serializers.CharField()
    player_id = serializers.CharField(
        allow_blank=True, help_text="Number of a `new` player, or the number sent; otherwise empty."
    )
    outcome = serializers.ChoiceField(
        choices=["new", "there", "likely", "twice", "no_name"],
        help_text="`new`: added; `there`: known to the club; `likely`: short for the name of the "
        "player, or of one of several, in `like`, and not added: send the player's id, or "
        "`is_namesake` for another person; `twice`: earlier in the list as well; "
        "`no_name`: a line that is not a name, such as a title. It is left out.",
    )
    like = serializers.CharField(
        allow_blank=True, help_text="Player with the same or nearly the same name; or empty."
    )
    left_out = LeftOutSerializer(many=True, help_text="Texts of the line that are not stored.")


class RosterSerializer(OutputSerializer):
    """A list of people that was added."""

    number = serializers.IntegerField(help_text="Number of the list, by which it can be undone.")
    added = serializers.IntegerField(help_text="Number of people who are new in the club.")
    addresses = serializers.IntegerField(help_text="Number of mail addresses that were stored.")
    players = RosterLineSerializer(many=True)


class UndoneRosterSerializer(OutputSerializer):
    """The outcome of undoing a list of people."""

    removed = StringListField(help_text="Numbers of the players who were removed.")
    kept = StringListField(help_text="Numbers of those seated or entered since.")
    addresses = serializers.IntegerField(help_text="How many mail addresses were deleted.")


RECORDS: Final = ("best_place", "longest_series", "moons", "lowest_game", "highest_game")


class PlayerResultSerializer(OutputSerializer):
    """The place and score of a player in one event, from its newest publication."""

    event = serializers.CharField(help_text="Slug of the event.")
    name = serializers.CharField()
    entrant_id = serializers.CharField(
        help_text="Id of the entrant: the player, or the player's pair or team."
    )
    on = serializers.DateField(allow_null=True, help_text="Day of the last counted evening.")
    rank = serializers.IntegerField(allow_null=True)
    place = serializers.CharField(
        allow_blank=True, help_text="Rank, with `=` if it is tied (`3=`); empty without a place."
    )
    of = serializers.IntegerField(help_text="Number of places in the standings.")
    score = serializers.CharField(
        allow_null=True, help_text="Primary value, which decides the place; on a ladder the rating."
    )
    score_key = serializers.CharField(
        allow_blank=True, help_text="Key of the column that `score` is from, such as `rating`."
    )
    publication = serializers.IntegerField(
        allow_null=True, help_text="Number of the newest publication; null before the first."
    )


class OpponentSerializer(OutputSerializer):
    """An opponent of a player, with the results at the tables where both played."""

    player_id = serializers.CharField()
    name = serializers.CharField()
    events = serializers.IntegerField()
    games = serializers.IntegerField(help_text="Number of tables where both played.")
    ahead = serializers.IntegerField(help_text="Number of tables where the player was ahead.")
    level = serializers.IntegerField()
    behind = serializers.IntegerField()
    share = serializers.CharField(help_text="Exact share of tables won, as `2/3`; ties count half.")


class PlayerRecordSerializer(OutputSerializer):
    """A record of a player, with the newest event in which it was reached."""

    key = serializers.ChoiceField(choices=RECORDS)
    value = serializers.CharField(help_text="A place, a count, or exact points.")
    event = serializers.CharField(help_text="Slug of the event.")
    name = serializers.CharField(help_text="Name of the event.")
    of = serializers.IntegerField(allow_null=True, help_text="Number of places, for `best_place`.")
    times = serializers.IntegerField(help_text="Number of events in which the value was reached.")
    tables = StringListField(help_text="Codes of the tables where the record was reached.")


class PlayerRecordsSerializer(OutputSerializer):
    """Totals and records of a player over the newest events."""

    events = serializers.IntegerField(help_text="Number of events with a counted table.")
    games = serializers.IntegerField(help_text="Number of tables played.")
    hands = serializers.IntegerField()
    wins = serializers.IntegerField(help_text="Number of tables won.")
    moons = serializers.IntegerField(
        allow_null=True, help_text="Number of moons in events with full sheets; null without such."
    )
    records = PlayerRecordSerializer(many=True)


def _in_body(problem: Problem, member: str) -> Problem:
    """Return a problem at its place in a body; a line is one text."""
    place = [part - 1 if isinstance(part, int) else part for part in problem.at[1:]]
    return replace(problem, at=(member, *(place[:1] if member == "lines" else place)))


class RosterViewSet(ResourceViewSet):
    """Lists of people that were added to a club."""

    resource = ("roster", "rosters")
    ordering = ()
    row_selector = staticmethod(get_pasted_line)
    lookup_url_kwarg, lookup_value_converter = "number", "number"
    create = creates(add_roster, NewRosterSerializer, answer=RosterSerializer)
    undo = performs(undo_roster, "undo", answer=UndoneRosterSerializer)

    def perform_create(self, op: Operation, body: JsonDict) -> JsonDict:
        if bool(body["players"]) == bool(body["lines"]):
            facts = {"key": "players", "found": "", "expected": "exactly one of players, lines"}
            raise Refused(Problem("bad_setting", ("players",), facts))
        member = "lines" if body["lines"] else "players"
        has_consent = body["has_consent"]
        text = "\n".join(" ".join(line.splitlines()) for line in body["lines"])
        pasted = body["players"] or read_people(text, body["as_written"])
        roster = plan_players(self.parent, pasted[:MOST_LINES], has_consent=has_consent)
        try:
            line = add_roster(
                op, self.parent, pasted=pasted, seen=roster.digest, has_consent=has_consent
            )
        except Refused as refused:
            raise Refused(*(_in_body(it, member) for it in refused.problems)) from refused
        lines = [
            {
                **asdict(person),
                "index": person.line - 1,
                "left_out": [{"kind": kind, "text": text} for kind, text in person.left_out],
            }
            for person in roster.lines
        ]
        addresses = len(line.facts.get("addresses", ()))
        counts = {"added": len(roster.new), "addresses": addresses}
        return {"number": line.number, **counts, "players": lines}

    def get_location(self, result: JsonDict) -> str:
        return reverse("list_players", kwargs=self.kwargs)


def _player(actor: Actor, club: Club, player_id: str) -> Player:
    """Return a player as the caller reads it; of a merged one the player who has the records."""
    player = find_merged_into(club, player_id)
    return player_for(actor, club, player.player_id if player is not None else player_id)


class PlayerResultViewSet(ResourceViewSet):
    """The results of a player in the events of a club that you may read, newest event first.

    Events in the archive are not listed.
    """

    resource = ("player_result", "player_results")
    serializer_class, ordering = PlayerResultSerializer, ORDER

    def get_queryset(self) -> RenderedRows:
        player = _player(self.actor, self.parent, self.kwargs["player_id"])
        return RenderedRows(entered_events(self.actor, self.parent, player), results_in)


class OpponentViewSet(ResourceViewSet):
    """The opponents of a player in the newest 60 events that you may read, most tables first.

    Events of pairs and teams do not count.
    """

    resource = ("player_opponent", "player_opponents")
    serializer_class = OpponentSerializer
    ordering = ()

    def get_queryset(self) -> list[JsonDict]:
        player = _player(self.actor, self.parent, self.kwargs["player_id"])
        return opponents_over(self.parent, player, newest_results(self.actor, self.parent, player))


@reading("read_player_records", PlayerRecordsSerializer)
def read_player_records(request: Request, club: str, player_id: str) -> JsonDict:
    """Totals and records of a player over the newest 60 events that you may read."""
    actor = caller(request)
    home = get_club(actor, club)
    results = newest_results(actor, home, _player(actor, home, player_id))
    bests = bests_in([(result.event_id, result.entrant_id) for result in results])
    totals, records = records_over(results, bests)
    return {**totals, "records": records}
