"""The table of each stage of an event: its own rounds alone, ranked as the event is.

Nothing is carried over, and penalties and bonuses count in the event's own table only. Made by the
worker that makes the tables as of rounds, so that a reader computes nothing.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from scoring.standings.rows import GameResult
from tournaments.domain.event_settings import counts_matches
from tournaments.models.events import Event, Stage, StageKind
from tournaments.models.meetings import Round, SitOut, SitOutReason
from tournaments.models.standings import Contribution, StoredHistory
from tournaments.publishing.history.running_tables import PlayedRound, played_rounds
from tournaments.publishing.standings.board_means import BoardMeans
from tournaments.publishing.standings.match_points import MatchPoints
from tournaments.publishing.standings.progress import AsOf
from tournaments.publishing.standings.render import (
    DraftStandings,
    draft_standings,
    rank_rows,
    render_draft,
)
from tournaments.publishing.standings.rows import EntrantInputs, rows_from
from tournaments.publishing.standings.stages_reached import StagesReached
from tournaments.publishing.standings.tie_break_evidence import StoredGames, games_in
from tournaments.selectors.events.cuts import ordinary_stages
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.events.events import default_snapshot

STAGE: Final = "stage"
"""Kind of the stored table of a stage; its key is the number of the stage."""


class GamesOfRounds:
    """The games of some rounds of an event, for criteria that look at them."""

    def __init__(self, games: StoredGames, rounds: Collection[int]) -> None:
        self._games, self._rounds = games, frozenset(rounds)

    def games_of(self, codes: Collection[str]) -> Sequence[GameResult]:
        """Return every game of the rounds in which any of `codes` played."""
        return [game for game in self._games.games_of(codes) if game.key[0] in self._rounds]

    def strangers(self, groups: Sequence[Sequence[str]]) -> Collection[int]:
        """Return the positions of groups with two who never met: nor did they in these rounds."""
        return self._games.strangers(groups)

    def index_of(self, codes: Collection[str]) -> Mapping[str, Fraction | None]:
        """Return the index of each entrant over its games of the rounds."""
        return self._games.index_of(codes, rounds=self._rounds)


def stage_tables(event: Event) -> dict[tuple[str, str], bytes]:
    """Return the tables of an event's stages by kind and key; none where it has a single stage.

    A stage in which no hand counts has none.
    """
    stages = ordinary_stages(event)
    if len(stages) < 2:
        return {}
    of_stage = dict(Round.objects.filter(event=event).values_list("number", "stage_id"))
    played = played_rounds(event)
    now, games, reached = draft_standings(event), StoredGames(event), StagesReached(event)
    found = {}
    for stage in stages:
        rounds = [one for one in played if of_stage.get(one.number) == stage.pk]
        if rounds:
            body = _table(now, stage, rounds, games, reached)
            found[STAGE, str(stage.number)] = body
    return found


def stale_stage_tables(
    event: Event, made: Collection[tuple[str, str]]
) -> Sequence[tuple[str, str]]:
    """Return kind and key of stored tables of stages that are not among those that were made."""
    stored = StoredHistory.objects.filter(event=event, kind=STAGE).values_list("key", flat=True)
    return [(STAGE, key) for key in stored if (STAGE, key) not in made]


def _table(
    now: DraftStandings,
    stage: Stage,
    rounds: Sequence[PlayedRound],
    games: StoredGames,
    reached: StagesReached,
) -> bytes:
    event, numbers = now.event, frozenset(one.number for one in rounds)
    beside = _beside(now.beside, stage)
    own = games_in(event, Contribution.objects.filter(event=event, game__table__round__stage=stage))
    snapshots = {pk for one in rounds for pk in one.snapshots}
    played = [rules_of(one) for one in event.snapshots.filter(pk__in=snapshots)]
    rows = rows_from(
        own, now.settings, beside, low_wins=low_wins(rules_of(default_snapshot(event)))
    )
    if now.settings.duplicate:
        rows = BoardMeans(event).with_means(rows, rounds=numbers)
    elif counts_matches(now.settings):
        rows = MatchPoints(event).with_means(rows, rounds=numbers)
    # What a final's play-off decides is its result, where a knock-out is ranked by places.
    is_placed = stage.kind == StageKind.KNOCKOUT and now.settings.knocked_out != "standings"
    placed = rank_rows(
        event,
        rows,
        GamesOfRounds(games, numbers),
        settings=now.settings,
        stages=reached.within(stage.pk),
        playoffs=None if is_placed else (),
    )
    days = [one.day for one in rounds if one.day]
    whole = replace(
        now,
        placed=placed,
        beside=beside,
        as_of=AsOf(
            meeting=max(days).isoformat() if days else None,
            round=rounds[-1].number,
            hands=sum(one.hands for one in rounds),
        ),
        variants=tuple(sorted({one.id for one in played})),
        is_complex=any(one.keys.number == "complex" for one in played),
    )
    return render_draft(whole).body


def _beside(now: EntrantInputs, stage: Stage) -> EntrantInputs:
    """Return names, and the byes of the stage; nothing is carried over, and no line counts."""
    sat_out = SitOut.objects.filter(round__stage=stage, reason=SitOutReason.BYE)
    byes = Counter(sat_out.values_list("entrant__code", flat=True))
    return replace(now, ledger={}, byes=byes, carry=(), bye_rounds={})
