"""Play-offs in words: members, places at stake, standing, and the director's operations."""

from collections.abc import Iterable, Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from scoring.errors import Problem
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.name_matching import listed_people
from tournaments.models.events import Event
from tournaments.selectors.events.events import event_url
from tournaments.selectors.hands.decisions import listed
from tournaments.selectors.playoffs.playoffs import PlayoffView, playoffs_of
from tournaments.templatetags.tables import round_of, table_name
from tournaments.views.http.layout import Link, link_to

PLAYOFF_BADGES: Final[Mapping[str, tuple[str, str, str | Promise]]] = {
    "detected": ("warn", "warn", gettext_lazy("To be prepared")),
    "scheduled": ("clock", "warn", gettext_lazy("To be played")),
    "in_play": ("pen", "info", gettext_lazy("In progress")),
    "decided": ("check", "good", gettext_lazy("Decided")),
    "by_lot": ("check", "good", gettext_lazy("Decided by lot")),
    "void": ("flag", "", pgettext_lazy("play-off", "Void")),
}
"""State → icon, colour and word of its badge."""
STANDS: Final = {
    "playing": gettext_lazy("still playing"),
    "above": gettext_lazy("qualified"),
    "below": gettext_lazy("eliminated"),
    "placed": gettext_lazy("placed"),
    "gone": gettext_lazy("left, placed last"),
}

OF_TITLES: Final = {"above": gettext_lazy("won"), "below": gettext_lazy("lost")}
"""The words of a play-off for nothing but titles and prizes."""

ACTIONS: Final = {
    "answer": (
        gettext_lazy("Keep the result or replay?"),
        gettext_lazy(
            "A correction changes the tie. The standings are published after your decision, "
            "which appears in the change log."
        ),
    ),
    "scheduled": (
        gettext_lazy("Prepare play-off"),
        gettext_lazy("Creates a round with a table for those tied."),
    ),
    "neutral": (
        gettext_lazy("Neutral players"),
        gettext_lazy(
            "Players for the remaining seats from the next hand on. Their scores do not count. "
            "The beginning of a name is enough."
        ),
    ),
    "gone": (
        gettext_lazy("A player does not play"),
        gettext_lazy("The player is placed last of the group. A player left alone has won."),
    ),
    "extend": (
        gettext_lazy("Allow more hands"),
        gettext_lazy("Play continues after the maximum number of hands."),
    ),
    "by_lot": (
        gettext_lazy("Draw lots"),
        gettext_lazy(
            "Ends the play-off with a lot among the remaining players. The seed is shown, so "
            "that everyone can check it."
        ),
    ),
    "waive": (
        gettext_lazy("Share place"),
        gettext_lazy("Ends the play-off. The players share the place."),
    ),
    "void": (
        gettext_lazy("Void play-off"),
        gettext_lazy(
            "Ends the play-off without a result. Its hands are kept but do not count. If the "
            "tie remains, a new play-off is prepared."
        ),
    ),
}
"""Action → its heading and what it does."""


def is_for_titles(view: PlayoffView) -> bool:
    return all(line["kind"] in ("title", "prize") for line in view.boundaries)


def status_text(view: PlayoffView, status: str) -> str:
    words = {**STANDS, **OF_TITLES} if is_for_titles(view) else STANDS
    return str(words[status])


LEG_WORDS: Final = {
    "fillers": gettext_lazy(
        "The two players sit at a table of four with two neutral players, whose scores do not "
        "count."
    ),
    "two_hands": gettext_lazy("The two players play a game for two."),
    "table": gettext_lazy("The tied players play at one table."),
    "cancellation": gettext_lazy("The tied players play at one large table with two packs."),
    "heats": gettext_lazy(
        "The tied players play heats at several tables. The best of each heat meet."
    ),
    "lot": gettext_lazy(
        "There is no table for this number of players. Draw lots, or let them share the place."
    ),
}


def playoff_in_words(event: Event, view: PlayoffView) -> JsonDict:
    """Return a play-off with its words. `url` leads to its page, `tables` to those of open tables.

    `level` and `for_what` describe the tie and the places at stake, in the past tense once it is
    over; `asked` is the open question, with names, or empty.
    """
    icon, colour, word = PLAYOFF_BADGES[view.state]
    if view.is_waived and view.is_live is False and view.state not in ("decided", "by_lot", "void"):
        icon = "check"
        colour = ""
        word = _("Share place")
    if view.is_asked:
        icon = "warn"
        colour = "warn"
        word = _("Under review")
    tables = tuple(
        (table["code"], event_url("table", event, table["code"])) for table in view.open_tables
    )
    plays_for = listed([boundary_text(event, line) for line in view.boundaries])
    return {
        "view": view,
        "number": view.number,
        "names": [member.player for member in view.members],
        "level": _level(view),
        "plays_for": plays_for,
        "for_what": _for_what(view) % {"what": plays_for},
        "asked": _question_text(view),
        "url": event_url("playoff", event, view.number),
        "icon": icon,
        "colour": colour,
        "state": word,
        "kind": LEG_WORDS.get(view.kind, ""),
        "tables": tables,
    }


def waiting_playoffs(event: Event) -> tuple[JsonDict, ...]:
    if event.state not in ("open", "closed", "final"):
        return ()
    playoff_views = playoffs_of(event)
    return tuple(
        playoff_in_words(event, playoff_view)
        for playoff_view in playoff_views
        if playoff_view.is_live or playoff_view.is_asked
    )


def playoff_links(event: Event, problems: Iterable[Problem]) -> tuple[Link, ...]:
    numbers = {int(problem.facts["playoff"]) for problem in problems if "playoff" in problem.facts}
    return tuple(
        link_to(_("Open play-off %(number)s") % {"number": number}, "playoff", event, number=number)
        for number in sorted(numbers)
    )


def text_for_host(view: PlayoffView, code: str = "") -> tuple[str, ...]:
    """Return the information for the host at table `code`: who is out, who continues, and where."""
    by_status: dict[str, list[str]] = {}
    for member in view.members:
        by_status.setdefault(member.status, []).append(member.player)
    sentences = []
    is_title = is_for_titles(view)
    for status, one_text, more_text in (
        ("above", _("%(who)s has won."), _("%(who)s have won."))
        if is_title
        else ("above", _("%(who)s has qualified."), _("%(who)s have qualified.")),
        ("placed", _("%(who)s is placed."), _("%(who)s are placed.")),
        ("below", _("%(who)s has lost."), _("%(who)s have lost."))
        if is_title
        else ("below", _("%(who)s is eliminated."), _("%(who)s are eliminated.")),
        ("gone", _("%(who)s left and is placed last."), _("%(who)s left and are placed last.")),
    ):
        names = by_status.get(status, [])
        if names:
            sentences.append((one_text if len(names) == 1 else more_text) % {"who": listed(names)})
    playing = by_status.get("playing", [])
    if playing and sentences and view.is_live:
        sentences.append(_("%(who)s continue from 0.") % {"who": listed(playing)})
    tables = [table["code"] for table in view.open_tables]
    if code and view.is_live and tables and code not in tables:
        where = listed([table_name(table).lower() for table in tables])
        sentences.append(_("The play-off continues at %(where)s.") % {"where": where})
    neutral = [chair["player"] for chair in view.chairs if chair["player"]]
    if view.chairs and view.is_live:
        sentences.append(
            _("Neutral players: %(who)s. Their scores do not count.") % {"who": listed(neutral)}
            if neutral
            else _("Scores of neutral players do not count.")
        )
    return tuple(sentences)


def boundary_text(event: Event, line: JsonObject) -> str:
    """Return what a line is about: `the title`, `promotion (the first 2)`."""
    above = int(line["above"])
    if line["kind"] in ("table", "wild_card"):
        line = {**line, "round": round_of(line["round"], event)}
    if line["kind"] == "table":
        return _("place %(above)s at table %(table)s of round %(round)s, the last to go on") % line
    if line["kind"] == "wild_card":
        return _("the last wild card of round %(round)s") % line
    words = {
        "title": _("the title") if above == 1 else _("the titles (the first %(n)s)"),
        "promotion": _("promotion (the first %(n)s)"),
        "cut": _("qualification (the first %(n)s)"),
        "prize": _("a prize (the first %(n)s)") if above > 1 else _("the prize"),
    }
    return words.get(str(line["kind"]), str(line["kind"])) % {"n": above}


def sheet_of(view: PlayoffView) -> list[tuple[JsonDict, str, list[str]]]:
    sheet = []
    for step in view.steps:
        scores = step["scores"] or {}
        cells = [str(scores.get(member.player_id, "–")) for member in view.members]
        sheet.append((step, "" if step["kind"] == "hand" else _step_text(step, view), cells))
    return sheet


def _step_text(step: JsonDict, view: PlayoffView) -> str:
    names = {member.player_id: member.player for member in view.members}
    if step["kind"] == "gone":
        text = (
            _("%(who)s does not appear and is placed last.")
            if step["facts"].get("why") == "no_show"
            else _("%(who)s gives up and is placed last.")
        )
        return text % {"who": names.get(step["player_id"], step["player_id"])}
    if step["kind"] == "heats":
        through = [names.get(code, code) for code in step["facts"].get("through", ())]
        return _("The heats are over. %(who)s meet.") % {"who": listed_people(through, _("and"))}
    if step["kind"] == "extended":
        hands = int(step["facts"].get("hands", 0))
        text = ngettext("%(n)s more hand allowed.", "%(n)s more hands allowed.", hands)
        return text % {"n": hands}
    facts = {"seed": step["facts"].get("seed"), "order": drawn_order(view)}
    text = _("Lot drawn from the seed %(seed)s.") % facts
    if not facts["order"]:
        return text
    return f"{text} {_('Drawn: %(order)s.') % facts}"


def drawn_order(view: PlayoffView) -> str:
    """Return in which order a lot drew members, `Ada before Ben`; empty without one."""
    drawn = [member.player for member in view.members if "lot" in member.made] if view.seed else []
    return _(" before ").join(drawn)


def _level(view: PlayoffView) -> str:
    count = len(view.members)
    if any(line["round"] for line in view.boundaries):
        names = listed([member.player for member in view.members])
        return (_("%(who)s are tied") if view.is_live else _("%(who)s were tied")) % {"who": names}
    if view.ahead and view.is_live:
        text = ngettext(
            "%(n)s is tied at place %(place)s", "%(n)s are tied at place %(place)s", count
        )
    elif view.ahead:
        text = ngettext(
            "%(n)s was tied at place %(place)s", "%(n)s were tied at place %(place)s", count
        )
    elif view.is_live:
        text = ngettext("%(n)s is tied for first place", "%(n)s are tied for first place", count)
    else:
        text = ngettext("%(n)s was tied for first place", "%(n)s were tied for first place", count)
    return text % {"n": count, "place": view.ahead + 1}


def _for_what(view: PlayoffView) -> str:
    """The places at stake; nobody has played for them if lots were drawn before the first hand."""
    if view.is_live:
        return _("They play for %(what)s.")
    is_played = any(step["kind"] == "hand" for step in view.steps)
    return _("They played for %(what)s.") if is_played else _("The play-off was for %(what)s.")


def _question_text(view: PlayoffView) -> str:
    names = {member.player_id: member.player for member in view.members}
    ids = ", ".join(sorted(names))
    if not view.asked.startswith(ids):
        return view.asked
    names_text = listed_people([names[code] for code in sorted(names)], _("and"))
    return names_text + view.asked.removeprefix(ids)
