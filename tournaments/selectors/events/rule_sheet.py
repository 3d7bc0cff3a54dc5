"""How an event is counted, in the words of a club: its rule sheet, made from its settings.

Each setting that changes what counts has an entry in `RULES`: its section and a function that
yields its sentences. A test names the settings without an entry.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Final, TypeAlias

from django.db.models import Count, Q
from django.utils import formats
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.standings.metrics import PRIMARIES
from tournaments.domain.event_settings import (
    CUT_OFFS,
    OF_PLACES,
    PLAYOFF_RULES,
    Settings,
    fixed_count,
)
from tournaments.domain.standings.criteria import CriterionText, primary_named, tie_break_named
from tournaments.models.events import Event, EventKind, Stage, StageKind
from tournaments.models.rounds import Meeting, MeetingState, RoundState
from tournaments.selectors.events.meetings import MEETING_STATE
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.events.settings_summary import evenings_counted
from tournaments.selectors.rules.rule_sets import low_wins, rules_of

EXAMPLES: Final = (9, 15)
"""Numbers of evenings in the example of a sliding rule, where the event plans none."""


@dataclass(frozen=True, slots=True)
class EveningFacts:
    """The evenings of a league, held and planned: their days, their time, and their rounds.

    `starts_at` is None where they begin at different times, or at no known one. `fewest_rounds` and
    `most_rounds` are of the evenings that are over, 0 without any.
    """

    first: date
    last: date
    starts_at: time | None = None
    fewest_rounds: int = 0
    most_rounds: int = 0


@dataclass(frozen=True, slots=True)
class EventFacts:
    """What the sentences need of an event beside its settings."""

    kind: str
    is_low_best: bool
    has_sides: bool
    has_knockout: bool
    n_evenings: int
    evenings: EveningFacts | None = None


@dataclass(frozen=True, slots=True)
class RuleSentence:
    """One rule, and what it lists: a name and its meaning each."""

    text: str
    items: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RuleSection:
    """A part of the sheet, with its rules."""

    title: str | Promise
    rules: tuple[RuleSentence, ...]


@dataclass(frozen=True, slots=True)
class SectionPair:
    """A part of two sheets: the rules of each, and whether the other one does not have them."""

    title: str | Promise
    now: Sequence[tuple[RuleSentence, bool]]
    then: Sequence[tuple[RuleSentence, bool]]

    @property
    def differs(self) -> bool:
        return any(is_changed for _rule, is_changed in (*self.now, *self.then))


Sentences: TypeAlias = Callable[[Settings, EventFacts], Iterator[RuleSentence]]

SECTIONS: Final = {
    "evenings": gettext_lazy("Evenings"),
    "game": gettext_lazy("A game"),
    "points": gettext_lazy("Points"),
    "counts": gettext_lazy("What counts"),
    "ties": gettext_lazy("Ties"),
    "cut_offs": gettext_lazy("Title, prizes and who goes on"),
    "people": gettext_lazy("Guests and substitutes"),
    "corrections": gettext_lazy("Corrections"),
}

OF_A_LADDER: Final = frozenset({"game", "corrections"})
"""Sections of a ladder: its members move by the rules of the ladder, whatever their points are."""

_LOW_POINTS: Final = {
    "raw_per_hand": gettext_lazy(
        "The card points of all your games are added and divided by the hands you played. The "
        "lowest average is first."
    ),
    "raw_total": gettext_lazy(
        "The card points of all your games are added. The lowest total is first, and all play as "
        "many hands."
    ),
}
_HIGH_POINTS: Final = {
    "raw_per_hand": gettext_lazy(
        "The points of all your games are added and divided by the hands you played. The highest "
        "average is first."
    ),
    "raw_total": gettext_lazy(
        "The points of all your games are added. The highest total is first, and all play as many "
        "hands."
    ),
}
"""Primary values of card points, where the lowest or the highest total of a game wins."""
PRIMARY_SENTENCES: Final[Mapping[str, Promise]] = {
    "placement_points": gettext_lazy(
        "Each table gives points for its places. They are added, and the highest total is first."
    ),
    "beaten_mean": gettext_lazy(
        "Each table counts the part of your opponents that you beat, a tie as a half. The highest "
        "average over your tables is first."
    ),
    "index_per_game": gettext_lazy(
        "Each game is compared with the average of its table and with the number of its hands. The "
        "highest average of these is first."
    ),
    "wins": gettext_lazy(
        "Most tables won is first. Those who share the first place of a table get equal parts of "
        "it."
    ),
    "evening_points": gettext_lazy(
        "Each evening gives points for its places. They are added, and the highest total is first."
    ),
    "match_points": gettext_lazy(
        "A match gives 2 points for a win and 1 for a tie. The highest total is first."
    ),
    "matchpoints": gettext_lazy(
        "Each board is compared with the other tables that played it. The highest percentage is "
        "first."
    ),
    "datum": gettext_lazy(
        "Each board is compared with the average of the other tables. The highest average "
        "difference is first."
    ),
    **_LOW_POINTS,
}
"""Primary value → its sentence; of card points that where the lowest total wins."""
OWNERS: Final = {
    "all": gettext_lazy(
        "If somebody has to leave and a substitute plays on, both have the place at the table."
    ),
    "regular": gettext_lazy(
        "If somebody has to leave, a substitute plays on for them: the place at the table is that "
        "of the player who was there first."
    ),
    "by_hands": gettext_lazy(
        "If somebody has to leave and a substitute plays on, they share the points of the table by "
        "the hands that each of them played."
    ),
}
GUEST_RULES: Final = {
    "compete": gettext_lazy("Guests who are added on an evening compete in the season."),
    "evening": gettext_lazy(
        "Guests play for the evening, not for the season. Once they become members, all that they "
        "have played counts."
    ),
}
EXCUSE_RULES: Final = {
    "lowest": gettext_lazy(
        "If you say before the evening that you cannot come, you are excused and get the lowest "
        "points that are given that evening."
    ),
    "mean": gettext_lazy(
        "If you say before the evening that you cannot come, you are excused and get the average "
        "of your own evenings. All evenings that you play count for it, so it changes with each."
    ),
}
BYES: Final = {
    "none": gettext_lazy("A round in which you sit out gives nothing."),
    "scheme_mean": gettext_lazy(
        "A round in which you sit out gives the average of the points of a table."
    ),
    "own_mean": gettext_lazy("A round in which you sit out gives your own average."),
}
AT_A_CUT_OFF: Final = {
    "share": gettext_lazy("Players who tie at such a place share it."),
    "criteria": gettext_lazy("A tie at such a place is broken like any other."),
    "extra_hands": gettext_lazy("A tie at such a place is played off in extra hands."),
    "table": gettext_lazy("A tie at such a place is played off at a table of its own."),
    "sudden_death": gettext_lazy(
        "A tie at such a place is played off until the first hand that breaks it."
    ),
}
AT_A_TABLE: Final = {
    "playoff": gettext_lazy(
        "A tie for who goes on from a table is played off, or drawn by lot by the director."
    ),
    "standings": gettext_lazy("A tie for who goes on from a table is broken by the standings."),
}
KNOCKED_OUT: Final = {
    "place": gettext_lazy(
        "Players who leave in the same round are ranked by their place and their points in it."
    ),
    "share": gettext_lazy("Players who leave in the same round share the place."),
    "standings": gettext_lazy(
        "Players who leave in the same round are ranked by all their results."
    ),
}


def facts_for_rules(event: Event) -> EventFacts:
    """Return what the sheet of an event needs beside its settings; three queries."""
    rules = rules_of(default_snapshot(event))
    meetings = _list_evenings(event)
    return EventFacts(
        kind=event.kind,
        is_low_best=low_wins(rules),
        has_sides=rules.keys.teams.mode != "none",
        has_knockout=Stage.objects.filter(event=event, kind=StageKind.KNOCKOUT).exists(),
        n_evenings=len(meetings),
        evenings=_evening_facts(meetings) if event.kind == EventKind.LEAGUE else None,
    )


def _list_evenings(event: Event) -> Sequence[Meeting]:
    """Return the evenings that an event has had or plans, each with the number of its rounds."""
    meetings = Meeting.objects.filter(event=event).annotate(state_now=MEETING_STATE)
    meetings = meetings.exclude(state_now=MeetingState.CANCELLED)
    is_own_round = ~Q(rounds__state=RoundState.DRAFT) & ~Q(rounds__stage__kind=StageKind.PLAYOFF)
    return list(meetings.annotate(n_rounds=Count("rounds", filter=is_own_round)).order_by("date"))


def _evening_facts(meetings: Sequence[Meeting]) -> EveningFacts | None:
    if not meetings:
        return None
    times = {meeting.time for meeting in meetings}
    n_rounds = [
        meeting.n_rounds  # type: ignore[attr-defined]  # annotated
        for meeting in meetings
        if meeting.ended_at is not None
    ]
    played = [n for n in n_rounds if n]
    return EveningFacts(
        first=meetings[0].date,
        last=meetings[-1].date,
        starts_at=times.pop() if len(times) == 1 else None,
        fewest_rounds=min(played, default=0),
        most_rounds=max(played, default=0),
    )


def rule_sheet(settings: Settings, facts: EventFacts) -> Sequence[RuleSection]:
    """Return the sections that have rules, in order; of a ladder those that do not rank."""
    sections = []
    for key, title in SECTIONS.items():
        if facts.kind == EventKind.LADDER and key not in OF_A_LADDER:
            continue
        rules: list[RuleSentence] = []
        for section, sentences in (*WITHOUT_SETTING, *RULES.values()):
            if section == key:
                rules.extend(sentences(settings, facts))
        if rules:
            sections.append(RuleSection(title, tuple(rules)))
    return sections


def compare_rule_sheets(now: Settings, then: Settings, facts: EventFacts) -> Sequence[SectionPair]:
    """Return the sections of two sheets side by side, with the rules that only one of them has."""
    sections_now = {section.title: section.rules for section in rule_sheet(now, facts)}
    sections_then = {section.title: section.rules for section in rule_sheet(then, facts)}
    pairs = []
    for title in SECTIONS.values():
        rules_now = sections_now.get(title, ())
        rules_then = sections_then.get(title, ())
        if rules_now or rules_then:
            pairs.append(
                SectionPair(
                    title=title,
                    now=[(rule, rule not in rules_then) for rule in rules_now],
                    then=[(rule, rule not in rules_now) for rule in rules_then],
                )
            )
    return pairs


def _evenings(_settings: Settings, facts: EventFacts) -> Iterator[RuleSentence]:
    evenings = facts.evenings
    if evenings is None:
        return
    text = ngettext(
        "%(n)s evening is planned or was played, on %(first)s.",
        "%(n)s evenings are planned or were played, from %(first)s to %(last)s.",
        facts.n_evenings,
    )
    days = {
        "first": formats.date_format(evenings.first, "j F Y"),
        "last": formats.date_format(evenings.last, "j F Y"),
    }
    yield RuleSentence(text % {"n": facts.n_evenings, **days})
    if evenings.starts_at is not None:
        clock = formats.time_format(evenings.starts_at, "H:i")
        yield RuleSentence(_("An evening begins at %(time)s.") % {"time": clock})
    low, high = evenings.fewest_rounds, evenings.most_rounds
    if low < high:
        text = _("The evenings so far had %(low)s to %(high)s rounds.")
        yield RuleSentence(text % {"low": low, "high": high})
    elif high:
        text = ngettext(
            "Each evening so far had %(n)s round.", "Each evening so far had %(n)s rounds.", high
        )
        yield RuleSentence(text % {"n": high})


def _length(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    if settings.hands:
        text = ngettext(
            "Each table plays %(n)s hand.", "Each table plays %(n)s hands.", settings.hands
        )
        yield RuleSentence(text % {"n": settings.hands})
    elif settings.is_open_ended:
        yield RuleSentence(_("A table plays any number of hands, until it is closed."))
    else:
        yield RuleSentence(_("A game goes to the end that its rules give it."))


def _start_totals(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    n_chips = settings.start_totals
    if n_chips:
        text = ngettext(
            "Each player begins with %(n)s chip.", "Each player begins with %(n)s chips.", n_chips
        )
        yield RuleSentence(text % {"n": n_chips})


def _duplicate(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    if settings.duplicate:
        yield RuleSentence(_("All tables play the same deals."))


def _primary(settings: Settings, facts: EventFacts) -> Iterator[RuleSentence]:
    texts = PRIMARY_SENTENCES
    if not facts.is_low_best and settings.primary in _HIGH_POINTS:
        texts = _HIGH_POINTS
    yield RuleSentence(str(texts[settings.primary]))


def _placement(settings: Settings, facts: EventFacts) -> Iterator[RuleSentence]:
    if settings.games_ranked_by != "placement_points":
        return
    for size in sorted(settings.placement, key=int):
        points = "-".join(map(str, settings.placement[size]))
        if facts.has_sides and size == "2":
            text = _("The winning and the losing side of a table get these points: %(points)s.")
            yield RuleSentence(text % {"points": points})
        elif not facts.has_sides and size != "2":
            text = _("At a table of %(size)s the places give, from the first on: %(points)s.")
            yield RuleSentence(text % {"size": size, "points": points})
    yield RuleSentence(_("Players who tie at a table share the points of their places."))


def _evening_ranking(settings: Settings, facts: EventFacts) -> Iterator[RuleSentence]:
    if not settings.counts_evenings:
        return
    value = primary_named(settings.evening_ranking).name.lower()
    text = _("Each evening is ranked by itself: by %(value)s, the highest first.")
    if facts.is_low_best and settings.evening_ranking in _LOW_POINTS:
        text = _("Each evening is ranked by itself: by %(value)s, the lowest first.")
    yield RuleSentence(text % {"value": value})
    if _criteria(settings):
        yield RuleSentence(_("Players who tie in an evening are ranked by the tie-breaks below."))
    yield from _fewer_rounds(settings)


def _fewer_rounds(settings: Settings) -> Iterator[RuleSentence]:
    """Yield how an evening ranks those who missed a round; totals of points ask the same hands."""
    metric = PRIMARIES[settings.games_ranked_by]
    if "equal_hands" in metric.needs:
        return
    text = _("An evening ranks players who missed a round by the total of what they played.")
    if metric.is_mean:
        text = _("An evening ranks players who missed a round by the average of what they played.")
    yield RuleSentence(text)


def _evening_points(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    if not settings.counts_evenings:
        return
    if settings.evening_points:
        text = _(
            "The places of an evening give, from the first on: %(points)s. Later places give 0."
        )
        yield RuleSentence(text % {"points": "-".join(map(str, settings.evening_points))})
    else:
        yield RuleSentence(
            _(
                "A place in an evening gives as many points as players were ranked, less the "
                "place, plus one."
            )
        )
    if settings.guests == "evening":
        yield RuleSentence(
            _("For these points guests are left out of the places and of the count.")
        )
    yield RuleSentence(
        _("Players who share a place in an evening share the points of their places.")
    )


def _excused(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    if not settings.counts_excuses:
        return
    if settings.excused == "fixed":
        text = ngettext(
            "If you say before the evening that you cannot come, you are excused and get %(n)s "
            "point.",
            "If you say before the evening that you cannot come, you are excused and get %(n)s "
            "points.",
            settings.excused_points,
        )
        yield RuleSentence(text % {"n": settings.excused_points})
    else:
        yield RuleSentence(str(EXCUSE_RULES[settings.excused]))
    if settings.withdraw_hours:
        text = ngettext(
            "You are excused only if you say so at least %(n)s hour before an evening.",
            "You are excused only if you say so at least %(n)s hours before an evening.",
            settings.withdraw_hours,
        )
        yield RuleSentence(text % {"n": settings.withdraw_hours})
    yield RuleSentence(
        _(
            "An excused evening counts like an evening played, but is not one: it has no place and "
            "is not won."
        )
    )
    if settings.excused == "mean":
        yield RuleSentence(_("An excused evening counts once you have played one."))
    else:
        yield RuleSentence(
            _(
                "An excused evening counts for everybody who is entered here, before their first "
                "evening too."
            )
        )
    yield RuleSentence(_("If you stay away without saying so before, the evening gives nothing."))
    if settings.best_of or settings.best_periods:
        yield RuleSentence(_("An excused evening can be one of those that are left out."))


def _period_evenings(settings: Settings, facts: EventFacts) -> Iterator[RuleSentence]:
    n_evenings = settings.period_evenings
    if settings.counts_evenings and n_evenings:
        text = ngettext(
            "The evenings that are held make periods of %(n)s evening, in order of date.",
            "The evenings that are held make periods of %(n)s evenings, in order of date.",
            n_evenings,
        )
        yield RuleSentence(text % {"n": n_evenings})
        yield from _number_of_periods(n_evenings, facts.n_evenings)


def _number_of_periods(n_of_each: int, n_evenings: int) -> Iterator[RuleSentence]:
    if not n_evenings:
        return
    n_whole, n_left = divmod(n_evenings, n_of_each)
    if not n_left:
        text = ngettext(
            "The evenings planned and played so far make %(n)s period.",
            "The evenings planned and played so far make %(n)s periods.",
            n_whole,
        )
        yield RuleSentence(text % {"n": n_whole})
        return
    text = ngettext(
        "The evenings planned and played so far make %(n)s period; the last one has %(left)s of "
        "its evenings.",
        "The evenings planned and played so far make %(n)s periods; the last one has %(left)s of "
        "its evenings.",
        n_whole + 1,
    )
    yield RuleSentence(text % {"n": n_whole + 1, "left": n_left})


def _best_periods(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    if not (settings.counts_evenings and settings.period_evenings):
        return
    n_periods = settings.best_periods
    if not n_periods:
        yield RuleSentence(_("All periods are added."))
        return
    text = ngettext(
        "Your best period counts. A period that is still running counts if it is better.",
        "Your best %(n)s periods count. A period that is still running counts if it is better.",
        n_periods,
    )
    yield RuleSentence(text % {"n": n_periods})


def _mixed_raw(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    if settings.mixed_raw and settings.games_ranked_by in _LOW_POINTS:
        yield RuleSentence(_("Games and sizes of tables may differ."))


def _drop_worst(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    n_dropped = settings.drop_worst
    if n_dropped:
        text = ngettext(
            "Your worst game does not count.", "Your %(n)s worst games do not count.", n_dropped
        )
        yield RuleSentence(text % {"n": n_dropped})
    elif not settings.best_of and settings.counts_evenings:
        yield RuleSentence(_("All your evenings count."))
    elif not settings.best_of:
        yield RuleSentence(_("All your games count."))


def _best_of(settings: Settings, facts: EventFacts) -> Iterator[RuleSentence]:
    rule = settings.best_of
    if not rule:
        return
    is_evenings = rule["unit"] == "meeting"
    n_fixed = fixed_count(rule)
    if n_fixed and settings.period_evenings:
        text = ngettext(
            "Your best evening of each period counts.",
            "Your best %(n)s evenings of each period count.",
            n_fixed,
        )
        yield RuleSentence(text % {"n": n_fixed})
        return
    if n_fixed and is_evenings:
        text = ngettext("Your best evening counts.", "Your best %(n)s evenings count.", n_fixed)
        yield RuleSentence(text % {"n": n_fixed})
        return
    if n_fixed:
        text = ngettext("Your best game counts.", "Your best %(n)s games count.", n_fixed)
        yield RuleSentence(text % {"n": n_fixed})
        return
    numbers = {"n": rule["min"], "per": rule["per"]}
    if is_evenings:
        text = ngettext(
            "%(n)s evening always counts. For every %(per)s more that you play, the worst one is "
            "dropped.",
            "%(n)s evenings always count. For every %(per)s more that you play, the worst one is "
            "dropped.",
            rule["min"],
        )
    else:
        text = ngettext(
            "%(n)s game always counts. For every %(per)s more that you play, the worst one is "
            "dropped.",
            "%(n)s games always count. For every %(per)s more that you play, the worst one is "
            "dropped.",
            rule["min"],
        )
    yield RuleSentence(text % numbers)
    examples: tuple[int, ...] = EXAMPLES
    if settings.period_evenings:
        examples = (settings.period_evenings,)
    elif facts.n_evenings and is_evenings:
        examples = (facts.n_evenings, facts.n_evenings + rule["per"])
    yield RuleSentence(evenings_counted(rule, *examples))


def _min_games(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    n_games = settings.min_games
    if n_games > 1 and settings.min_unit == "game":
        text = ngettext(
            "A place needs %(n)s game. Players with fewer are listed below, without a place.",
            "A place needs %(n)s games. Players with fewer are listed below, without a place.",
            n_games,
        )
        yield RuleSentence(text % {"n": n_games})


def _min_third(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    if settings.min_third and settings.min_unit == "game":
        yield RuleSentence(
            _("A place needs at least a third of the games of the player with the most.")
        )


def _min_unit(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    if settings.min_unit == "game":
        return
    n_evenings = settings.min_games
    if n_evenings > 1:
        text = ngettext(
            "A place needs %(n)s evening. Players with fewer are listed below, without a place.",
            "A place needs %(n)s evenings. Players with fewer are listed below, without a place.",
            n_evenings,
        )
        yield RuleSentence(text % {"n": n_evenings})
    if settings.min_third:
        yield RuleSentence(
            _("A place needs at least a third of the evenings of the player with the most.")
        )


def _bye_award(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    yield RuleSentence(str(BYES[settings.bye_award]))


def _tie_breaks(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    criteria = _criteria(settings)
    if not criteria:
        yield RuleSentence(_("Players who tie share the place, and the next place is left out."))
        return
    items = tuple((criterion.name, criterion.plain) for criterion in criteria)
    yield RuleSentence(_("Ties are broken by these, in this order:"), items)
    if "evenings" in settings.tie_breaks:
        yield from _evenings_won(settings)
    if "lot" not in settings.tie_breaks:
        yield RuleSentence(
            _("Players who still tie share the place, and the next place is left out.")
        )


def _evenings_won(settings: Settings) -> Iterator[RuleSentence]:
    if not settings.counts_evenings:
        value = primary_named(settings.primary).name.lower()
        text = _("For evenings won, each evening is ranked by itself: by %(value)s.")
        if len(settings.tie_breaks) > 1:
            text = _(
                "For evenings won, each evening is ranked by itself: by %(value)s, then by the "
                "other tie-breaks."
            )
        yield RuleSentence(text % {"value": value})
        yield from _fewer_rounds(settings)
    if settings.drop_worst or (settings.best_of and settings.best_of["unit"] == "game"):
        yield RuleSentence(_("A game that is left out still counts for the place in its evening."))
    elif settings.drops:
        yield RuleSentence(
            _("An evening that is left out counts neither as won nor as a second place.")
        )


def _criteria(settings: Settings) -> list[CriterionText]:
    """Return the tie-breaks in order, without the value that ranks already."""
    return [tie_break_named(key) for key in settings.tie_breaks if key != settings.primary]


def _boundaries(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    for key in CUT_OFFS:
        n_places = settings.boundaries.get(key)
        if not n_places:
            continue
        if key == "title":
            text = ngettext(
                "The first place is the title.", "The first %(n)s places are titles.", n_places
            )
        elif key == "promotion":
            text = ngettext(
                "The first place is promoted.", "The first %(n)s places are promoted.", n_places
            )
        elif key == "cut":
            text = ngettext("The first place goes on.", "The first %(n)s places go on.", n_places)
        else:
            text = ngettext(
                "The first place wins a prize.", "The first %(n)s places win prizes.", n_places
            )
        yield RuleSentence(text % {"n": n_places})


def _playoff(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    if settings.boundaries:
        yield RuleSentence(str(AT_A_CUT_OFF[settings.playoff]))


def _playoff_rules(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    for key, value in settings.playoff_rules.items():
        yield RuleSentence(PLAYOFF_RULES[key].line(value))


def _playoff_before_criteria(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    if settings.playoff_before_criteria and settings.boundaries.get("title"):
        yield RuleSentence(_("A tie for the title is played off before any tie-break is asked."))


def _table_ties(settings: Settings, facts: EventFacts) -> Iterator[RuleSentence]:
    if facts.has_knockout:
        yield RuleSentence(str(AT_A_TABLE[settings.table_ties]))


def _knocked_out(settings: Settings, facts: EventFacts) -> Iterator[RuleSentence]:
    if facts.has_knockout:
        yield RuleSentence(str(KNOCKED_OUT[settings.knocked_out]))


def _substitutes(settings: Settings, facts: EventFacts) -> Iterator[RuleSentence]:
    if settings.games_ranked_by in OF_PLACES and not facts.has_sides:
        yield RuleSentence(str(OWNERS[settings.substitutes]))


def _guests(settings: Settings, facts: EventFacts) -> Iterator[RuleSentence]:
    if facts.kind == EventKind.LEAGUE:
        yield RuleSentence(str(GUEST_RULES[settings.guests]))
        if settings.guests == "evening" and settings.games_ranked_by == "placement_points":
            yield RuleSentence(_("At a table guests have a place like everybody else."))


def _correction_window(settings: Settings, _facts: EventFacts) -> Iterator[RuleSentence]:
    n_hours = settings.correction_window_h
    if not n_hours:
        yield RuleSentence(_("Problems can be reported until the results are final."))
        return
    text = ngettext(
        "Results can be corrected until %(n)s hour after their round was closed.",
        "Results can be corrected until %(n)s hours after their round was closed.",
        n_hours,
    )
    yield RuleSentence(text % {"n": n_hours})


RULES: Final[Mapping[str, tuple[str, Sentences]]] = {
    "length": ("game", _length),
    "start_totals": ("game", _start_totals),
    "duplicate": ("game", _duplicate),
    "primary": ("points", _primary),
    "evening_ranking": ("points", _evening_ranking),
    "evening_points": ("points", _evening_points),
    "placement": ("points", _placement),
    "excused": ("points", _excused),
    "mixed_raw": ("points", _mixed_raw),
    "bye_award": ("points", _bye_award),
    "drop_worst": ("counts", _drop_worst),
    "period_evenings": ("counts", _period_evenings),
    "best_of": ("counts", _best_of),
    "best_periods": ("counts", _best_periods),
    "min_games": ("counts", _min_games),
    "min_third": ("counts", _min_third),
    "min_unit": ("counts", _min_unit),
    "tie_breaks": ("ties", _tie_breaks),
    "boundaries": ("cut_offs", _boundaries),
    "playoff": ("cut_offs", _playoff),
    "playoff_before_criteria": ("cut_offs", _playoff_before_criteria),
    "playoff_rules": ("cut_offs", _playoff_rules),
    "table_ties": ("cut_offs", _table_ties),
    "knocked_out": ("cut_offs", _knocked_out),
    "substitutes": ("people", _substitutes),
    "guests": ("people", _guests),
    "correction_window_h": ("corrections", _correction_window),
}
"""Setting → the section of its sentences, and the function that yields them; in order."""
WITHOUT_SETTING: Final = (("evenings", _evenings),)
"""Section and function of sentences that follow from the evenings of an event, and no setting."""
WITHOUT_RULE: Final = frozenset(
    {
        *("round_minutes", "capacity", "withdraw_hours", "members_first", "double_entry", "ladder"),
        "excused_points",
    }
)
"""Settings that change nothing of what counts, or are said with another one; the rules of a ladder
have a page of their own."""
