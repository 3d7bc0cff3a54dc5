"""Messages about a challenge: received, answered, near its deadline, with a result to confirm."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext

from scoring.errors import one_stop
from scoring.ladders.challenges import WINS
from scoring.ladders.positions import Ladder
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.columns import as_json
from tournaments.models.events import Entrant, EntrantKind, EntrantMember
from tournaments.models.hands import Dispute, DisputeState, Hand
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge, ChallengeState, LadderStep
from tournaments.models.standings import Contribution
from tournaments.policy import may
from tournaments.selectors.access.personal_links import confirmation_token
from tournaments.selectors.clubs.clubs import actor_of, get_role
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.ladders.challenge_results import (
    NO_PROBLEMS,
    places_after_win,
    problems_of_results,
)
from tournaments.selectors.ladders.challenges import (
    due_with_problems,
    member_names,
)
from tournaments.selectors.ladders.log import listed_ladder, places_at, side_ahead, winner_at
from tournaments.selectors.notices import notice_messages, result_messages
from tournaments.selectors.notices.notice_messages import (
    MINUS,
    NothingToSay,
    NoticeContext,
    NoticeText,
    on_day,
    page_of,
    quoted,
    when,
    where_of,
)

ANSWERS: Final = {
    "accepted": gettext_lazy("%(challenged)s accepted the challenge of %(challenger)s"),
    "declined": gettext_lazy("%(challenged)s declined the challenge of %(challenger)s"),
    "expired": gettext_lazy("%(challenged)s did not answer the challenge of %(challenger)s"),
    "withdrawn": gettext_lazy("%(challenger)s withdrew the challenge to %(challenged)s"),
    "forfeited_c": gettext_lazy("%(challenger)s forfeited the game against %(challenged)s"),
    "forfeited_d": gettext_lazy("%(challenged)s forfeited the game against %(challenger)s"),
    "cancelled": gettext_lazy("The challenge of %(challenger)s to %(challenged)s was cancelled"),
    "void": gettext_lazy("The challenge of %(challenger)s to %(challenged)s no longer counts"),
    "withdrawn_result": gettext_lazy(
        "The result of %(challenger)s against %(challenged)s was withdrawn"
    ),
    "disputed": gettext_lazy("Is the result of %(challenger)s against %(challenged)s wrong?"),
    "turned": gettext_lazy("The result of %(challenger)s against %(challenged)s was corrected"),
}
"""State that a challenge came to, or what happened to its result → sentence."""
WAITS_FOR_DIRECTOR: Final = gettext_lazy("The result counts only when a director has decided.")
LEFT: Final = gettext_lazy(
    "The challenge of %(challenger)s to %(challenged)s ended without a winner"
)

OTHER_SIDE: Final = {"challenger": "challenged", "challenged": "challenger"}
DECIDED: Final = (ChallengeState.CONFIRMED, ChallengeState.VOID)


def received(context: NoticeContext) -> NoticeText:
    challenge = _find_challenge(context, "issued")
    return _text(
        context,
        challenge,
        gettext("%(challenger)s challenges you"),
        gettext("Answer challenge"),
        gettext("Answer by %s."),
        quoted(context.texts(challenge.event, challenge.words)) if challenge.words else "",
        stake=_stake(context, challenge),
    )


def answered(context: NoticeContext) -> NoticeText:
    to = str(context.facts["to"])
    challenge = _find_challenge(context)
    if to not in ANSWERS:
        raise NothingToSay
    if to == "disputed":
        return _result_disputed(context, challenge)
    if to == "withdrawn_result":
        return _result_withdrawn(context, challenge)
    if to == "turned":
        return _result_turned(context, challenge)
    play_by = ""
    stake: tuple[str, ...] = ()
    if (to, challenge.state) == ("accepted", "accepted"):
        play_by = gettext("Play by %s. Then one of you enters the result on its page.")
        stake = _stake(context, challenge)
    title = str(ANSWERS[to])
    link = gettext("Open challenge")
    reason = context.texts(challenge.event, str(context.facts.get("reason") or ""))
    words = gettext("Reason: %s") % quoted(reason) if reason else ""
    sides = {challenge.challenger.code: "challenger", challenge.challenged.code: "challenged"}
    if leaving_side := sides.get(context.facts.get("left", "")):
        title = str(LEFT)
        words = gettext("%s left the ladder.") % _names(challenge, context)[leaving_side]
    text = _text(context, challenge, title, link, play_by, words, stake=stake)
    if to != challenge.state:
        return text
    return replace(
        text, headline=_win_of_reader(context, challenge, _winner_without_game(challenge))
    )


def _result_disputed(context: NoticeContext, challenge: Challenge) -> NoticeText:
    """Tell the other side, and the directors who rule on it, that a result is said to be wrong."""
    rows = Dispute.objects.filter(pk=context.id_of("dispute"), state=DisputeState.OPEN)
    dispute = rows.first()
    if dispute is None:
        raise NothingToSay
    names = _names(challenge, context)
    says = _by_side(context, challenge, gettext("%s says that the result is wrong."))
    words = quoted(context.texts(challenge.event, dispute.words))
    ruling = str(WAITS_FOR_DIRECTOR)
    text = NoticeText(
        str(ANSWERS["disputed"]) % names,
        gettext("Open challenge"),
        page_of(challenge.event, "challenge", challenge.number),
        (challenge.event.name, *filter(None, (says,)), words, ruling),
        _points_rows(context, challenge),
    )
    reader = context.reader
    if isinstance(reader, User) and may(
        get_role(actor_of(reader), challenge.club_id), "rule_on_disputes"
    ):
        path = page_of(challenge.event, "rule-on-dispute", dispute.number)
        return replace(text, link=gettext("Rule on dispute"), path=path)
    return text


def _result_withdrawn(context: NoticeContext, challenge: Challenge) -> NoticeText:
    if challenge.state != ChallengeState.ACCEPTED:
        raise NothingToSay  # another result was entered since
    by = _by_side(context, challenge, gettext("%s withdrew it."))
    return _text(
        context,
        challenge,
        str(ANSWERS["withdrawn_result"]),
        gettext("Open challenge"),
        gettext("Play or enter the result by %s."),
        by or gettext("A host or director of the club withdrew it."),
    )


def _result_turned(context: NoticeContext, challenge: Challenge) -> NoticeText:
    """Tell the new winner of a result that a correction turned it, and that it is not final."""
    ahead = _side_ahead(challenge) if challenge.state == ChallengeState.PLAYED else ""
    if not ahead or ahead != _own_side(context, challenge):
        raise NothingToSay  # confirmed or withdrawn since, or turned again
    loser = _names(challenge, context)[OTHER_SIDE[ahead]]
    asked = gettext("%s is asked to confirm the result.") % loser
    text = _text(
        context,
        challenge,
        str(ANSWERS["turned"]),
        gettext("Open challenge"),
        gettext("Without an answer it counts on %s."),
        stake=(asked, *_result_stake(context, challenge, ahead), *_waits_for_director(challenge)),
    )
    return replace(
        text,
        rows=_points_rows(context, challenge),
        headline=_win_of_reader(context, challenge, ahead),
    )


def _side_ahead(challenge: Challenge) -> str:
    places = places_at(challenge.game) if challenge.game is not None else {}
    return side_ahead(challenge, places)


def _winner_without_game(challenge: Challenge) -> str:
    """Return the side that won a challenge without a game; "" where nobody did."""
    if challenge.state == ChallengeState.FORFEITED_C:
        return "challenged"
    # The log has what counts: a first refusal may be forgiven.
    is_win = challenge.state in WINS and hasattr(challenge, "ladder_step")
    return "challenger" if is_win else ""


def _own_side(context: NoticeContext, challenge: Challenge) -> str:
    """Return the side of the reader in a challenge; "" of anybody else."""
    sides = {challenge.challenger_id: "challenger", challenge.challenged_id: "challenged"}
    members = EntrantMember.objects.filter(context.is_own("player__"), entrant__in=sides)
    entrant_id = members.values_list("entrant_id", flat=True).first()
    return sides[entrant_id] if entrant_id is not None else ""


def _win_of_reader(context: NoticeContext, challenge: Challenge, winner: str) -> str:
    """Return the sentence that the reader has won a challenge; "" where another side did."""
    if not winner or winner != _own_side(context, challenge):
        return ""
    loser = _names(challenge, context)[OTHER_SIDE[winner]]
    return one_stop(gettext("You won against %s.") % loser)


def _waits_for_director(challenge: Challenge) -> tuple[str, ...]:
    problems = problems_of_results([challenge]).get(challenge.game_id or 0, NO_PROBLEMS)
    if problems.open_number is None:
        return ()
    return (str(WAITS_FOR_DIRECTOR),)


def _by_side(context: NoticeContext, challenge: Challenge, sentence: str) -> str:
    """Return a sentence about the side that did something; "" where neither did."""
    sides = {challenge.challenger.code: "challenger", challenge.challenged.code: "challenged"}
    side = sides.get(str(context.facts.get("by", "")))
    if side is None:
        return ""
    return sentence % _names(challenge, context)[side]


def deadline_near(context: NoticeContext) -> NoticeText:
    challenge = _find_challenge(context, str(context.facts["state"]))
    if _due_at(challenge) is None:
        raise NothingToSay
    if challenge.state == "issued":
        title = gettext("Answer the challenge of %(challenger)s")
        due = gettext("Answer by %s.")
        link = gettext("Answer challenge")
        return _text(context, challenge, title, link, due, stake=_stake(context, challenge))
    title = gettext("Play the challenge of %(challenger)s to %(challenged)s")
    return _text(
        context,
        challenge,
        title,
        gettext("Open challenge"),
        gettext("Play by %s."),
        stake=_stake(context, challenge),
    )


def to_confirm(context: NoticeContext) -> NoticeText:
    """Ask the loser whether a result is right: the points at the table, and what it changes."""
    challenge = _find_challenge(context, "played")
    ahead = _side_ahead(challenge)
    if ahead and ahead == _own_side(context, challenge):
        raise NothingToSay  # a correction turned the result: the other side is asked
    stake = _waits_for_director(challenge)
    if ahead:
        stake = (*_result_stake(context, challenge, ahead), *stake)
    text = _text(
        context,
        challenge,
        gettext("Is the result of %(challenger)s against %(challenged)s right?"),
        gettext("Confirm result"),
        gettext("Without an answer it counts on %s."),
        stake=stake,
    )
    wrong = page_of(challenge.event, "dispute-result", challenge.number)
    if text.mail_path:
        wrong = f"{text.mail_path}?wrong=1"
    answers = () if context.person is not None and not text.mail_path else (wrong,)
    return replace(
        text,
        rows=_points_rows(context, challenge),
        answers=tuple((gettext("It is wrong"), path) for path in answers),
    )


def _points_rows(context: NoticeContext, challenge: Challenge) -> tuple[tuple[str, str], ...]:
    """Return where and when a challenge was played, and the points of everybody at the table."""
    game = challenge.game
    if game is None:
        return ()
    table = game.table
    rows = [(gettext("Table"), where_of(table))]
    if table.round.meeting is not None:
        rows.append((gettext("Day"), on_day(table.round.meeting.date)))
    contributions = Contribution.objects.filter(game=game, games__gt=0).select_related("entrant")
    at_table = list(contributions.order_by("place", "pk"))
    names = _names_at_table(context, challenge, [row.entrant for row in at_table])
    has_points = game.snapshot.has_points
    for row in at_table:
        facts: dict[str, object] = {"place": row.place}
        text = gettext("place %(place)s")
        if has_points:
            scored = as_json(row.points)
            text = ngettext(
                "%(points)s point, place %(place)s",
                "%(points)s points, place %(place)s",
                1 if scored == 1 else 2,
            )
            facts["points"] = str(scored).replace("-", MINUS)
        rows.append((names[row.entrant_id], text % facts))
    return tuple(rows)


def _stake(context: NoticeContext, challenge: Challenge) -> tuple[str, ...]:
    """Return what a challenge is about: the places, and what it means not to answer or play."""
    names = _names(challenge, context)
    rules = ladder_rules_of(challenge.event)
    ladder = listed_ladder(challenge.event)
    sentences = [_places_after(challenge, ladder, names)]
    if challenge.state == ChallengeState.ISSUED:
        no_answer = gettext("No answer counts as a win for %(challenger)s.")
        if rules.forgive_first_refusal:
            no_answer = gettext(
                "No answer counts as a win for %(challenger)s if it is a second refusal."
            )
        sentences.append(one_stop(no_answer % names))
    elif challenge.state == ChallengeState.ACCEPTED:
        unplayed = gettext("An unplayed game does not count.")
        if rules.unplayed == "forfeited_d":
            unplayed = gettext("An unplayed game counts as a win for %(challenger)s.")
        sentences.append(one_stop(unplayed % names))
    return tuple(filter(None, sentences))


def _result_stake(context: NoticeContext, challenge: Challenge, ahead: str) -> tuple[str, ...]:
    names = _names(challenge, context)
    if ahead == "challenger":
        ahead = gettext("%(challenger)s finished ahead.") % names
        return ahead, *filter(
            None, [_places_after(challenge, listed_ladder(challenge.event), names)]
        )
    return (
        gettext("%(challenged)s finished ahead.") % names,
        gettext("No places change."),
    )


def _places_after(challenge: Challenge, ladder: Ladder, names: Mapping[str, str]) -> str:
    """Return the sentence of what a win of the challenger changes; "" for one off the list."""
    low = challenge.challenger.code
    high = challenge.challenged.code
    if not {low, high} <= set(ladder.order):
        return ""
    after = places_after_win(ladder, low, high, ladder_rules_of(challenge.event))
    if (after[low], after[high]) == (ladder.place(low), ladder.place(high)):
        # The challenger has passed the challenged at a table since.
        if challenge.state == ChallengeState.PLAYED:
            return gettext("No places change.")
        return gettext("A win of %(challenger)s changes no places.") % names
    facts = {
        **names,
        "low": ladder.place(low),
        "high": ladder.place(high),
        "low_after": after[low],
        "high_after": after[high],
    }
    text = gettext(
        "When it counts: %(challenger)s place %(low)s → %(low_after)s, %(challenged)s "
        "place %(high)s → %(high_after)s."
    )
    if challenge.state != ChallengeState.PLAYED:
        text = gettext(
            "If %(challenger)s wins: %(challenger)s place %(low)s → %(low_after)s, %(challenged)s "
            "place %(high)s → %(high_after)s."
        )
    return text % facts


def _text(
    context: NoticeContext,
    challenge: Challenge,
    title: str,
    link: str,
    due: str,
    words: str = "",
    *,
    stake: tuple[str, ...] = (),
) -> NoticeText:
    """Return a message about a challenge.

    Args:
        due: a sentence for its deadline, if it has one.
        stake: sentences about what the challenge changes.
    """
    event = challenge.event
    moment = _due_at(challenge)
    names = _names(challenge, context)
    until = due % when(moment) if due and moment is not None else ""
    paragraphs = filter(None, (*stake, until, words))
    confirm = ""
    if context.link is not None and context.confirms and challenge.state in OPEN_CHALLENGES:
        # The mail proves the address, so that its link needs no other confirmation.
        facts = {"challenge": challenge.pk}
        token = confirmation_token(context.link, "challenge", facts, email=context.email)
        confirm = reverse("tournaments:my-confirm", args=(token,))
    path = page_of(event, "challenge", challenge.number)
    return NoticeText(title % names, link, path, (event.name, *paragraphs), mail_path=confirm)


def _names(challenge: Challenge, context: NoticeContext | None = None) -> dict[str, str]:
    """Return the names of both sides; a person reads the own one in full, as accounts do all."""
    sides = {"challenger": challenge.challenger, "challenged": challenge.challenged}
    names = _names_at_table(context, challenge, list(sides.values()))
    return {side: names[entrant.pk] for side, entrant in sides.items()}


def _names_at_table(
    context: NoticeContext | None, challenge: Challenge, entrants: Sequence[Entrant]
) -> Mapping[int, str]:
    column = context.column if context is not None else FULL_NAME
    names = dict(member_names(challenge.event, entrants, column))
    if context is not None and context.person is not None:
        memberships = EntrantMember.objects.filter(
            entrant__in=entrants, entrant__kind=EntrantKind.PLAYER
        )
        for entrant in memberships.filter(player=context.person).values_list(
            "entrant_id", flat=True
        ):
            names[entrant] = context.person.name
    return names


def correction(context: NoticeContext) -> NoticeText:
    """Tell the players of a table of a correction, and what it did to the table's challenges."""
    text = notice_messages.correction(context)
    hand = Hand.objects.filter(pk=context.id_of("hand"))
    states = (*DECIDED, ChallengeState.PLAYED)
    rows = Challenge.objects.filter(game__in=hand.values("game"), state__in=states)
    columns = ("event__club", "game", "challenger", "challenged", "ladder_step")
    changes = (_changed(row) for row in rows.select_related(*columns).order_by("number"))
    return replace(text, paragraphs=(*text.paragraphs, *filter(None, changes)))


def _changed(challenge: Challenge) -> str:
    """Say that a challenge is void, or won by the other one than at its confirmation."""
    names = _names(challenge)
    if challenge.state == ChallengeState.VOID:
        return str(ANSWERS["void"]) % names + "."
    if challenge.state == ChallengeState.PLAYED:
        return _not_confirmed(challenge, names)
    step: LadderStep | None = getattr(challenge, "ladder_step", None)
    before = step.facts.get("winner") if step is not None else None
    won = winner_at(challenge, places_at(challenge.game)) if challenge.game is not None else None
    if before is None or won in (None, before):
        return ""
    side = "challenger" if won == challenge.challenger.code else "challenged"
    text = gettext(
        "The correction turns the challenge of %(challenger)s to %(challenged)s round: %(ahead)s "
        "finished ahead."
    )
    return text % {**names, "ahead": names[side]}


def _not_confirmed(challenge: Challenge, names: Mapping[str, str]) -> str:
    ahead = _side_ahead(challenge)
    if not ahead:
        return ""
    text = gettext(
        "Challenge of %(challenger)s to %(challenged)s: %(ahead)s finished ahead. The result is "
        "not confirmed yet."
    )
    return text % {**names, "ahead": names[ahead]}


def digest(context: NoticeContext) -> NoticeText:
    """Tell a player their results of an evening; on a ladder first which challenges they won."""
    text = result_messages.digest(context)
    rows = Challenge.objects.filter(
        game__table__round__meeting=context.id_of("meeting"),
        state__in=(ChallengeState.PLAYED, ChallengeState.CONFIRMED),
    ).select_related("event__club", "game", "challenger", "challenged")
    outcomes = [_outcome(context, row) for row in rows.order_by("number")]
    outcomes = list(filter(None, outcomes))
    if not outcomes:
        return text
    further = [*outcomes[1:], *filter(None, [text.headline])]
    return replace(text, headline=outcomes[0], paragraphs=(*further, *text.paragraphs))


def _outcome(context: NoticeContext, challenge: Challenge) -> str:
    """Return how a challenge ended for the reader; "" for anybody else."""
    side = _own_side(context, challenge)
    ahead = _side_ahead(challenge)
    if not side or not ahead:
        return ""
    if side == ahead:
        return _win_of_reader(context, challenge, ahead)
    other = _names(challenge, context)[OTHER_SIDE[side]]
    return gettext("%s finished ahead of you.") % other


def _due_at(challenge: Challenge) -> datetime | None:
    problems = problems_of_results([challenge])
    rules = ladder_rules_of(challenge.event)
    return due_with_problems(challenge, problems, challenge.event.club.zone, rules)


def _find_challenge(context: NoticeContext, state: str = "") -> Challenge:
    rows = Challenge.objects.select_related(
        "event__club",
        "game__snapshot",
        "game__table__round__meeting",
        "game__table__event",
        "challenger",
        "challenged",
        "ladder_step",
    )
    row = context.find(rows, "challenge")
    if state and row.state != state:
        raise NothingToSay
    context.require_readable(row.event)
    return row
