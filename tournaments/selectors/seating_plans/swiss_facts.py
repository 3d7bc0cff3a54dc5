"""Swiss and knock-out rounds in words: who meets, why, who floats and who goes on.

A plan stores reasons and floats by player. Partners share a score and an opponent, so in a plan of
fixed pairs they are put together here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import one_stop
from scoring.json_types import JsonDict
from tournaments.models.events import Event
from tournaments.models.seating_plans import KNOCKOUT, PAIRS, SeatingPlan
from tournaments.selectors.clubs.names import NameColumn
from tournaments.selectors.seating_plans.people_here import PlanEntrant, entrants_of_plans
from tournaments.selectors.seating_plans.plan_facts import PlanFact
from tournaments.selectors.seating_plans.plans import RoundOfPlan

Unit = tuple[int, ...]
"""A player, or the two of a pair, as rows."""


@dataclass(frozen=True, slots=True)
class UnitNames:
    """What players and pairs of plans are called: by row of a player, and by row of an entrant."""

    players: Mapping[int, str]
    entrants: Mapping[int, PlanEntrant] = field(default_factory=dict)

    def of(self, plan: SeatingPlan, unit: Unit) -> str:
        """Return the name of a player or a pair; those of both players for two by a constraint."""
        entrant = self._entrant(plan, unit)
        if entrant is not None:
            return entrant.name
        return " & ".join(self.players.get(player, "?") for player in unit)

    def code(self, plan: SeatingPlan, unit: Unit) -> str:
        """Return the id of a pair; "" for players and for two by a constraint."""
        entrant = self._entrant(plan, unit)
        return "" if entrant is None else entrant.code

    def _entrant(self, plan: SeatingPlan, unit: Unit) -> PlanEntrant | None:
        if len(unit) < 2:
            return None
        pairs = zip(plan.inputs["units"], plan.inputs["entrants"], strict=True)
        row = next((entrant for players, entrant in pairs if tuple(players) == unit), None)
        return None if row is None else self.entrants.get(row)


def unit_names(
    event: Event, plans: Sequence[SeatingPlan], names: Mapping[int, str], column: NameColumn
) -> UnitNames:
    """Return the names for what is said of Swiss rounds; two queries where they are of pairs.

    Args:
        names: of the players of the plans, by row.
        column: which names of the players of a pair are shown.
    """
    of_pairs = [plan for plan in plans if plan.is_swiss and plan.movement == PAIRS]
    return UnitNames(names, entrants_of_plans(event, of_pairs, column) if of_pairs else {})


@dataclass(frozen=True, slots=True)
class SwissMeeting:
    """Two players or pairs at a table of a Swiss round, and why.

    `codes` and `met` are those of a stored reason: pairs met where one of the players met another.
    `scores` are shown values of both; empty in a first round.
    """

    table: int
    units: tuple[Unit, Unit]
    codes: tuple[str, ...]
    met: int
    scores: tuple[str, ...]

    @property
    def players(self) -> Unit:
        """All players of it, those of one side first."""
        return (*self.units[0], *self.units[1])

    @property
    def has_same_score(self) -> bool:
        """Whether both have the same score."""
        return "same_score" in self.codes


@dataclass(frozen=True, slots=True)
class Float:
    """A player or a pair at a table whose others all have other scores."""

    unit: Unit
    table: int
    direction: str
    again: bool


def meetings_of(plan: SeatingPlan, reasons: Iterable[JsonDict]) -> tuple[SwissMeeting, ...]:
    """Return who meets whom by the stored reasons of a round, in their order; no query."""
    unit_of = _units(plan)
    found: dict[tuple[int, tuple[Unit, Unit]], list[JsonDict]] = {}
    for reason in reasons:
        one, other = (unit_of.get(player, (player,)) for player in reason["players"])
        both = (other, one) if (reason["table"], (other, one)) in found else (one, other)
        found.setdefault((reason["table"], both), []).append(reason)
    return tuple(_meeting(plan, table, units, stored) for (table, units), stored in found.items())


def _meeting(
    plan: SeatingPlan, table: int, units: tuple[Unit, Unit], stored: Sequence[JsonDict]
) -> SwissMeeting:
    met = max(int(one["met"]) for one in stored)
    codes = tuple(dict.fromkeys(code for one in stored for code in one["codes"]))
    if "other_score" in codes:
        codes = tuple(code for code in codes if code != "same_score")
    if met:
        codes = tuple(code for code in codes if code != "not_met")
    has_scores = all(one["scores"] for one in stored)
    texts = tuple(_score_text(plan, unit) for unit in units) if has_scores else ()
    return SwissMeeting(table, units, codes, met, texts)


def floats_of_round(plan: SeatingPlan, stored: Iterable[JsonDict]) -> tuple[Float, ...]:
    """Return who floats by the stored floats of a round; a pair does where both players do."""
    unit_of = _units(plan)
    found: dict[tuple[int, Unit], list[JsonDict]] = {}
    for one in stored:
        unit = unit_of.get(one["player"], (one["player"],))
        found.setdefault((one["table"], unit), []).append(one)
    scored = {player for player, _value, _text in plan.inputs.get("scores", ())}
    return tuple(
        Float(
            unit,
            table,
            # A substitute without a score counts as the lowest; the partner's score decides.
            max(rows, key=lambda row: row["player"] in scored)["direction"],
            any(row["again"] for row in rows),
        )
        for (table, unit), rows in found.items()
        if len(rows) == len(unit)
    )


def _units(plan: SeatingPlan) -> Mapping[int, Unit]:
    """Return the pair of each player of a plan of pairs; empty for others."""
    if plan.movement != PAIRS:
        return {}
    return {player: tuple(unit) for unit in plan.inputs["units"] for player in unit}


def _score_text(plan: SeatingPlan, unit: Unit) -> str:
    scores: Iterable[tuple[int, Any, str]] = plan.inputs.get("scores", ())
    shown = {player: text for player, _value, text in scores}
    return "/".join(dict.fromkeys(shown[one] for one in unit if one in shown))


MOST_NAMED: Final = 12
"""So many floats are named; more are counted."""


PRE_PLANNED: Final = 24
"""With fewer players a Swiss evening of many rounds repeats more than a plan of all its rounds."""


@dataclass(frozen=True, slots=True)
class TableReasons:
    """Why the players of a table share it, a sentence for each two players or pairs."""

    number: int
    lines: tuple[str, ...]


def round_by_round_title(plan: SeatingPlan, sizes: str) -> str:
    """Return what a Swiss or knock-out plan is called."""
    if plan.movement == KNOCKOUT:
        return _("knock-out, %(sizes)s") % {"sizes": sizes}
    return _("Swiss round, %(sizes)s") % {"sizes": sizes}


def reasons_of_plan(plan: SeatingPlan, names: UnitNames) -> tuple[TableReasons, ...]:
    """Return the reasons of a Swiss round, table by table; empty for other plans."""
    found: dict[int, list[str]] = {}
    for meeting in meetings_of(plan, _stored(plan, "reasons")):
        found.setdefault(meeting.table, []).append(reason_line(plan, meeting, names))
    return tuple(TableReasons(number, tuple(lines)) for number, lines in sorted(found.items()))


def reason_line(
    plan: SeatingPlan, meeting: SwissMeeting, names: UnitNames, *, own: int | None = None
) -> str:
    """Return in a sentence why two players or pairs share a table.

    Args:
        own: the reader, where he or she may be one of them.
    """
    one, other = meeting.units
    scores = meeting.scores
    if own in other:
        one, other, scores = other, one, scores[::-1]
    before = _("not met before")
    if meeting.met:
        before = ngettext("met once before", "met %(n)s times before", meeting.met)
        before %= {"n": meeting.met}
    facts = {"one": names.of(plan, one), "other": names.of(plan, other), "before": before}
    facts |= {key: text or "–" for key, text in zip(("score", "less"), scores, strict=False)}
    return _reason_words(meeting, is_own=own in one) % facts


def _reason_words(meeting: SwissMeeting, *, is_own: bool) -> str:
    if not meeting.scores:
        if is_own:
            return _("You meet %(other)s: %(before)s.")
        return _("%(one)s meets %(other)s: %(before)s.")
    if meeting.has_same_score:
        if is_own:
            return _("You meet %(other)s: both %(score)s, %(before)s.")
        return _("%(one)s meets %(other)s: both %(score)s, %(before)s.")
    if is_own:
        return _("You meet %(other)s: %(score)s and %(less)s, %(before)s.")
    return _("%(one)s meets %(other)s: %(score)s and %(less)s, %(before)s.")


def float_fact(plan: SeatingPlan, names: UnitNames) -> PlanFact:
    """Return who sits with players or pairs of other scores only."""
    floats = floats_of_round(plan, _stored(plan, "floats"))
    named = [
        (_("%(name)s down") if one.direction == "down" else _("%(name)s up"))
        % {"name": names.of(plan, one.unit)}
        for one in floats
    ]
    if not plan.inputs.get("scores"):
        text = _("There are no scores yet.")
    elif not named and plan.movement == PAIRS:
        text = _("Every pair meets a pair with the same score.")
    elif not named:
        text = _("Everybody meets somebody with the same score.")
    elif len(named) <= MOST_NAMED:
        text = ", ".join(named) + "."
    else:
        down = sum(one.direction == "down" for one in floats)
        text = _("%(down)s down, %(up)s up.") % {"down": down, "up": len(named) - down}
    return PlanFact(_("Floats"), str(len(named)), text)


def meet_again_fact(plan: SeatingPlan, names: UnitNames) -> PlanFact:
    """Return how many pairs of a Swiss round met before, the fewest possible, third meetings.

    In a round of fixed pairs these are pairs of partners, and the fewest are not known.
    """
    again, first = int(plan.cost["known_pairs"]), _first(plan)
    least = int(first.get("least_repeats", 0))
    if plan.movement == PAIRS:
        again = len({body["table"] for body in _stored(plan, "reasons") if body["met"]})
    if not again:
        text = _("No pair met before.")
    elif plan.movement == PAIRS:
        text = _("Some pairs play each other again.")
    elif least >= again:
        text = _("Fewer are not possible.")
    elif first.get("is_exact"):
        text = _("Fewest possible: %(n)s. Small tables and scores come first.") % {"n": least}
    else:
        text = _("Small tables and scores come first.")
    return PlanFact(
        _("Meet again"), str(again), f"{text} {third_meetings(plan, first, names)}".strip()
    )


def third_meetings(plan: SeatingPlan, stored: JsonDict, names: UnitNames) -> str:
    """Return in a sentence who meets for the third time or more in a Swiss round; "" for nobody."""
    found = [
        " – ".join(names.of(plan, unit) for unit in meeting.units)
        for meeting in meetings_of(plan, stored.get("reasons", ()))
        if meeting.met >= 2
    ]
    if not found:
        return ""
    why = _("No tables without such a meeting were found.")
    if stored.get("is_exact"):
        why = _("No other tables are without such a meeting.")
    text = one_stop(_("For the third time or more: %(names)s.") % {"names": ", ".join(found)})
    return f"{text} {why}"


def small_tables_fact(plan: SeatingPlan, names: UnitNames) -> PlanFact | None:
    """Return how many seats at small tables each player has had; None where there were none."""
    times = [count for _player, count in _stored(plan, "small_seats")]
    least, most = min(times, default=0), max(times, default=0)
    if not most:
        return None
    text = uneven_small_tables(_first(plan), names)
    return PlanFact(
        _("Small tables"),
        str(most) if least == most else f"{least}–{most}",
        text or _("Seats of each player in this event, with this round."),
    )


def uneven_small_tables(stored: JsonDict, names: UnitNames) -> str:
    """Return in a sentence who has had two small tables more than somebody else; "" for nobody."""
    times = dict(stored.get("small_seats", ()))
    fewest = min(times.values(), default=0)
    more = [player for player, count in times.items() if count > fewest + 1]
    if not more:
        return ""
    largest = max(map(len, stored["tables"]))
    small = {player for table in stored["tables"] if len(table) < largest for player in table}
    why = _("No better tables without more third meetings were found.")
    if not small.intersection(more):
        why = _("This comes from earlier rounds.")
    elif stored.get("is_exact"):
        why = _("All better tables break a constraint or mean more third meetings.")
    named = ", ".join(f"{names.players.get(one, '?')} ({times[one]})" for one in more)
    return _("More often than others: %(names)s.") % {"names": named} + f" {why}"


def goes_on_fact(plan: SeatingPlan) -> PlanFact:
    """Return how many of each table of a knock-out round go on, and the rounds to come."""
    bracket: Sequence[JsonDict] = _first(plan).get("bracket", ())
    if not bracket:
        return PlanFact(_("Goes on"), "–", "")
    each = bracket[0]["tables"][0]["goes_on"]
    sizes = [str(sum(len(table["slots"]) for table in one["tables"])) for one in bracket]
    text = _("Players in the rounds: %(sizes)s.") % {"sizes": ", ".join(sizes)}
    return PlanFact(_("Go on from each table"), str(each), text)


def round_by_round_facts(plan: SeatingPlan, names: UnitNames) -> tuple[PlanFact, ...]:
    """Return the facts of a Swiss or knock-out round that other plans do not have."""
    if plan.movement == KNOCKOUT:
        seeded = by_seed(_first(plan), names)
        fact = PlanFact(_("By seed"), str(len(seeded)), " ".join(seeded))
        return (goes_on_fact(plan), fact) if seeded else (goes_on_fact(plan),)
    small = small_tables_fact(plan, names)
    found = (meet_again_fact(plan, names), small, float_fact(plan, names))
    return tuple(fact for fact in found if fact is not None)


def by_seed(stored: JsonDict, names: UnitNames) -> list[str]:
    """Return in sentences who goes on to a knock-out round by the seeds alone."""
    found = []
    for pair in stored.get("by_seed", ()):
        before, behind = (", ".join(names.players.get(one, "?") for one in part) for part in pair)
        text = _("%(before)s before %(behind)s by seed: nothing else tells them apart.")
        found.append(text % {"before": before, "behind": behind})
    return found


def swiss_documents(
    plan: SeatingPlan, planned_round: RoundOfPlan, ids: Mapping[int, str], names: UnitNames
) -> JsonDict:
    """Return explanations, floats and bracket of a planned round, with ids of players and pairs."""
    stored = plan.rounds[planned_round.number - 1]

    def entrants(units: Iterable[Unit]) -> list[str]:
        return [code for unit in units if (code := names.code(plan, unit))]

    forced = (third_meetings(plan, stored, names), uneven_small_tables(stored, names))
    return {
        "explanations": [
            {
                "table": meeting.table,
                "players": [ids.get(player, "") for player in meeting.players],
                "entrants": entrants(meeting.units),
                "names": [names.of(plan, unit) for unit in meeting.units],
                "codes": [*meeting.codes],
                "met": meeting.met,
                "scores": [*meeting.scores],
                "text": reason_line(plan, meeting, names),
            }
            for meeting in meetings_of(plan, stored.get("reasons", ()))
        ],
        "floats": [
            {
                "player": ids.get(found.unit[0], ""),
                "players": [ids.get(player, "") for player in found.unit],
                "entrant": names.code(plan, found.unit),
                "name": names.of(plan, found.unit),
                "table": found.table,
                "direction": found.direction,
                "again": found.again,
            }
            for found in floats_of_round(plan, stored.get("floats", ()))
        ],
        "least_repeats": stored.get("least_repeats", 0),
        "is_exact": stored.get("is_exact", False),
        "small_seats": [
            {"player": ids.get(player, ""), "times": times}
            for player, times in stored.get("small_seats", ())
        ],
        "forced": [*(text for text in forced if text), *by_seed(stored, names)],
        "bracket": stored.get("bracket", []),
    }


def swiss_advice(players: int, rounds: int) -> str:
    """Return why a plan of all rounds is better than Swiss for a small field; "" where it is not.

    Args:
        rounds: of the evening, as far as they are known.
    """
    if not 0 < players < PRE_PLANNED or rounds <= players // 6:
        return ""
    text = _(
        "For %(players)s players and %(rounds)s rounds “Meet many players” is recommended: in a "
        "Swiss tournament of so few, players with near scores soon meet again."
    )
    return text % {"players": players, "rounds": rounds}


def _stored(plan: SeatingPlan, name: str) -> Sequence[JsonDict]:
    bodies: Sequence[JsonDict] = _first(plan).get(name, ())
    return bodies


def _first(plan: SeatingPlan) -> JsonDict:
    is_known = bool(plan.rounds) and (plan.is_swiss or plan.movement == KNOCKOUT)
    first: JsonDict = plan.rounds[0] if is_known else {}
    return first
