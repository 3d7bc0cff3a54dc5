"""Entrants that came or withdrew after a knock-out was drawn, and the director's options.

Until hands are played, a new entrant can get a free place at a table of the first round, or a bye;
both lead to the next round. See docs/algorithms/stages.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from scoring.errors import Refused
from scoring.seating.brackets import bracket_of, sizes_of_rules
from tournaments.domain.name_matching import sort_key
from tournaments.domain.stage_plan import goes_on_from
from tournaments.models.events import Entrant, EntrantState, Event, Stage
from tournaments.models.hands import Game, GameState
from tournaments.models.playoffs import StageEntrant, WalkOver
from tournaments.models.rounds import (
    Attendance,
    AttendanceState,
    Round,
    RoundState,
    SitOut,
    SitOutReason,
    Sitting,
    Table,
)
from tournaments.selectors.rules.rule_sets import rules_of_event


@dataclass(frozen=True, slots=True)
class LateChange:
    """An entrant missing from the draw, or withdrawn but still in it, with a sentence.

    `kind` is `entered`, `too_late` (after the first round) or `withdrew`; `tables` have a free
    place for the first, or are the table of the last. `may_bye`: later rounds can be seated with
    one more entrant.
    """

    entrant_id: str
    name: str
    kind: str
    round: int
    tables: tuple[str, ...]
    text: str
    may_bye: bool = False

    @property
    def places(self) -> tuple[tuple[str, int], ...]:
        return tuple((code, _number_of(code)) for code in self.tables)


def late_changes(
    event: Event, family: Sequence[Stage], names: dict[str, str]
) -> tuple[LateChange, ...]:
    """Return the changes since the open round of a knock-out was drawn; twelve queries at most.

    Args:
        family: the stages of the knock-out in order.
    """
    rounds = Round.objects.filter(stage__in=family).exclude(state=RoundState.DRAFT)
    posted = list(rounds.select_related("stage").order_by("number"))
    if not posted:
        return ()
    last = posted[-1]
    if last.state == RoundState.CLOSED:
        is_over = Table.objects.filter(round=last).count() == 1
        changes = [] if is_over else [*_too_late(event, posted, names)]
        return tuple(sorted(changes, key=lambda change: (sort_key(change.name), change.entrant_id)))
    at = {
        code: table
        for table, code in Sitting.objects.filter(
            round=posted[-1], to_hand=None, player__entries_in_events__event=event
        ).values_list("seat__table__code", "player__entries_in_events__entrant__code")
    }
    changes = [*_withdrew(event, posted[-1], at, names)]
    if len(posted) == 1:
        changes += _entered(event, posted[0], at, names)
    else:
        changes += _too_late(event, posted, names)
    changes.sort(key=lambda change: (change.kind, sort_key(change.name), change.entrant_id))
    return tuple(changes)


def _number_of(code: str) -> int:
    """Return the number of a table within its round.

    >>> _number_of("r2t13")
    13
    """
    return int(code.rpartition("t")[2])


def _withdrew(
    event: Event, round_: Round, at: dict[str, str], names: dict[str, str]
) -> Iterator[LateChange]:
    given_up = WalkOver.objects.filter(round=round_).values("entrant")
    withdrawn = Entrant.objects.filter(event=event, code__in=at, state=EntrantState.WITHDRAWN)
    for code in withdrawn.exclude(pk__in=given_up).values_list("code", flat=True):
        name = names.get(code, code)
        facts = {"name": name, "table": _number_of(at[code])}
        text = _(
            "%(name)s withdrew after the draw. Record a walk-over at table %(table)s, and the "
            "others go on or play without %(name)s."
        )
        yield LateChange(code, name, "withdrew", round_.number, (at[code],), text % facts)


def _entered(
    event: Event, round_: Round, at: dict[str, str], names: dict[str, str]
) -> Iterator[LateChange]:
    rules = rules_of_event(event)
    sizes = tuple(round_.stage.table_sizes or ()) or sizes_of_rules(rules)
    tables = _free_tables(round_, sizes)
    may_bye = _may_bye(round_, sizes)
    for code in _not_drawn(event, round_, at):
        facts = {
            "name": names.get(code, code),
            "stage": round_.stage.title,
            "round": round_.number,
            "tables": ", ".join(str(_number_of(table)) for table in tables),
        }
        sentences = [_("%(name)s is not in the draw of %(stage)s.") % facts]
        if tables:
            sentences.append(_("%(name)s can take a free place at table %(tables)s.") % facts)
        else:
            sentences.append(_("No table without hands has a free place."))
        if may_bye:
            text = _("%(name)s can get a bye in round %(round)s and go on to the next round.")
        else:
            text = _(
                "With a bye the next rounds do not fit the table sizes of the stage. %(name)s can "
                "take the place of somebody who leaves before the first hand of a table."
            )
        sentences.append(text % facts)
        yield LateChange(
            code, str(facts["name"]), "entered", round_.number, tables, " ".join(sentences), may_bye
        )


def _too_late(event: Event, posted: Sequence[Round], names: dict[str, str]) -> Iterator[LateChange]:
    """Yield who is here after the first round and had no part in any; four queries."""
    last = posted[-1]
    sat = Sitting.objects.filter(round__in=posted, player__entries_in_events__event=event)
    had_part = set(sat.values_list("player__entries_in_events__entrant__code", flat=True))
    for code in _not_drawn(event, last, had_part, rounds=posted):
        facts = {
            "name": names.get(code, code),
            "stage": posted[0].stage.title,
            "round": posted[0].number,
        }
        text = _(
            "%(name)s entered after round %(round)s of %(stage)s and is not in its draw. Nobody "
            "can join a knock-out after its first round. %(name)s can play in a consolation, or as "
            "a substitute."
        )
        yield LateChange(code, str(facts["name"]), "too_late", last.number, (), text % facts)


def _not_drawn(
    event: Event, round_: Round, at: Iterable[str], rounds: Sequence[Round] = ()
) -> list[str]:
    """Return who may play in a round but is not in it; at an evening, only those present.

    Args:
        rounds: those in which no returned entrant sat out or gave up a table; by default the round.
    """
    in_rounds = rounds or (round_,)
    out = [
        *SitOut.objects.filter(round__in=in_rounds).values_list("entrant", flat=True),
        *WalkOver.objects.filter(round__in=in_rounds).values_list("entrant", flat=True),
    ]
    entrants = Entrant.objects.filter(event=event).exclude(state=EntrantState.WITHDRAWN)
    entrants = entrants.exclude(code__in=list(at)).exclude(pk__in=out)
    inside = list(
        StageEntrant.objects.filter(stage=in_rounds[0].stage).values_list("entrant", flat=True)
    )
    if inside:
        entrants = entrants.filter(pk__in=inside)
    if round_.meeting_id is not None:
        present = Attendance.objects.filter(meeting=round_.meeting_id, state=AttendanceState.HERE)
        entrants = entrants.filter(members__player__in=present.values("player")).distinct()
    return list(entrants.values_list("code", flat=True))


def _may_bye(round_: Round, sizes: Sequence[int]) -> bool:
    rule = goes_on_from(round_.stage)
    byes = SitOut.objects.filter(round=round_, reason=SitOutReason.BYE).count()
    tables = Table.objects.filter(round=round_).count()
    next_round = tables * rule.each_table + rule.wild_cards + byes + 1
    try:
        bracket_of(next_round, sizes, rule.each_table, rule.wild_cards)
    except Refused:
        return False
    return True


def _free_tables(round_: Round, sizes: Sequence[int]) -> tuple[str, ...]:
    games = Game.objects.filter(table__round=round_, state=GameState.SEATED)
    seats = dict.fromkeys(games.order_by("table__number").values_list("table__code", flat=True), 0)
    sitting = Sitting.objects.filter(seat__table__code__in=seats, round=round_, to_hand=None)
    for code in sitting.values_list("seat__table__code", flat=True):
        seats[code] += 1
    return tuple(code for code, count in seats.items() if count + 1 in sizes)
