"""Sentences about events, seasons and their settings."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_event": _("There is no event with that name here."),
    "unknown_season": _("There is no season with that name here."),
    "event_is_final": _("The event is final. Its results cannot be disputed any more."),
    "event_not_open": _("The event is {state}. Hands can be entered while it is open."),
    "ends_before_it_starts": _("The last day, {found}, is before the first one, {expected}."),
    "too_many_evenings": _(
        "From the first to the last evening there are {found}. The maximum is {expected}."
    ),
    "other_number_of_evenings": _(
        "From the first to the last evening there are {expected}, not {found}. "
        "Leave the last evening or the number empty."
    ),
    "season_of_another_club": _("{event} is not an event of this club."),
    "season_goes_both_ways": _(
        "Some of these events are won by the lowest total and others by the highest. Season "
        "standings cannot combine both."
    ),
    "bad_setting": _("{key} cannot be {found}. Expected: {expected}."),
    "rounds_still_open": _("Round {round} is still in play. Close it first."),
    "event_recounted": _("The event is being recomputed. Wait until that is done."),
    "window_not_over": _(
        "Results can be corrected until {until}. The event can be final after that."
    ),
    "disputes_open": _("Open disputes in this event: {n}. Rule on them first."),
    "event_has_hands": _("Hands have been entered, so the event cannot become a draft again."),
    "event_is_over": _("The event is {state}. Reopen it before you change its rounds."),
    "games_not_mixed": _(
        "This event ranks by raw points and its tables play {expected}. Points of {found} "
        "cannot be compared with them. Play {expected} here, or choose an event that allows "
        "different games or ranks by tables won or opponents beaten."
    ),
    "sizes_not_mixed": _(
        "This event ranks by raw points and its tables have {expected} seats. Points of a table "
        "of {found} cannot be compared with them. Seat {expected} players, or choose an event "
        "that allows different games or ranks by tables won or opponents beaten."
    ),
    "size_without_list": _(
        "This event ranks by placement points and has points for a table of {expected}, but not "
        "of {found}. Add a line for {found} to its settings, or seat another number of players."
    ),
    "settings_outdated": _(
        "The settings have changed. Check the current settings, then change them."
    ),
    "event_not_draft": _(
        "Only a draft can be deleted. Ask an owner of the club to archive this event instead."
    ),
    "event_holds_hands": _(
        "Hands have been entered in this event, so it cannot be deleted. Ask an owner of the club "
        "to archive it instead."
    ),
    "season_outdated": _(
        "The season has changed. Check its name, days, standings and events, then change it again."
    ),
    "event_outdated": _(
        "The name or the visibility of this event has changed. Check it, then change it again."
    ),
    "setting_is_played": _(
        "Hands have been entered under this setting ({key}), so it cannot change."
    ),
}
