"""Why a sheet, or a hand of it, does not fit what the event has already."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from django.utils.translation import gettext, ngettext

from scoring.errors import Problem
from scoring.rules.rules import score_alike
from tournaments.domain.event_settings import Settings
from tournaments.domain.imports.import_report import ASK, Finding, Spot, finding, from_problem
from tournaments.domain.imports.imported_sheet import AS_WRITTEN, NOBODY, TypedHand, TypedSheet
from tournaments.domain.placement_points import placement_problems
from tournaments.domain.replay_game import TOTALS
from tournaments.messages import sentence
from tournaments.selectors.hands.entry_display import different_words, entry_words
from tournaments.services.events.comparability import OneGame
from tournaments.services.imports.existing_tables import ExistingHand, ExistingTable
from tournaments.services.imports.rules import SheetRules
from tournaments.services.rounds.sides import PlayingGroups
from tournaments.services.rules.rule_sets import rules_of

Elsewhere = Mapping[tuple[int, int], set[int]]
"""The tables at which a player sits: (round, player) → table numbers."""

Names = Callable[[int], str]
"""A player's key → name and id."""


def sheet_conflicts(
    sheet: TypedSheet,
    ruled: SheetRules,
    there: ExistingTable | None,
    elsewhere: Elsewhere,
    day_there: date | None,
    names: Names,
) -> list[Finding]:
    """Return why no hand of the sheet may join what the event has already."""
    spot = Spot(sheet.lines, sheet.round, sheet.table)
    said = _clashes(sheet, elsewhere, names)
    if there is not None:
        if _is_given_up(there) and any(one.number not in there.hands for one in sheet.hands):
            said.append(finding("table_abandoned", spot))
        own = rules_of(there.game.snapshot)
        if there.hands and own != ruled.rules and not score_alike(own, ruled.rules):
            said.append(
                finding("sheet_does_not_fit", spot, found=ruled.rules.name, expected=own.name)
            )
        elif there.seats != sheet.seats:
            seats = (f"{sheet.seats} seats", f"{there.seats} seats")
            said.append(finding("sheet_does_not_fit", spot, found=seats[0], expected=seats[1]))
    if day_there is not None and sheet.day is not None and day_there != sheet.day:
        days = (sheet.day.isoformat(), day_there.isoformat())
        said.append(finding("dates_disagree", spot, found=days[0], expected=days[1]))
    return said


def _is_given_up(there: ExistingTable) -> bool:
    """Whether a director abandoned the table with hands; one without any takes a sheet's hands.

    It has none where an import was undone and something else of people's is left there.
    """
    return there.game.state == "abandoned" and bool(there.hands)


def playoff_conflict(sheet: TypedSheet, rounds: Collection[int]) -> list[Finding]:
    """Return why a sheet waits whose round is one of a play-off's `rounds`."""
    spot = Spot(sheet.lines, sheet.round, sheet.table)
    return [finding("round_of_a_playoff", spot)] if sheet.round in rounds else []


def mixing_conflict(sheet: TypedSheet, ruled: SheetRules, held_to: OneGame) -> list[Finding]:
    """Return why a table of the sheet's game would not compare with the event's others."""
    spot = Spot(sheet.lines, sheet.round, sheet.table)
    return [
        from_problem(problem, spot, severity=ASK)
        for problem in held_to.problems(ruled.name, ruled.options, ruled.rules, sheet.seats)
    ]


def split_sides(
    sheet: TypedSheet,
    ruled: SheetRules,
    there: ExistingTable | None,
    groups: PlayingGroups,
    names: Names,
) -> list[Finding]:
    """Return what is asked of sides that are not one pair or team, as when a table is seated.

    Whoever sits at the table already was asked about when they were seated.
    """
    if sheet.keeps_sides or not groups.of:
        return []
    known = {there.players(number) for number in (TOTALS, *there.hands)} if there else set()
    asked: dict[str, Problem] = {}
    for players in dict.fromkeys(hand.players for hand in sheet.hands):
        seats = [None if one == NOBODY else one for one in players]
        people = [one for one in players if one != NOBODY]
        is_said = players in known or len(set(people)) < len(people)  # twice at one table
        problems = () if is_said else groups.split(ruled.rules, seats, names)
        asked.update((sentence(problem), problem) for problem in problems)
    spot = Spot(sheet.lines, sheet.round, sheet.table)
    offer = {
        "text": gettext("seat them as written"),
        "cells": {str(line): {"sides": AS_WRITTEN} for line in sheet.lines},
    }
    return [
        Finding(
            problem.code,
            ASK,
            spot,
            f"{spot.place}: {text}",
            str(problem.facts.get("names") or problem.facts["pair"]),
            gettext("one pair on each side"),
            offers=(offer,),
            problem=problem,
        )
        for text, problem in asked.items()
    ]


def placement_conflict(sheet: TypedSheet, ruled: SheetRules, settings: Settings) -> list[Finding]:
    """Return why the event's place points do not reach a table of the sheet's size."""
    spot = Spot(sheet.lines, sheet.round, sheet.table)
    found = placement_problems(settings, ruled.rules, sheet.seats)
    return [from_problem(problem, spot, severity=ASK) for problem in found]


def hand_exists(sheet: TypedSheet, hand: TypedHand, there: ExistingTable, names: Names) -> Finding:
    """Return what is said of a hand that the event has with other content or other players."""
    spot = Spot(hand.lines, sheet.round, sheet.table, hand.number)
    sat = there.players(hand.number)
    if sat != hand.players and NOBODY not in hand.players:
        labels = sheet.names
        odd = [seat for seat in range(sheet.seats) if sat[seat] != hand.players[seat]]
        found = ", ".join(f"{labels[seat]} {names(hand.players[seat])}" for seat in odd)
        expected = ", ".join(
            f"{labels[seat]} {names(sat[seat]) if sat[seat] else 'nobody'}" for seat in odd
        )
        return finding("players_disagree", spot, found=found, expected=expected)
    found, expected = _different_words(sheet, hand, there.hands[hand.number])
    said = finding("hand_exists", spot, found=found, expected=expected)
    offer: dict[str, Any] = {"entry": hand.entry, "hands": hand.hands}
    if hand.board is not None:
        offer["board"] = hand.board
    if sat == there.players(max(hand.number, 1)):  # as a revision compares them
        offer["players"] = list(hand.players)
    return replace(said, offers=(offer,))


def _different_words(sheet: TypedSheet, hand: TypedHand, old: ExistingHand) -> tuple[str, str]:
    """Return what the file and the event say of a hand where they differ, the event's state too."""
    found, stored = different_words(hand.entry, old.typed, sheet.names)
    if hand.hands is not None and hand.hands != old.hands and hand.number == TOTALS:
        found.append(_hands_words(hand.hands))
        stored.append(_hands_words(old.hands))
    if hand.board not in (None, old.board):
        found.append(gettext("board %(n)s") % {"n": hand.board})
        stored.append(gettext("board %(n)s") % {"n": old.board or "–"})
    if not found and not stored:
        found = stored = entry_words(hand.entry, sheet.names)
    state = {"void": gettext("deleted"), "disputed": gettext("disputed")}.get(old.state)
    of_state = f" ({state})" if state else ""
    return ", ".join(found) or "–", (", ".join(stored) or "–") + of_state


def _hands_words(number: int | None) -> str:
    if number is None:
        return gettext("number of hands unknown")
    return ngettext("%(n)s hand", "%(n)s hands", number) % {"n": number}


def _clashes(sheet: TypedSheet, elsewhere: Elsewhere, names: Names) -> list[Finding]:
    """Return a finding for each player whom the event has at another table of the round."""
    said = []
    players = {player for seats in sheet.sat.values() for player in seats} - {NOBODY}
    for player in sorted(players):
        others = elsewhere.get((sheet.round, player), set()) - {sheet.table}
        if others:
            lines = [
                line
                for hand in sheet.hands
                for line, seated in zip(hand.seat_lines, hand.players, strict=True)
                if seated == player
            ]
            spot = Spot(tuple(sorted(set(lines))) or sheet.lines, sheet.round)
            tables = " and ".join(str(number) for number in sorted({*others, sheet.table}))
            said.append(finding("player_at_two_tables", spot, found=names(player), expected=tables))
    return said
