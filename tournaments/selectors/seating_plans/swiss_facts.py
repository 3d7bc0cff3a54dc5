"""Swiss and knock-out rounds in words: pairings, reasons, floats and qualifiers.

A plan stores reasons and floats by player. Partners share a score and an opponent, so this module
combines them in a plan of fixed pairs.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import one_stop
from scoring.json_types import JsonDict
from tournaments.models.events import Entrant, Event
from tournaments.models.seating_plans import KNOCKOUT, PAIRS, SeatingPlan
from tournaments.selectors.clubs.names import NameColumn
from tournaments.selectors.events.entrants import WITH_PLAYERS, entrant_names
from tournaments.selectors.seating_plans.plan_facts import PlanFact, repeated_pairs

Unit = tuple[int, ...]
"""A player, or the two of a pair, as rows."""


class UnitNames:
    """Names of players by row, and ids and names of pairs by row of the entrant.

    For texts about Swiss rounds; two queries where they are of pairs, whose names are made of a
    `column`.
    """

    def __init__(
        self,
        event: Event,
        plans: Sequence[SeatingPlan],
        players: Mapping[int, str],
        column: NameColumn,
    ) -> None:
        self.players, self.entrants = players, dict[int, tuple[str, str]]()
        of_pairs = [plan for plan in plans if plan.is_swiss and plan.movement == PAIRS]
        if of_pairs:
            pks = {pk for plan in of_pairs for pk in plan.inputs.get("entrants", ()) if pk}
            rows = Entrant.objects.filter(event=event, pk__in=pks).prefetch_related(WITH_PLAYERS)
            names = entrant_names(rows, column)
            self.entrants = {row.pk: (row.code, names[row.pk] or row.code) for row in rows}

    def of(self, plan: SeatingPlan, unit: Unit) -> str:
        """Return the name of a player or a pair; those of both players for two by a constraint."""
        _code, name = self._entrant(plan, unit)
        return name or " & ".join(self.players.get(player, "?") for player in unit)

    def code(self, plan: SeatingPlan, unit: Unit) -> str:
        """Return the id of a pair; "" for players and for two by a constraint."""
        return self._entrant(plan, unit)[0]

    def _entrant(self, plan: SeatingPlan, unit: Unit) -> tuple[str, str]:
        if len(unit) < 2:
            return "", ""
        pairs = zip(plan.inputs["units"], plan.inputs["entrants"], strict=True)
        row = next((entrant for players, entrant in pairs if tuple(players) == unit), None)
        return self.entrants.get(row or 0, ("", ""))


class SwissMeeting:
    """Two players or pairs at a table of a Swiss round, and why.

    `codes` and `met` are those of a stored reason: pairs met where one of the players met another.
    `scores` are texts of both; empty in a first round.
    """

    def __init__(
        self, plan: SeatingPlan, table: int, units: tuple[Unit, Unit], reasons: Sequence[JsonDict]
    ) -> None:
        self.table, self.units = table, units
        self.met = max(int(reason["met"]) for reason in reasons)
        codes = [code for reason in reasons for code in reason["codes"]]
        implied = {"same_score"} if "other_score" in codes else set()
        implied |= {"not_met"} if self.met else set()
        self.codes = tuple(code for code in dict.fromkeys(codes) if code not in implied)
        has_scores = all(reason["scores"] for reason in reasons)
        self.scores = tuple(_score_text(plan, unit) for unit in units) if has_scores else ()

    @property
    def players(self) -> Unit:
        """All players of it, those of one side first."""
        return (*self.units[0], *self.units[1])


MOST_NAMED: Final = 12
"""Maximum number of named floats; the others are counted."""

PRE_PLANNED: Final = 24
"""With fewer players a Swiss evening of many rounds repeats more than a plan of all its rounds."""


def meetings_of(plan: SeatingPlan, reasons: Iterable[JsonDict]) -> tuple[SwissMeeting, ...]:
    """Return the pairings in the stored reasons of a round, in their order; no query."""
    unit_of = _units(plan)
    of_units: dict[tuple[int, tuple[Unit, Unit]], list[JsonDict]] = {}
    for reason in reasons:
        unit, other = (unit_of.get(player, (player,)) for player in reason["players"])
        units = (other, unit) if (reason["table"], (other, unit)) in of_units else (unit, other)
        of_units.setdefault((reason["table"], units), []).append(reason)
    return tuple(SwissMeeting(plan, *key, bodies) for key, bodies in of_units.items())


def floats_of_round(
    plan: SeatingPlan, floats: Iterable[JsonDict]
) -> list[tuple[Unit, int, str, bool]]:
    """Return who floats at which table, in which direction, and whether again.

    A float meets a score further away than the next one; a pair floats where both players do.
    """
    unit_of = _units(plan)
    of_units: dict[tuple[int, Unit], list[JsonDict]] = {}
    for body in floats:
        unit = unit_of.get(body["player"], (body["player"],))
        of_units.setdefault((body["table"], unit), []).append(body)
    scored = {player for player, _value, _text in plan.inputs.get("scores", ())}
    return [
        (
            unit,
            table,
            # A substitute without a score counts as the lowest; the partner's score decides.
            max(bodies, key=lambda body: body["player"] in scored)["direction"],
            any(body["again"] for body in bodies),
        )
        for (table, unit), bodies in of_units.items()
        if len(bodies) == len(unit)
    ]


def _units(plan: SeatingPlan) -> Mapping[int, Unit]:
    if plan.movement != PAIRS:
        return {}
    return {player: tuple(unit) for unit in plan.inputs["units"] for player in unit}


def _score_text(plan: SeatingPlan, unit: Unit) -> str:
    scores: Iterable[tuple[int, Any, str]] = plan.inputs.get("scores", ())
    texts = {player: text for player, _value, text in scores}
    return "/".join(dict.fromkeys(texts[player] for player in unit if player in texts))


def reasons_of_plan(plan: SeatingPlan, names: UnitNames) -> list[tuple[int, list[str]]]:
    """Return for each table of a Swiss round a sentence for each two players or pairs."""
    lines: dict[int, list[str]] = {}
    for meeting in meetings_of(plan, _first(plan).get("reasons", ())):
        lines.setdefault(meeting.table, []).append(reason_line(plan, meeting, names))
    return sorted(lines.items())


def reason_line(
    plan: SeatingPlan, meeting: SwissMeeting, names: UnitNames, *, reader: int | None = None
) -> str:
    """Return in a sentence why two players or pairs, maybe the reader's own, share a table."""
    unit, other = meeting.units
    scores = meeting.scores
    if reader in other:
        unit, other, scores = other, unit, scores[::-1]
    before = _("not met before")
    if meeting.met:
        before = ngettext("met once before", "met %(n)s times before", meeting.met)
        before %= {"n": meeting.met}
    facts = {"one": names.of(plan, unit), "other": names.of(plan, other), "before": before}
    facts |= {key: text or "–" for key, text in zip(("score", "less"), scores, strict=False)}
    is_reader = reader in unit
    if not meeting.scores:
        line = (
            _("You meet %(other)s: %(before)s.")
            if is_reader
            else _("%(one)s meets %(other)s: %(before)s.")
        )
    elif "same_score" in meeting.codes:
        line = (
            _("You meet %(other)s: both %(score)s, %(before)s.")
            if is_reader
            else _("%(one)s meets %(other)s: both %(score)s, %(before)s.")
        )
    elif is_reader:
        line = _("You meet %(other)s: %(score)s and %(less)s, %(before)s.")
    else:
        line = _("%(one)s meets %(other)s: %(score)s and %(less)s, %(before)s.")
    return line % facts


def _float_fact(plan: SeatingPlan, names: UnitNames) -> PlanFact | None:
    """Return who floats; None before there are scores."""
    floats = floats_of_round(plan, _first(plan).get("floats", ()))
    if not plan.inputs.get("scores"):
        return None
    if not floats and plan.movement == PAIRS:
        text = _("Every pair meets a pair with the same score or the next one.")
    elif not floats:
        text = _("Everybody meets only players with the same score or the next one.")
    elif len(floats) <= MOST_NAMED:
        lines = (
            (_("%(name)s down") if direction == "down" else _("%(name)s up"))
            % {"name": names.of(plan, unit)}
            for unit, _table, direction, _again in floats
        )
        text = ", ".join(lines) + "."
    else:
        down = sum(direction == "down" for _unit, _table, direction, _again in floats)
        text = _("%(down)s down, %(up)s up.") % {"down": down, "up": len(floats) - down}
    return PlanFact(_("Floats"), str(len(floats)), text)


def _meet_again_fact(plan: SeatingPlan, names: UnitNames) -> PlanFact:
    """Return how many pairs of a round met before, the fewest possible, third meetings.

    In a Swiss round of fixed pairs these are pairs of partners, and the fewest are not known. In a
    knock-out they are the fewest for players whose ranks give them their tables.
    """
    again = repeated_pairs(plan) or 0
    first = _first(plan)
    least = int(first.get("least_repeats", 0))
    if not again:
        text = _("No pair met before.")
    elif plan.movement == PAIRS:
        text = _("Some pairs play each other again.")
    elif least >= again:
        text = _("Fewer are not possible.")
        if plan.movement == KNOCKOUT:
            text = _("Fewer are not possible where ranks decide who sits at which table.")
    elif plan.movement == KNOCKOUT:
        text = _("Fewest possible: %(n)s. The bracket decides who sits at which table.")
        if not first.get("is_exact"):
            text = _("At least %(n)s where ranks decide who sits at which table.")
        text %= {"n": least}
    elif first.get("is_exact"):
        text = _(
            "Fewest possible: %(n)s. Third meetings and small tables come first, scores count too."
        ) % {"n": least}
    else:
        text = _("Third meetings and small tables come first, scores count too.")
    return PlanFact(
        _("Repeated pairs"), str(again), f"{text} {third_meetings(plan, first, names)}".strip()
    )


def third_meetings(plan: SeatingPlan, body: JsonDict, names: UnitNames) -> str:
    """Return a sentence on pairs that meet for the third time or more in a Swiss round, or ""."""
    pairs = [
        " – ".join(names.of(plan, unit) for unit in meeting.units)
        for meeting in meetings_of(plan, body.get("reasons", ()))
        if meeting.met >= 2
    ]
    if not pairs:
        return ""
    why = _("No tables without such a meeting were found.")
    if body.get("is_exact"):
        why = _("No other tables are without such a meeting.")
    text = one_stop(_("For the third time or more: %(names)s.") % {"names": ", ".join(pairs)})
    return f"{text} {why}"


def _small_tables_fact(plan: SeatingPlan, names: UnitNames) -> PlanFact | None:
    times = [count for _player, count in _first(plan).get("small_seats", ())]
    least = min(times, default=0)
    most = max(times, default=0)
    if not most:
        return None
    text = uneven_small_tables(_first(plan), names)
    return PlanFact(
        _("Small tables"),
        str(most) if least == most else f"{least}–{most}",
        text or _("Seats of each player in this event, with this round."),
    )


def uneven_small_tables(body: JsonDict, names: UnitNames) -> str:
    """Return a sentence on players with two small tables more than another player, or ""."""
    times = dict(body.get("small_seats", ()))
    fewest = min(times.values(), default=0)
    more = [player for player, count in times.items() if count > fewest + 1]
    if not more:
        return ""
    largest = max(map(len, body["tables"]))
    small = {player for table in body["tables"] if len(table) < largest for player in table}
    why = _("No better tables without more third meetings were found.")
    if not small.intersection(more):
        why = _("This comes from earlier rounds.")
    elif body.get("is_exact"):
        why = _("All better tables break a constraint or mean more third meetings.")
    text = ", ".join(f"{names.players.get(player, '?')} ({times[player]})" for player in more)
    return _("More often than others: %(names)s.") % {"names": text} + f" {why}"


def _advance_fact(plan: SeatingPlan) -> PlanFact:
    bracket: Sequence[JsonDict] = _first(plan).get("bracket", ())
    if not bracket:
        return PlanFact(_("Goes on"), "–", "")
    each = bracket[0]["tables"][0]["goes_on"]
    sizes = [str(sum(len(table["slots"]) for table in body["tables"])) for body in bracket]
    text = _("Players in the rounds: %(sizes)s.") % {"sizes": ", ".join(sizes)}
    return PlanFact(_("Go on from each table"), str(each), text)


def round_by_round_facts(plan: SeatingPlan, names: UnitNames) -> tuple[PlanFact, ...]:
    """Return the facts of a Swiss or knock-out round that other plans do not have."""
    if plan.movement == KNOCKOUT:
        seeded = by_seed(_first(plan), names)
        facts = [_advance_fact(plan)]
        if "least_repeats" in _first(plan):  # plans of earlier versions have none
            facts.append(_meet_again_fact(plan, names))
        if seeded:
            facts.append(PlanFact(_("By seed"), str(len(seeded)), " ".join(seeded)))
        return tuple(facts)
    small = _small_tables_fact(plan, names)
    swiss = (_meet_again_fact(plan, names), small, _float_fact(plan, names))
    return tuple(fact for fact in swiss if fact is not None)


def by_seed(body: JsonDict, names: UnitNames) -> list[str]:
    """Return sentences on entrants that advance to a knock-out round by seed alone."""
    texts = []
    for groups in body.get("by_seed", ()):
        before, behind = (", ".join(names.players.get(pk, "?") for pk in group) for group in groups)
        text = _("%(before)s before %(behind)s by seed: nothing else tells them apart.")
        texts.append(text % {"before": before, "behind": behind})
    return texts


def swiss_documents(
    plan: SeatingPlan, body: JsonDict, ids: Mapping[int, str], names: UnitNames
) -> JsonDict:
    """Return explanations, floats and bracket of a stored round, with ids of players and pairs."""
    forced = (third_meetings(plan, body, names), uneven_small_tables(body, names))
    return {
        "explanations": [
            {
                "table": meeting.table,
                "players": [ids.get(player, "") for player in meeting.players],
                "entrants": [code for unit in meeting.units if (code := names.code(plan, unit))],
                "names": [names.of(plan, unit) for unit in meeting.units],
                "codes": [*meeting.codes],
                "met": meeting.met,
                "scores": [*meeting.scores],
                "text": reason_line(plan, meeting, names),
            }
            for meeting in meetings_of(plan, body.get("reasons", ()))
        ],
        "floats": [
            {
                "player": ids.get(unit[0], ""),
                "players": [ids.get(player, "") for player in unit],
                "entrant": names.code(plan, unit),
                "name": names.of(plan, unit),
                "table": table,
                "direction": direction,
                "again": again,
            }
            for unit, table, direction, again in floats_of_round(plan, body.get("floats", ()))
        ],
        "least_repeats": body.get("least_repeats", 0),
        "is_exact": body.get("is_exact", False),
        "small_seats": [
            {"player": ids.get(player, ""), "times": times}
            for player, times in body.get("small_seats", ())
        ],
        "forced": [*(text for text in forced if text), *by_seed(body, names)],
        "bracket": body.get("bracket", []),
    }


def swiss_advice(players: int, rounds: int) -> str:
    """Return why a plan of all rounds is better than Swiss for few players; "" where it is not."""
    if not 0 < players < PRE_PLANNED or rounds <= players // 6:
        return ""
    text = ngettext(
        "For %(players)s players and %(rounds)s round “Meet many players” is recommended: in a "
        "Swiss tournament of so few, players with near scores soon meet again.",
        "For %(players)s players and %(rounds)s rounds “Meet many players” is recommended: in a "
        "Swiss tournament of so few, players with near scores soon meet again.",
        rounds,
    )
    return text % {"players": players, "rounds": rounds}


def _first(plan: SeatingPlan) -> JsonDict:
    is_round_by_round = bool(plan.rounds) and (plan.is_swiss or plan.movement == KNOCKOUT)
    first: JsonDict = plan.rounds[0] if is_round_by_round else {}
    return first
