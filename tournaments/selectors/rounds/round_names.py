"""The names of the rounds of a knock-out: first round, semi-final, final."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Count
from django.utils.translation import gettext as _

from scoring.seating.brackets import USUAL_TABLE_SIZE, table_sizes
from tournaments.domain.stage_plan import goes_on_from
from tournaments.models.events import NAMED, Event, Stage, StageKind, StageTakes
from tournaments.models.rounds import Round, SitOut, SitOutReason, Table
from tournaments.selectors.events.events import rounds_of
from tournaments.selectors.stages import is_consolation, way_to


def knockout_way(stage: Stage, stages: Sequence[Stage]) -> list[Stage]:
    """Return a stage of a knock-out and those from which its winners came, the first one last."""
    way = [stage]
    for source in way_to(stage, stages):
        if way[-1].takes != StageTakes.WINNERS or source.kind != StageKind.KNOCKOUT:
            break
        way.append(source)
    return way


def is_final(last: Round) -> bool:
    """Whether a round of a knock-out has a single table, and nobody advances with a bye."""
    byes = SitOut.objects.filter(round=last, reason=SitOutReason.BYE)
    return Table.objects.filter(round=last).count() == 1 and not byes.exists()


def name_of_round(event: Event, round_: Round) -> str:
    """Return the name of a round, loaded with its stage; "" for one that has a number alone."""
    if round_.stage.kind not in NAMED:
        return ""
    return names_of_rounds(event).get(round_.number, "")


def names_of_rounds(event: Event) -> Mapping[int, str]:
    """Return the names of the knock-out rounds and the play-offs of an event, by number.

    One query where it has neither, else three.
    """
    named = Stage.objects.filter(event=event, kind__in=NAMED)
    if not named.exists():
        return {}
    rows = rounds_of(event).select_related("stage").annotate(n_tables=Count("tables"))
    rounds = [(row, row.n_tables) for row in rows.order_by("number")]
    names = distinct_names(round_names(rounds), rounds)
    for row, _n_tables in rounds:
        if row.stage.kind == StageKind.PLAYOFF:
            names[row.number] = _("Play-off")
    return names


def distinct_names(names: Mapping[int, str], rounds: Iterable[tuple[Round, int]]) -> dict[int, str]:
    """Return names of `round_names` with the stage before those of a consolation, whose rounds are
    called as those of the cup: "Consolation: Final"; no query."""
    every = [round_ for round_, _tables in rounds]
    stages = list(dict.fromkeys(round_.stage for round_ in every))
    distinct = dict(names)
    for round_ in every:
        if round_.number in names and is_consolation(round_.stage, stages):
            facts = {"stage": round_.stage.title, "name": names[round_.number]}
            distinct[round_.number] = _("%(stage)s: %(name)s") % facts
    return distinct


def labels_by_event(events: Iterable[Event]) -> Mapping[int, Mapping[int, str]]:
    """Return which round it is of those rounds that have names, by event and number; one query,
    and three for each event with names."""
    by_key = {event.pk: event for event in events}
    named = Stage.objects.filter(event__in=by_key, kind__in=NAMED).order_by()
    labels = {}
    for key in named.values_list("event", flat=True).distinct():
        names = names_of_rounds(by_key[key])
        labels[key] = {number: round_label(number, names) for number in names}
    return labels


def round_label(number: int, names: Mapping[int, str]) -> str:
    """Return which round it is, within a sentence that says "round": "3", or "3 (Final)"."""
    name = names.get(number)
    if name is None:
        return str(number)
    return _("%(number)s (%(name)s)") % {"number": number, "name": name}


def label_of_round(event: Event, round_: Round) -> str:
    """Return which round it is; no query for one, loaded with its stage, that has no name."""
    if round_.stage.kind not in NAMED:
        return str(round_.number)
    return round_label(round_.number, names_of_rounds(event))


def round_title(number: int, names: Mapping[int, str]) -> str:
    """Return the title of a round, where it stands alone: "Round 3", or "Final · Round 3"."""
    facts = {"number": number, "name": names.get(number)}
    if facts["name"] is None:
        return _("Round %(number)s") % facts
    return _("%(name)s · Round %(number)s") % facts


def names_on_page(event: Event) -> Mapping[int, str]:
    """Return the names of the rounds of an event that one page shows: looked up once, and not at
    all where it was read without any."""
    if not getattr(event, "has_round_names", True):  # annotated where an event is read for a page
        return {}
    if event.round_names is None:
        event.round_names = names_of_rounds(event)
    return event.round_names


def load_round_names(events: Iterable[Event]) -> None:
    """Look up the names of rounds for a page that shows several events, each maybe several times;
    one query, and three for each event that has names."""
    rows = list(events)
    named = Stage.objects.filter(event__in={row.pk for row in rows}, kind__in=NAMED)
    keys = set(named.order_by().values_list("event", flat=True).distinct())
    names: dict[int, Mapping[int, str]] = {}
    for row in rows:
        if row.pk in keys and row.pk not in names:
            names[row.pk] = names_of_rounds(row)
        row.round_names = names.get(row.pk, {})


def round_names(rounds: Iterable[tuple[Round, int]]) -> dict[int, str]:
    """Return the names of the knock-out rounds among those of an event, by number; one query.

    With them that of the next round, where one knock-out is played.

    Args:
        rounds: each with the number of its tables, by number, play-offs among them.
    """
    every = list(rounds)
    rows = [row for row in every if row[0].stage.kind == StageKind.KNOCKOUT]
    if not rows:
        return {}
    stages = list(dict.fromkeys(round_.stage for round_, _tables in rows))
    sit_outs = SitOut.objects.filter(round__in=[round_.pk for round_, _tables in rows])
    byes = Counter(sit_outs.filter(reason=SitOutReason.BYE).values_list("round_id", flat=True))
    names: dict[int, str] = {}
    for at, (round_, tables) in enumerate(rows):
        way = knockout_way(round_.stage, stages)
        nth = sum(earlier.stage in way for earlier, _tables in rows[:at])
        going_on = _going_on(round_.stage, tables, byes[round_.pk])
        names[round_.number] = _name(nth, going_on)
    # The next round follows from the last one, at which the loop has ended.
    sizes = round_.stage.table_sizes or (4, 3)
    if len(way) == len(stages) and going_on > 1 and (following := table_sizes(going_on, sizes)):
        then = _going_on(round_.stage, len(following.tables), following.sit_outs)
        names[every[-1][0].number + 1] = _name(nth + 1, then)
    return names


def _going_on(stage: Stage, tables: int, byes: int) -> int:
    """Return how many go on from a round: 1 from a final, 0 from a round without tables."""
    rule = goes_on_from(stage)
    if tables < 2 and not byes:
        return tables
    return tables * rule.each_table + (rule.wild_cards if tables > 2 else 0) + byes


def _name(nth: int, going_on: int) -> str:
    if going_on == 1:
        return _("Final")
    if 1 < going_on <= USUAL_TABLE_SIZE:
        return _("Semi-final")
    first = (_("First round"), _("Second round"), _("Third round"), _("Fourth round"))
    if nth < len(first):
        return first[nth]
    return _("Knock-out round %(n)s") % {"n": nth + 1}
