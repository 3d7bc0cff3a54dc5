"""The data of the page Manage, read once; operations, steps, and the jobs of an event in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal, NamedTuple

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.domain.event_settings import settings_of
from tournaments.models.access import PlayerClaim
from tournaments.models.events import Event, StageKind
from tournaments.models.hands import DisputeState, Hand
from tournaments.models.imports import BatchState, ImportBatch
from tournaments.models.rounds import Meeting, MeetingState, RoundState
from tournaments.models.seating_plans import PlanState
from tournaments.policy import Actor
from tournaments.selectors.attendance.attendance_list import attendance_counts
from tournaments.selectors.boards import number_of_boards
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.members import list_pending_claims
from tournaments.selectors.events.entrants import event_counts, names_in
from tournaments.selectors.events.events import event_url
from tournaments.selectors.events.meetings import (
    evening_day,
    meetings_of,
    number_of_meetings,
    without_rounds,
)
from tournaments.selectors.hands.decisions import listed
from tournaments.selectors.hands.disputes import list_disputes, upheld_disputes, visible_disputes
from tournaments.selectors.imports import batches_of, is_interrupted
from tournaments.selectors.jobs.jobs import Job, list_jobs
from tournaments.selectors.jobs.queue import is_worker_heard, list_failed_jobs
from tournaments.selectors.ladders.challenges import (
    ChallengeRow,
    challenge_lines,
    open_challenge_rows,
)
from tournaments.selectors.notices.outbox import mails_of
from tournaments.selectors.playoffs.playoffs import playoffs_of
from tournaments.selectors.playoffs.shared_first import list_shared_first
from tournaments.selectors.rounds.evening_end import EveningEnd, find_due_evening_end
from tournaments.selectors.rounds.round_board import RoundBoard
from tournaments.selectors.rounds.round_names import distinct_names, round_label, round_names
from tournaments.selectors.rounds.round_progress import (
    RoundProgress,
    current_round,
    entry_times,
    filed_hands,
    round_clock,
    round_progress,
)
from tournaments.selectors.rules.house_rules import find_newer_house_version
from tournaments.selectors.seating_plans.current_stage import current_stage
from tournaments.selectors.seating_plans.plans import (
    has_planned_rounds,
    state_of_plans,
)
from tournaments.selectors.stages import stages_asked
from tournaments.selectors.standings.correction_window import finalization_problems, window_ends
from tournaments.selectors.standings.history import newly_below_minimum
from tournaments.selectors.waiting import list_waiting
from tournaments.services.drafts import outdated_drafts
from tournaments.services.publishing.schedule_playoffs import find_ties_at_close
from tournaments.templatetags.points import at

EVENT_WAITS: Final = ("refused_hand", "not_entered")
"""Kinds of what waits that Manage lists as other pages do."""
QUIET_AFTER: Final = timedelta(minutes=30)
"""A table of a round in progress is late after this time without a hand."""
PLAYED_WITHIN: Final = timedelta(hours=2)
"""No table is late in a round whose newest hand is older: it is not being played now."""
WAITING_BATCHES: Final = (
    BatchState.MAPPING,
    BatchState.PREVIEW,
    BatchState.RUNNING,
    BatchState.DONE,
)


@dataclass(frozen=True, slots=True)
class ManageAction:
    """A link, or a button where `field` is what it posts; `permission` is a right of the policy.

    `about` distinguishes buttons with the same text for screen readers.
    """

    text: str
    url: str
    permission: str = "manage_event"
    field: str = ""
    value: str = ""
    about: str = ""

    def is_allowed(self, event: Event) -> bool:
        return may_do(event, self.permission)


@dataclass(frozen=True, slots=True)
class ManageStep:
    name: str
    reason: str
    action: ManageAction
    other: ManageAction | None = None
    tone: Literal["", "bad"] = ""


class JobText(NamedTuple):
    """The name of a kind of job, the effect of its failure, and the meaning of its key, if it has
    one. The key of an evening is that of its row, which no page shows."""

    name: str | Promise
    stopped: str | Promise
    key: str | Promise = ""
    is_of_evening: bool = False


WORDS: Final = {
    "event": JobText(_("Standings"), _("Publishing the standings failed three times.")),
    "ladder": JobText(
        _("Ladder and ratings"),
        _("Computing the ladder failed three times. The ladder has not changed."),
    ),
    "playoffs": JobText(
        _("Tie detection"), _("The check for ties that need a play-off failed three times.")
    ),
    "recount": JobText(
        _("Recomputing all games"),
        _("Recomputing the games failed three times. Nothing is published until it succeeds."),
    ),
    "companion": JobText(
        _("History"),
        _("Building the history (tables by round, head-to-head, records) failed three times."),
    ),
    "import": JobText(_("Import"), _("Importing a file failed three times."), _("file %(key)s")),
    "finalise": JobText(
        _("Event deadline"), _("Making the event final at its deadline failed three times.")
    ),
    "finalise_round": JobText(
        _("Round deadline"),
        _("Making the games of a round final at their deadline failed three times."),
        _("round %(key)s"),
    ),
    "challenge": JobText(
        _("Challenge deadline"),
        _("Closing an expired challenge failed three times."),
        _("challenge %(key)s"),
    ),
    "challenge_soon": JobText(
        _("Challenge reminder"),
        _("Reminding of the deadline of a challenge failed three times."),
        _("challenge %(key)s"),
    ),
    "digest": JobText(
        _("Digest after the evening"),
        _("Writing the digest after an evening failed three times."),
        is_of_evening=True,
    ),
    "evening_end": JobText(
        _("End of an evening"),
        _("Ending an evening an hour after its last round failed three times."),
        is_of_evening=True,
    ),
    "evening_result": JobText(
        _("Result of an evening"),
        _("Storing the result of an evening failed three times."),
        is_of_evening=True,
    ),
    "evening_reminder": JobText(
        _("Reminder of an evening"),
        _("Reminding players of an evening failed three times."),
        is_of_evening=True,
    ),
    "ladder_week": JobText(
        _("Weekly inactivity check"), _("The weekly inactivity check failed three times.")
    ),
}
"""By kind of a scope without its colon, or of a deadline."""


def draft_actions(url: str) -> tuple[ManageAction, ManageAction]:
    """Return the buttons of a draft that is out of date; `url` is its round's tab Manage."""
    again = ManageAction(gettext("Draw again"), url, field="draw_again", value="yes")
    return again, ManageAction(gettext("Post anyway"), url, field="anyway", value="yes")


class ManageFacts:
    """An event as its director's page reads it; `current` is the round that is shown in tiles.

    `waits` are the obstacles to finalizing a closed event, `playoffs` those to play or answer,
    `asked_stages` the cuts with open questions. `claims` and `parked_mails` are the club's, empty
    for a reader who may not decide them. `challenges` are a ladder's open ones. `evening` is the
    meeting of the current round, else that of `tonight`; `attendance` is the number of players by
    state there, `plans` whether a plan of it is `chosen`, plans are a `draft`, or there are none
    (""), and `has_planned_rounds` whether the chosen one has rounds not yet created. `stage` is
    that of the next round. `next_meeting` is the next evening without a round, none on a day with
    one; `past_meeting` the first that is over and has none; `n_planned` counts those to come
    without a round. `tonight` is today, or yesterday while its evening goes on; `meets_today` is
    about that day. `upheld` are disputes whose hand was not corrected since. `n_evenings` is None
    unless the best evenings count, `n_boards` unless the event is a duplicate one. `quiet` has, by
    the code of a late table, the time of its last hand and whether it has any; `imports` those that
    wait for a person to give `columns`, `confirm`, `restart` or resolve `problems`, with their
    number. `below` is how many the minimum leaves without a place for the first time, and the games
    needed. `outdated` says what changed since drafts were drawn, by the number of the round.
    """

    def __init__(self, event: Event, *, actor: Actor, now: datetime) -> None:
        """Read the facts; a constant number of queries."""
        self.event, self.now = event, now
        self.settings = settings = settings_of(event)
        self.today = today = now.astimezone(event.club.zone).date()
        self.rounds = round_progress(event)
        self.round_names = round_names((row.row, row.tables) for row in self.rounds)
        self.current = current = current_round(self.rounds)
        self.clock = clock = round_clock(event, current.row, now=now) if current else None
        is_over = clock is not None and clock.is_over
        self.board = (
            RoundBoard(event, current.row, names=False, is_over=is_over) if current else None
        )
        is_open = list_disputes(event).filter(state=DisputeState.OPEN)
        playoffs = playoffs_of(event, may_direct=True)
        unplayed = without_rounds(event)
        self.tonight = tonight = evening_day(event, now)
        meets_tonight = any(
            round_.row.meeting is not None
            and round_.row.meeting.gathers
            and round_.row.meeting.date == tonight
            for round_ in self.rounds
        )
        self.evening = _evening(event, current, tonight)
        self.plans = state_of_plans(self.evening)
        self.quiet = _quiet(current, self.board, now)
        self.filed = filed_hands(event)
        self.disputes = visible_disputes(actor, event, is_open)
        self.upheld = () if event.state == "final" else tuple(upheld_disputes(event))
        self.playoffs = tuple(row for row in playoffs if row.is_live or row.is_asked)
        self.asked_stages = stages_asked(event)
        self.imports = tuple(_waiting_imports(event))
        self.challenges = _challenges(event, actor, now)
        self.failed = list_failed_jobs(event)
        self.jobs = list_jobs(event, now=now)
        self.has_worker = is_worker_heard(now)
        self.claims = _claims(event)
        roles = [(event.club, str(getattr(event, "role", "")))]
        self.waiting = list_waiting(roles, now=now, event=event, kinds=EVENT_WAITS)
        mails = mails_of(event.club).filter(sent_at__isnull=True, parked=True)
        self.parked_mails = mails.count() if may_do(event, "read_mail") else 0
        self.newer = None if event.is_over else find_newer_house_version(event)
        self.waits = tuple(finalization_problems(event)) if event.state == "closed" else ()
        self.window_ends = window_ends(event)
        has_minimum = settings.min_third and event.state != "final"
        self.below = newly_below_minimum(event) if has_minimum else (0, 0)
        self.attendance = attendance_counts(self.evening)
        self.has_planned_rounds = self.plans == PlanState.CHOSEN and has_planned_rounds(
            self.evening
        )
        self.stage = current_stage(event)
        self.outdated = outdated_drafts(event) if self.is_running else {}
        self.next_meeting = None if meets_tonight else _first(unplayed.filter(date__gte=tonight))
        self.meets_today = meets_tonight or self.next_meeting == tonight
        self.past_meeting = _first(unplayed.filter(date__lt=tonight))
        self.n_planned = unplayed.filter(date__gte=tonight).count()
        self.n_evenings = number_of_meetings(event) if settings.best_of else 0
        self.n_boards = number_of_boards(event) if settings.duplicate else None
        self.counts = event_counts(event, today)

    def url(self, name: str, *args: object) -> str:
        return event_url(name, self.event, *args)

    def club_url(self, name: str) -> str:
        return reverse(f"tournaments:{name}", args=(self.event.club.slug,))

    def move_action(self, to: str, text: str) -> ManageAction:
        return ManageAction(text, self.url("manage-event"), field="to", value=to)

    def move_round_action(self, number: int, to: str, text: str) -> ManageAction:
        return ManageAction(
            text, f"{self.url('manage-round', number)}?back=manage", field="to", value=to
        )

    def resolve_action(self, hand: Hand, about: str = "") -> ManageAction:
        """Return the link to the correction of a hand, or of totals, that is saved as disputed."""
        code = hand.game.table.code
        if not hand.number:
            return ManageAction(gettext("Resolve totals"), self.url("totals", code), about=about)
        text = gettext("Resolve hand %(hand)s") % {"hand": hand.number}
        return ManageAction(text, self.url("edit-hand", code, hand.number), about=about)

    def round_label(self, number: int) -> str:
        """Return which round it is: "3", or "3 (Final)"."""
        rounds = [(row.row, row.tables) for row in self.rounds]
        return round_label(number, distinct_names(self.round_names, rounds))

    def round_title(self, number: int) -> str:
        """Return what a round is called: "Round 3", "Final", or "Round 3 (Final)" of two finals."""
        name = self.round_names.get(number)
        if name is None or self._has_namesake(name):
            return gettext("Round %(number)s") % {"number": self.round_label(number)}
        return name

    def round_words(self, number: int) -> str:
        """Return what a round is called within a sentence: "round 3", "the semi-final"."""
        name = self.round_names.get(number)
        if name is None or self._has_namesake(name):
            return gettext("round %(number)s") % {"number": self.round_label(number)}
        return gettext("the %(round)s") % {"round": name[:1].lower() + name[1:]}

    def _has_namesake(self, name: str) -> bool:
        """Whether two rounds have a name, as the finals of a cup and of its consolation."""
        return [*self.round_names.values()].count(name) > 1

    def round_action(self, number: int) -> ManageAction:
        return ManageAction(self.round_title(number), self.url("round", number))

    def open_table_action(self, code: str, number: int) -> ManageAction:
        return ManageAction(
            gettext("Open table %(table)s") % {"table": number}, self.url("table", code)
        )

    def decide_dispute_action(self, number: int, about: str = "") -> ManageAction:
        url = self.url("rule-on-dispute", number)
        return ManageAction(gettext("Decide dispute"), url, "rule_on_disputes", about=about)

    def decide_playoff_action(self, number: int) -> ManageAction:
        text = gettext("Decide play-off %(number)s") % {"number": number}
        return ManageAction(text, f"{self.url('playoff', number)}#act-answer")

    def decide_stage_action(self, number: int) -> ManageAction:
        text = gettext("Decide stage %(number)s") % {"number": number}
        return ManageAction(text, self.url("manage-stage", number))

    @property
    def is_running(self) -> bool:
        return not self.event.is_over

    @property
    def is_ladder(self) -> bool:
        return self.event.is_ladder

    @property
    def own_rounds(self) -> tuple[RoundProgress, ...]:
        return tuple(round_ for round_ in self.rounds if not round_.is_playoff)

    @property
    def open_rounds(self) -> tuple[RoundProgress, ...]:
        return tuple(own_round for own_round in self.own_rounds if own_round.is_open)

    @cached_property
    def evening_end(self) -> EveningEnd | None:
        """The end of the evening whose last posted round is complete."""
        return find_due_evening_end(self.event, now=self.now)

    @cached_property
    def ties_at_close(self) -> tuple[str, ...]:
        """Sentences on the play-offs that closing the event brings, once its last round is over."""
        is_early = self.open_rounds or self.has_rounds_to_come
        ties = () if is_early else find_ties_at_close(self.event)
        names = names_in(self.event) if ties else {}
        text = gettext("Closing brings a play-off: %(names)s are tied for place %(place)s.")
        return tuple(
            text % {"names": listed([names[code] for code in tie.members]), "place": tie.ahead + 1}
            for tie in ties
        )

    @property
    def has_rounds_to_come(self) -> bool:
        """Whether the stage that is played has further rounds; a knock-out ends with one table."""
        if self.stage is None or not self.own_rounds:
            return False
        if self.stage.movement == StageKind.KNOCKOUT:
            return self.own_rounds[-1].tables != 1
        return bool(self.stage.rounds_left)

    @cached_property
    def shared_first(self) -> tuple[str, ...]:
        """The names of those who share place 1 where ties are played off, but not for a title."""
        is_early = self.open_rounds or self.has_rounds_to_come or self.event.state == "draft"
        if is_early or self.event.state == "final":
            return ()
        return list_shared_first(self.event, self.settings)

    @property
    def shared_first_text(self) -> str:
        text = gettext("%(names)s share place 1.")
        if not self.shared_first:
            return ""
        return text % {"names": listed(self.shared_first)}

    @property
    def text_to_close(self) -> str:
        """The words of the button that closes the event: place 1 stays shared by it, if it is."""
        return gettext("Share it and close") if self.shared_first else gettext("Close event")

    @property
    def text_to_finish(self) -> str:
        """The words of the button that makes a closed event final."""
        return gettext("Share it") if self.shared_first else gettext("Make final")

    @property
    def questions_at_close(self) -> tuple[str, ...]:
        """Sentences on what closing the event brings or leaves: play-offs, a shared place 1."""
        if self.shared_first:
            return (self.shared_first_text,)
        return self.ties_at_close

    def play_off_first_action(self) -> ManageAction:
        return ManageAction(
            gettext("Play off"), self.url("manage-event"), field="first", value="play_off"
        )

    @property
    def is_window_open(self) -> bool:
        return self.window_ends is not None and self.now < self.window_ends


def _evening(event: Event, current: RoundProgress | None, tonight: date) -> Meeting | None:
    if current is not None:
        return current.row.meeting
    meeting = meetings_of(event).filter(date=tonight, gathers=True).first()
    is_cancelled = meeting is not None and meeting.state == MeetingState.CANCELLED
    return None if is_cancelled else meeting


def _first(meetings: QuerySet[Meeting]) -> date | None:
    return meetings.values_list("date", flat=True).first()


def _quiet(
    current: RoundProgress | None, tiles: RoundBoard | None, now: datetime
) -> dict[str, tuple[datetime, bool]]:
    if current is None or tiles is None or current.state != RoundState.PLAYING:
        return {}
    times = entry_times(current.row)
    newest = {code: last for code, (_first, last) in times.items()}
    if not newest or now - max(newest.values()) > PLAYED_WITHIN:
        return {}
    begun = min(first for first, _last in times.values())
    since = {tile.code: newest.get(tile.code, begun) for tile in tiles.tiles}
    return {
        tile.code: (since[tile.code], tile.code in newest)
        for tile in tiles.tiles
        if tile.state in ("seated", "play", "late") and now - since[tile.code] >= QUIET_AFTER
    }


def _waiting_imports(event: Event) -> Iterator[tuple[str, ImportBatch, int]]:
    if not may_do(event, "import_sheets"):
        return
    asking = ~Q(state=BatchState.DONE) | Q(n_open__gt=0)
    batches = batches_of(event).filter(asking, state__in=WAITING_BATCHES).order_by("number")
    states = {BatchState.MAPPING: "columns", BatchState.PREVIEW: "confirm"}
    for batch in batches:
        n_open: int = batch.n_open  # type: ignore[attr-defined]  # annotated
        if batch.state in states:
            yield states[BatchState(batch.state)], batch, n_open
        elif batch.state == BatchState.RUNNING:
            if is_interrupted(batch):
                yield "restart", batch, n_open
        elif n_open:
            yield "problems", batch, n_open


def _challenges(event: Event, actor: Actor, now: datetime) -> Sequence[ChallengeRow]:
    if not event.is_ladder:
        return ()
    rows = list(open_challenge_rows(event))
    if not rows:
        return ()
    return challenge_lines(event, rows, actor=actor, now=now)


def _claims(event: Event) -> Sequence[PlayerClaim]:
    club = event.club
    club.role = getattr(event, "role", "")  # type: ignore[attr-defined]  # as `club_at` sets it
    return list_pending_claims(club)


def job_row(job: Job) -> tuple[str, str, Job, float]:
    """Return the name of a job, its distinguishing key, the job, and its seconds."""
    words = words_of(job.kind)
    key = str(words.key) % {"key": job.key} if words.key and job.key else job.key
    if words.is_of_evening:
        key = ""
    return str(words.name), key, job, (job.took_ms or 0) / 1000


def jobs_in_words(jobs: Sequence[Job], zone: str) -> str:
    parts = [
        text % {"n": n}
        for state, text in (
            ("stopped", _("%(n)s stopped")),
            ("running", _("%(n)s running")),
            ("waiting", _("%(n)s pending")),
        )
        if (n := sum(job.state == state for job in jobs))
    ]
    ran = max((job.ran_at for job in jobs if job.ran_at), default=None)
    parts = parts or [str(_("Up to date"))]
    if ran is not None:
        parts.append(str(_("last run %(when)s")) % {"when": at(ran, zone)})
    return ", ".join(map(str, parts))


def words_of(kind: str) -> JobText:
    """Return the words for a kind of work; one without any is called by its kind."""
    if kind in WORDS:
        return WORDS[kind]
    return JobText(kind, _("A background job of this event failed three times and has stopped."))
