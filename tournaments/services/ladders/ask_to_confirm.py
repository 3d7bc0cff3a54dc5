"""Ask the loser of a challenge to confirm its result, again where a correction turned it."""

from collections.abc import Collection
from datetime import datetime

from scoring.ladders.challenges import due_at
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge, ChallengeState
from tournaments.policy import Actor
from tournaments.selectors.events.entrants import recipients_of_entrants
from tournaments.selectors.ladders.challenges import scoring_challenge
from tournaments.selectors.ladders.log import places_in, side_ahead
from tournaments.services.jobs.schedule import set_challenge_deadlines
from tournaments.services.notices.notifications import notify, without_actor


def ask_loser(event: Event, row: Challenge, *, actor: Actor, now: datetime) -> None:
    """Send the loser of a result the question whether it is right; nobody if no side is ahead."""
    losers = {"challenger": row.challenged_id, "challenged": row.challenger_id}
    loser = losers.get(row.result_won_by)
    if loser is None or row.played_at is None:
        return
    notify(
        club=event.club,
        to=without_actor(recipients_of_entrants({loser}), actor),
        kind="result_to_confirm",
        key=f"{row.pk}:{row.played_at:%Y%m%d%H%M%S}",
        facts={"challenge": row.pk},
        now=now,
    )


def turn_results(
    event: Event, games: Collection[int], *, actor: Actor, now: datetime
) -> list[Challenge]:
    """Begin anew each result to confirm whose winner is another one, and return its challenge.

    The new loser is asked, and has the full time from `now`. Results of an earlier release have no
    winner yet, and get it.

    Args:
        games: those that count and are over; a result waits while its game is open again.
    """
    waiting = Challenge.objects.filter(event=event, state=ChallengeState.PLAYED)
    waiting = waiting.select_related("challenger", "challenged").order_by("number")
    rows = [row for row in waiting if row.game_id in games]
    if not rows:
        return []
    places = places_in([row.game_id for row in rows if row.game_id])
    turned = []
    for row in rows:
        ahead = side_ahead(row, places.get(row.game_id or 0, {}))
        if ahead in ("", row.result_won_by):
            continue
        is_first = not row.result_won_by
        row.result_won_by = ahead
        row.save(update_fields=["result_won_by"])
        if not is_first:
            _begin_anew(event, row, actor=actor, now=now)
            turned.append(row)
    return turned


def _begin_anew(event: Event, row: Challenge, *, actor: Actor, now: datetime) -> None:
    row.played_at = max(now, row.played_at or now)
    row.save(update_fields=["played_at"])
    due = due_at(scoring_challenge(row), event.club.zone, ladder_rules_of(event))
    set_challenge_deadlines(event, row, due)
    ask_loser(event, row, actor=actor, now=now)
    winner = row.challenger_id if row.result_won_by == "challenger" else row.challenged_id
    notify(
        club=event.club,
        to=without_actor(recipients_of_entrants({winner}), actor),
        kind="challenge_answered",
        key=f"{row.pk}:turned:{row.played_at:%Y%m%d%H%M%S}",
        facts={"challenge": row.pk, "to": "turned"},
        now=now,
    )
