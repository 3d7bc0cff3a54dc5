"""Which tables and columns of a club are in an archive, and JSON that names rows by number."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import models

from scoring.json_types import JsonDict
from tournaments.models.access import TableLink
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant
from tournaments.models.rounds import Meeting

Pointer: TypeAlias = "models.ForeignKey[Any, Any]"
Pointers: TypeAlias = dict[type[models.Model], list[Pointer]]
"""Models with the columns by which they point at others."""

Field: TypeAlias = "models.Field[Any, Any]"

NOT_ANONYMOUS: Final = frozenset({
    "auditline", "audithead", "change", "importproblem", "upload", "undonehand", "replacement",
    "columnmap", "sheetphoto", "picture", "publication", "storedhistory", "dispute", "playermerge",
    "erasure", "readback", "resultnote", "secondtyping", "ruling", "laddermove", "ratingchange",
    "ladderstate",
    "clublogo", "clubfront", "formereventslug", "deadline", "dealprinting",
    "similarplayers", "playeralias", "contact", "seatingconstraint", "seatingplan",
    "importbatch",
})  # fmt: skip
"""Tables with names, pictures or what people wrote, and what is computed again from the others."""

TEXTS_THAT_STAY: Final = frozenset({
    "club.slug", "club.name", "club.time_zone", "club.language", "club.names_policy",
    "club.event_creators", "club.colour", "club.seating", "season.slug", "season.name",
    "season.settings", "season.seed", "event.slug", "event.name", "event.kind", "event.state",
    "event.visibility", "event.variant", "event.options", "event.settings", "event.seed",
    "snapshot.content_hash", "snapshot.variant", "snapshot.variant_name", "snapshot.options",
    "snapshot.rules", "player.player_id", "player.shown_as", "entrant.code", "entrant.kind",
    "entrant.state", "stage.name", "stage.kind", "stage.asked", "stage.kept", "stage.plan",
    "stage.table_sizes", "stage.carry", "stage.takes", "stage.advance", "stage.seeding",
    "stage.each_round", "housevariant.slug", "housevariant.name", "houseversion.code",
    "houseversion.base", "houseversion.options", "houseversion.foundation", "houseversion.rules",
    "houseversion.about", "meeting.state", "round.state", "table.code", "seat.side",
    "deal.source", "deal.secret", "deal.commitment", "board.dealer", "board.hands", "game.state",
    "game.progress", "hand.state", "entry.form", "entry.typed", "entry.verified", "entry.moon",
    "entry.key", "entry.body_hash", "entry.source", "aggregate.kept", "challenge.state",
    "challenge.confirmed_as", "ladderstep.kind", "ladderstep.week", "ladderstep.facts",
    "playoff.key", "playoff.state", "playoff.boundaries", "playoff.cuts", "playoff.policy",
    "playoff.rules", "playoff.seed", "playoff.legs", "playoff.standing", "playoff.result",
    "playoff.asked", "playoffstep.kind", "playoffstep.facts",
})  # fmt: skip
"""Texts and JSON of an anonymous archive; all others are empty there."""

FILES: Final = {
    ("picture", "jpeg"): "jpeg",
    ("clublogo", "png"): "png",
    ("publication", "body"): "json",
    ("publication", "csv"): "csv",
    ("storedhistory", "body"): "json",
    ("upload", "content"): "upload",
}
"""Columns that have files of their own in an archive → how these names end."""

NOT_UNDONE_ELSEWHERE: Final = {"steps": [], "events": {}, "after": {}, "of_archive": True}
"""Replacement for the rows that a merge moved: an import cannot undo it."""


@lru_cache(maxsize=1)
def removal_order() -> Sequence[tuple[type[models.Model], Sequence[Pointer]]]:
    """Return the models below a club, those first that nothing points at any more, each with the
    columns that are emptied before all, as two models point at each other."""
    pointers: Pointers = {}
    for model in apps.get_app_config("tournaments").get_models():
        columns = model._meta.concrete_fields
        keys = [column for column in columns if isinstance(column, models.ForeignKey)]
        if any(key.related_model is Club for key in keys):
            pointers[model] = [key for key in keys if key.related_model is not model]
    emptied: Pointers = {model: [] for model in pointers}
    order = []
    while pointers:
        targets = {key.related_model for keys in pointers.values() for key in keys}
        free = [model for model in pointers if model not in targets]
        for model in free:
            order.append((model, emptied[model]))
            del pointers[model]
        for model, fields in pointers.items() if not free else ():
            rings = [key for key in fields if key.null and _leads_back(key, model, pointers)]
            emptied[model] += rings
            pointers[model] = [key for key in fields if key not in rings]
    return tuple(order)


def _leads_back(pointer: Pointer, model: type[models.Model], pointers: Pointers) -> bool:
    visited: set[Any] = set()
    ahead: list[Any] = [pointer.related_model]
    while ahead:
        target = ahead.pop()
        if target is model:
            return True
        if target in pointers and target not in visited:
            visited.add(target)
            ahead += [field.related_model for field in pointers[target]]
    return False


_OF_ACCOUNTS: Final = "accounts belong to an installation, not to a club"
_SECRETS: Final = "a secret of this installation"
LEFT_OUT: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("membership", "playerclaim", "notice", "notificationchoice", "dismissedhint"), _OF_ACCOUNTS
    ),
    **dict.fromkeys(("clubimport", "clubimportpiece"), _OF_ACCOUNTS),
    **dict.fromkeys(("invitation", "setuplink", "tablelink", "personallink", "token"), _SECRETS),
    **dict.fromkeys(("calendarlink", "fillinrequest", "webhook"), _SECRETS),
    "formerslug": "another club of the other installation may have the address",
    "dirty": "the queue of jobs, made again",
    "outbox": "mail, sent by this installation",
    "mailboxslot": "mails that this installation sent within a day",
    "heartbeat": "workers of this installation",
    "reply": "answers to requests of this installation",
    "publicationfile": "made again at the first request",
    "publicationpack": "older publications are packed again",
    "refusedact": "attempts at this installation, by its accounts and links",
    **dict.fromkeys(
        ("webhooksequence", "webhookevent", "webhookdelivery"),
        "messages of this installation to its webhooks",
    ),
}
"""Table → why it is not in an archive."""


def table_of(model: type[models.Model]) -> str:
    return str(model._meta.model_name)


def fields_of(model: type[models.Model]) -> list[Field]:
    """Return the columns of a model that an archive has, in the order of the model.

    It leaves out the number of the row, which is that of its line, the club, accounts and links,
    and the sort keys of names, which are made again.
    """
    elsewhere = (Club, TableLink, get_user_model())
    return [
        field
        for field in model._meta.concrete_fields
        if field.name != "sort_key"
        and (field.related_model not in elsewhere if field.is_relation else not field.primary_key)
    ]


def is_left_out(model: type[models.Model], *, anonymous: bool) -> bool:
    table = table_of(model)
    return table in LEFT_OUT or (anonymous and table in NOT_ANONYMOUS)


def may_stay(model: type[models.Model], field: Field) -> bool:
    is_text = isinstance(field, models.CharField | models.TextField | models.JSONField)
    return (
        not is_text or bool(field.choices) or f"{table_of(model)}.{field.name}" in TEXTS_THAT_STAY
    )


Numbered = Callable[[int], int | None]
"""The number of a row → its number on the other side; None where that side has no such row."""


@dataclass(frozen=True, slots=True)
class RowNumbers:
    """The numbers that rows of players, entrants and meetings have on the other side."""

    of: Mapping[type[Any], Numbered]

    def player(self, number: int) -> int:
        """Return a player's number; 0, which no player has, if there is none."""
        return self.of[Player](number) or 0

    def entrant(self, number: int | None) -> int | None:
        if number is None:
            return None
        return self.of[Entrant](number)


def renumbered(table: str, column: str, value: Any, numbers: RowNumbers) -> Any:
    """Return a column's value with the numbers of the other side; most columns name no row."""
    rewrite = _REWRITTEN.get((table, column))
    if rewrite is None or value is None:
        return value
    return rewrite(value, numbers)


def renumbers(table: str, column: str) -> bool:
    return (table, column) in _REWRITTEN


def deadline_key(kind: str, key: str, numbers: RowNumbers) -> str:
    """Return the key of a deadline, which is the row of a meeting for some kinds."""
    if kind not in ("digest", "evening_reminder", "evening_end", "evening_result"):
        return key
    return str(numbers.of[Meeting](int(key)) or 0)


def _plan_inputs(inputs: JsonDict, numbers: RowNumbers) -> JsonDict:
    rewritten = dict(inputs)
    for name in ("present", "floated", "forfeits"):
        if name in inputs:
            rewritten[name] = sorted(map(numbers.player, inputs[name]))
    for name in ("apart", "together", "sides", "units"):
        if name in inputs:
            rewritten[name] = [_players(group, numbers) for group in inputs[name]]
    for name in ("presence", "fixed_tables", "standing", "scores"):
        if name in inputs:
            rewritten[name] = [[numbers.player(row[0]), *row[1:]] for row in inputs[name]]
    if "entrants" in inputs:
        rewritten["entrants"] = [numbers.entrant(entrant) for entrant in inputs["entrants"]]
    return rewritten


def _plan_round(planned: JsonDict, numbers: RowNumbers) -> JsonDict:
    rewritten = planned | {
        "tables": [_players(table, numbers) for table in planned["tables"]],
        "sitting_out": _players(planned["sitting_out"], numbers),
    }
    if "reasons" in planned:
        rewritten["reasons"] = [
            entry | {"players": _players(entry["players"], numbers)} for entry in planned["reasons"]
        ]
    if "floats" in planned:
        rewritten["floats"] = [
            entry | {"player": numbers.player(entry["player"])} for entry in planned["floats"]
        ]
    return rewritten


def _plan_cost(cost: JsonDict, numbers: RowNumbers) -> JsonDict:
    if "uneven" not in cost:
        return cost
    return cost | {"uneven": [[numbers.player(row[0]), *row[1:]] for row in cost["uneven"]]}


def _plan_problem(problem: JsonDict, numbers: RowNumbers) -> JsonDict:
    facts = problem.get("facts", {})
    if "pairs" not in facts:
        return problem
    pairs = [_players(pair, numbers) for pair in facts["pairs"]]
    return problem | {"facts": facts | {"pairs": pairs}}


def _players(group: list[int], numbers: RowNumbers) -> list[int]:
    return [numbers.player(player) for player in group]


_REWRITTEN: Final[Mapping[tuple[str, str], Callable[[Any, RowNumbers], Any]]] = {
    ("publication", "pack"): lambda pack, _numbers: None if pack else pack,
    ("seatingplan", "inputs"): _plan_inputs,
    ("seatingplan", "rounds"): lambda rounds, numbers: [_plan_round(r, numbers) for r in rounds],
    ("seatingplan", "problem"): _plan_problem,
    ("seatingplan", "cost"): _plan_cost,
    ("playeralias", "newest"): lambda newest, numbers: numbers.player(newest),
    ("playermerge", "moved"): lambda _moved, _numbers: NOT_UNDONE_ELSEWHERE,
}
