"""Find who advances from a stage, by the newest publication, while it contains every change.

See docs/algorithms/stages.md. The caller holds the event's row.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from django.db.models import Exists, F, OuterRef

from scoring.errors import Problem, Refused, listed
from scoring.playoffs.boundaries import (
    WILD_CARD_LINE,
    Boundary,
    Need,
    Tiers,
    above_line,
    best_of_tables,
    needs,
    table_needs,
)
from tournaments.domain.event_settings import settings_of
from tournaments.errors import Conflict
from tournaments.models.events import (
    Entrant,
    Event,
    Stage,
    StageKind,
    StagePlan,
    StageTakes,
)
from tournaments.models.jobs import Dirty, event_scope, playoffs_scope
from tournaments.models.playoffs import StageEntrant
from tournaments.models.rounds import Round, RoundState, Sitting, Table
from tournaments.models.standings import Contribution, Publication
from tournaments.selectors.jobs.queue import get_version
from tournaments.selectors.playoffs.bracket import places_at_tables
from tournaments.selectors.stages import get_stage, published_tiers
from tournaments.selectors.standings.publications import stored_publication
from tournaments.services.db.locks import lock_event
from tournaments.services.events.states import record_change, require_running
from tournaments.services.events.table_ties import plays_tables, with_wild_cards_decided
from tournaments.services.jobs.queue import mark_due
from tournaments.services.operations import Operation

FEWEST_QUALIFIERS: Final = 2
MOST_QUALIFIERS: Final = 999
"""Maximum number of players who go on."""
PUBLISHED: Final = ("not_published", "standings_behind")
CUT: Final = (
    *("event_is_over", "event_not_open", "cut_round_open", *PUBLISHED),
    *("nobody_can_qualify", "cut_too_large", "cut_tied"),
)
"""Error codes of a stage for the best of the standings."""
BEGIN: Final = (
    *("unknown_stage", "stage_has_begun", "stage_not_next", "cut_playoff_open", *CUT),
    *("table_tied", "wild_cards_tied", "winners_not_chosen", "nobody_left"),
)
"""Error codes of beginning a planned stage."""


@dataclass(frozen=True, slots=True)
class Qualified:
    """Who plays in a stage; `cut` is how many, None where no line was drawn."""

    codes: frozenset[str]
    cut: int | None


class TiedAtCut(Conflict):
    """Nobody goes on before a tie is decided; `need` is the play-off that would do it."""

    def __init__(self, problem: Problem, need: Need) -> None:
        super().__init__(problem)
        self.need = need


def lock_stage(stage: Stage) -> Stage:
    """Lock the event of a stage, and return the stage that has its number then."""
    return get_stage(lock_event(stage.event), stage.number)


def require_open(event: Event) -> None:
    require_running(event)
    if not event.is_open:
        raise Conflict(Problem("event_not_open", facts={"state": event.state}))


def require_rounds_over(event: Event, *stages: Stage) -> None:
    """Refuse while a round is not closed: its hands may still change who advances.

    Args:
        stages: whose rounds; without any, all rounds of the event but those of play-offs.
    """
    rounds = Round.objects.filter(event=event).exclude(state=RoundState.CLOSED)
    rounds = rounds.exclude(stage__kind=StageKind.PLAYOFF)
    if stages:
        rounds = rounds.filter(stage__in=stages)
    planned = Table.objects.filter(round=OuterRef("pk"))
    rounds = rounds.exclude(~Exists(planned), state=RoundState.DRAFT)
    if (first := rounds.order_by("number").first()) is not None:
        facts = {"round": first.number, "state": first.state}
        raise Conflict(Problem("cut_round_open", facts=facts))


def current_publication(event: Event) -> Publication:
    """Return the newest publication, which no change can overtake until the transaction ends."""
    dirty = Dirty.objects.select_for_update().filter(scope=event_scope(event.pk)).first()
    publication = stored_publication(event)
    if publication is None:
        raise Conflict(Problem("not_published"))
    if dirty is None or dirty.done < dirty.version:
        raise Conflict(Problem("standings_behind"))
    return publication


def require_playoffs_looked_for(event: Event) -> None:
    """Refuse while open questions may refer to a table older than the newest one."""
    scope = playoffs_scope(event.pk)
    if Dirty.objects.filter(scope=scope, done__lt=F("version")).exists():
        raise Conflict(Problem("playoffs_looked_for"))


def may_go_on(publication: Publication, stage: Stage) -> Tiers:
    """Return the groups of tied entrants that play in the stage and have not withdrawn."""
    codes = codes_in(stage)
    tiers = published_tiers(publication)
    inside = [[code for code in tier if not codes or code in codes] for tier in tiers]
    return [tier for tier in inside if tier]


def codes_in(stage: Stage) -> frozenset[str]:
    """Return the codes of the entrants chosen for a stage; empty if it is for everybody."""
    return frozenset(stage.entrants.values_list("entrant__code", flat=True))


def qualified_for(event: Event, stage: Stage, source: Stage, publication: Publication) -> Qualified:
    """Return the entrants of a stage that follows `source`.

    A tie for the last place is refused; if the event's policy is to share, all tied advance.
    """
    if stage.takes == StageTakes.LOSERS:
        return Qualified(_losers(event, stage, source, may_go_on(publication, source)), None)
    tiers = may_go_on(publication, source)
    if stage.also_from is None or stage.also_best is None:
        return _by_rule(event, stage, source, tiers)
    beside = codes_in(stage.also_from)
    first = _by_rule(event, stage, source, without(tiers, beside))
    rest = without(may_go_on(publication, stage.also_from), first.codes)
    second = _best_by_policy(event, rest, stage.also_best, "also_best")
    return Qualified(first.codes | second.codes, (first.cut or 0) + (second.cut or 0))


def without(tiers: Tiers, codes: Collection[str]) -> Tiers:
    """Return the tiers without these.

    >>> without([["A", "B"], ["C"]], frozenset({"A", "C"}))
    [['B']]
    """
    rest = [[code for code in tier if code not in codes] for tier in tiers]
    return [tier for tier in rest if tier]


def _by_rule(event: Event, stage: Stage, source: Stage, tiers: Tiers) -> Qualified:
    if stage.advance is None:
        inside = codes_in(source).intersection(code for tier in tiers for code in tier)
        return Qualified(inside, None)
    if "best" in stage.advance:
        return _best_by_policy(event, tiers, stage.advance["best"], "cut")
    return _best_of_each_table(source, stage.advance, tiers, shares=shares_places(event))


def _best_by_policy(event: Event, tiers: Tiers, cut: int, member: str) -> Qualified:
    cut = shared_line(tiers, cut) if shares_places(event) else cut
    return Qualified(best_of(tiers, cut, member), cut)


def shares_places(event: Event) -> bool:
    return settings_of(event).playoff == "share"


def shared_line(tiers: Tiers, cut: int) -> int:
    """Return how many advance if all who share the last place do; `cut` if nobody shares it.

    >>> shared_line([["A"], ["B", "C"], ["D"]], 2), shared_line([["A"], ["B"]], 2)
    (3, 2)
    """
    ahead = 0
    for tier in tiers:
        ahead += len(tier) if ahead < cut else 0
    return max(cut, ahead)


def _best_of_each_table(
    source: Stage, advance: Mapping[str, int], tiers: Tiers, *, shares: bool
) -> Qualified:
    number, places = _places_in_last_round(source)
    fit = {code for tier in tiers for code in tier}
    at_tables = {n: {code: own[code] for code in own if code in fit} for n, own in places.items()}
    order, line, tied, tied_table = best_of_tables(tiers, places, shares=shares, **advance)
    is_played_off = plays_tables(source.event) and not shares
    for need in table_needs(at_tables, advance["each_table"], round_number=number):
        table = need.boundaries[0].table
        if is_played_off or (tied and tied_table == table):
            level = need.members if is_played_off else tied
            facts = {"level": listed(level), "table": table}
            raise TiedAtCut(Problem("table_tied", ("advance",), facts), need)
    entrants = sum(map(len, order))
    if entrants < line or line < FEWEST_QUALIFIERS:
        raise Refused(_too_few(entrants, max(line, FEWEST_QUALIFIERS), "advance"))
    above = shared_line(order, line) if shares else line
    wild_cards = advance.get("wild_cards", 0)
    through = line - wild_cards
    decided = [order[0], *with_wild_cards_decided(source.event, number, order[1:])]
    codes = above_line(decided, above)
    if codes is None:
        tie = tie_across(decided, line)
        fits = [str(int(line) - through) for line in str(tie["fits"]).split(" or ") if line]
        facts = {"level": tie["level"], "fits": " or ".join(fits)}
        boundary = Boundary(wild_cards, WILD_CARD_LINE, number)
        need = needs(order[1:], [boundary], policy="extra_hands")[0]
        raise TiedAtCut(Problem("wild_cards_tied", ("advance",), facts), need)
    return Qualified(codes, above)


def _places_in_last_round(source: Stage) -> tuple[int, dict[int, dict[str, int]]]:
    scored = Contribution.objects.filter(game__table__round__stage=source)
    rounds = Round.objects.filter(pk__in=scored.values("game__table__round"))
    last = rounds.order_by("-number").first()
    if last is None:
        return 0, {}
    return last.number, places_at_tables(source.event, [last]).get(last.number, {})


def _losers(event: Event, stage: Stage, source: Stage, tiers: Tiers) -> frozenset[str]:
    codes = frozenset(code for tier in tiers for code in tier)
    if stage.from_round is not None:
        codes &= _in_rounds(source, stage.from_round, only=True)
    later = Stage.objects.filter(event=stage.event_id, from_stage=source, takes=StageTakes.WINNERS)
    on = StageEntrant.objects.filter(stage__in=later.filter(cut__isnull=False))
    winners = frozenset(on.values_list("entrant__code", flat=True))
    if not winners or stage.from_round is not None:
        winners |= _in_rounds(source, (stage.from_round or 1) + 1)
    # A planned stage for those who go on from the source and the best of this consolation.
    back = later.filter(plan=StagePlan.PLANNED, also_from=stage).order_by("number").first()
    if not winners and back is not None:
        winners = _by_rule(event, back, source, tiers).codes
    facts = {"stage": source.title}
    if not winners:
        raise Conflict(Problem("winners_not_chosen", ("from_stage",), facts))
    if not (losers := codes - winners):
        raise Conflict(Problem("nobody_left", ("from_stage",), facts))
    return losers


def _in_rounds(source: Stage, first: int, *, only: bool = False) -> frozenset[str]:
    if source.kind != StageKind.KNOCKOUT:
        return frozenset()
    rounds = list(source.rounds.order_by("number").values_list("pk", flat=True))
    if only:
        ids = rounds[first - 1 : first]
    else:
        ids = rounds[first - 1 :]
    people = Sitting.objects.filter(round__in=ids).values("player")
    entrants = Entrant.objects.filter(event=source.event_id, members__player__in=people)
    return frozenset(entrants.values_list("code", flat=True))


def _too_few(able: int, places: int, member: str) -> Problem:
    if not able:
        return Problem("nobody_can_qualify", (member,))
    return Problem("cut_too_large", (member,), {"found": able, "wanted": places})


def best_of(tiers: Tiers, cut: int, member: str = "cut") -> frozenset[str]:
    """Return who is above the cut-off, which was entered in the field `member`."""
    able = sum(map(len, tiers))
    if able < cut:
        raise Refused(_too_few(able, cut, member))
    best = above_line(tiers, cut)
    if best is None:
        need = needs(tiers, [Boundary(cut, "cut")], policy="extra_hands")[0]
        raise TiedAtCut(Problem("cut_tied", (member,), tie_across(tiers, cut)), need)
    return best


def tie_across(tiers: Tiers, cut: int) -> dict[str, int | str]:
    """Return who is tied across a cut-off, and which cut-offs run between two tiers."""
    ahead = 0
    for tier in tiers:
        after = ahead + len(tier)
        if ahead < cut < after:
            break
        ahead = after
    fits = [str(line) for line in (ahead, after) if line >= FEWEST_QUALIFIERS]
    return {"cut": cut, "level": listed(sorted(tier)), "fits": " or ".join(fits)}


def choose(stage: Stage, codes: Iterable[str]) -> None:
    entrants = Entrant.objects.filter(event_id=stage.event_id, code__in=codes).order_by("code")
    StageEntrant.objects.bulk_create(
        StageEntrant(club_id=stage.club_id, stage=stage, entrant=entrant) for entrant in entrants
    )


def record_stage_operation(
    op: Operation,
    operation: str,
    stage: Stage,
    facts: Mapping[str, object] = MappingProxyType({}),
    reason: str = "",
    *,
    by: str = "",
    publishes: bool = True,
) -> None:
    """Have the event published, and add the operation to the change log and the club's audit trail.

    Args:
        by: the role in the change log; empty = that of the actor.
        publishes: False for what changes no standings.
    """
    event, facts = stage.event, {"stage": stage.number, **facts}
    version = None
    if not publishes:
        version = get_version(event_scope(event.pk))
        mark_due(playoffs_scope(event.pk), now=op.now)  # the next stage may have another cut
    noted = {key: value for key, value in facts.items() if key != "went_on"}
    part = f"/stage:{stage.number}"
    record_change(
        event,
        op.actor,
        operation,
        facts,
        op.now,
        by=by,
        noted=noted,
        reason=reason,
        part=part,
        version=version,
    )
