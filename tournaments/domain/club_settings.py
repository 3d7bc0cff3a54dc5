"""The settings of a club: what each may be, and what its page and REST say about it.

Reading, the check of values, the form, the bodies of REST, the ETag and the audit trail come from
`CLUB_SETTINGS`.
"""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from tournaments.domain.setting_kinds import Card, Setting
from tournaments.models.clubs import ClubFront, ClubVisibility, EventCreators, NamesPolicy

MOST_STEPS: Final = 5
"""Steps of joining a club."""

SECTIONS: Final = {
    "name": (
        _("Name and address"),
        _(
            "With a new name or address the standings of all events are published again. Places "
            "and points stay the same."
        ),
    ),
    "time_zone": (_("Time zone"), ""),
    "front": (
        _("Club page"),
        _("Visitors read these texts on the club's page. Plain text; empty fields are not shown."),
    ),
    "visibility": (
        _("Visibility"),
        _(
            "Each event has a visibility of its own, on its page Manage. A club for members only "
            "has no public events, whatever they say."
        ),
    ),
    "names": (
        _("Names of players"),
        _(
            "Members read full names. A player may choose to show less. Standings are published "
            "again with the names of today."
        ),
    ),
    "creators": (_("New events"), ""),
    "seating": (
        _("Seating"),
        _(
            "Seating plans propose these tables where the number of people cannot be divided by "
            "four. A director can choose otherwise for an evening."
        ),
    ),
    "reminders": (
        _("Reminders"),
        _(
            "The mail is sent at 10:00 on that day, with a link to answer. Each person can stop "
            "these mails."
        ),
    ),
    "sign_in": (_("Sign-in"), ""),
    "colour": (
        _("Colour"),
        _(
            "Text in this colour must be readable on light pages: a contrast of at least 4.5:1. "
            "Dark pages use a lighter tint of it."
        ),
    ),
}
"""Section of the page → its title, and a hint on its settings."""

_SETTINGS: Final = (
    Setting("name", section="name", label=_("Name of the club")),
    Setting(
        "slug",
        section="name",
        label=_("Address on this site"),
        help=_(
            "Lowercase letters a to z, digits and hyphens. Links to the former address go on "
            "working, and no other club gets it."
        ),
        body="New slug; addresses with the former one redirect (308).",
    ),
    Setting(
        "time_zone",
        section="time_zone",
        label=_("Time zone"),
        help=_("The dates of evenings and deadlines use this time zone."),
    ),
    Setting("language"),
    Setting(
        "visibility",
        "choice",
        section="visibility",
        label=_("Who can read the club"),
        choices=(
            Card(
                ClubVisibility.PUBLIC,
                _("Public"),
                _("Everybody reads the club and its public events."),
            ),
            Card(
                ClubVisibility.MEMBERS,
                _("Members only"),
                _("For everybody else the club does not exist."),
            ),
        ),
    ),
    Setting(
        "names_policy",
        "choice",
        section="names",
        label=_("How the public reads names"),
        choices=(
            Card(NamesPolicy.FULL, _("Full name"), _("As in the list of players.")),
            Card(NamesPolicy.INITIAL, _("First name and initial"), _("For example Xenia B.")),
            Card(
                NamesPolicy.NICKNAME,
                _("Nickname"),
                _("The number of players who have no nickname."),
            ),
            Card(NamesPolicy.NUMBER, _("Number only"), _("For example RL24.")),
        ),
        answer="Form in which the public reads players' names.",
    ),
    Setting(
        "event_creators",
        "choice",
        section="creators",
        label=_("Who can create events"),
        choices=(
            Card(
                EventCreators.DIRECTORS, _("Directors and owners"), _("Everybody who runs events.")
            ),
            Card(EventCreators.OWNERS, _("Owners only"), _("Directors run what is there.")),
        ),
    ),
    Setting(
        "requires_second_factor",
        "flag",
        section="sign_in",
        default=False,
        sentence=_("Owners and directors need a second factor"),
        unset=_("No second factor required"),
        label=_("Require a second factor of owners and directors"),
        answer="Whether owners and directors must use a second factor.",
    ),
    Setting(
        "colour",
        section="colour",
        default="",
        unset=_("Standard colour"),
        label=_("Colour"),
        answer="Colour of the pages, such as `#0a5167`; empty: the standard.",
        body="Colour readable on light pages, such as `#0a5167`; empty: standard.",
    ),
    Setting("seating", "other", section="seating"),
    Setting(
        "reminder_days",
        "days",
        section="reminders",
        sentence=ngettext_lazy("%(n)s day before an evening", "%(n)s days before an evening", "n"),
        unset=_("No reminders"),
        most=14,
        label=_("Reminder of an evening"),
        help=_("Players with an account are asked by mail whether they come."),
        answer="Number of days before an evening when players are reminded by mail (at 10:00 in "
        "the club's time zone); null for no reminders.",
        body="Number of days before an evening when players are reminded; null for none.",
    ),
    Setting(
        "about",
        "paragraphs",
        section="front",
        most=2000,
        called="text",
        label=_("About the club"),
        help=_("Plain text. A blank line begins a new paragraph."),
        answer="Plain text of the club's page; a blank line ends a paragraph.",
        body="Plain text, up to 2,000 characters; a blank line ends a paragraph.",
    ),
    Setting(
        "when_where",
        section="front",
        default="",
        unset=_("No time and place yet"),
        most=160,
        called="line",
        label=_("When and where"),
        help=_("One line, for example: Thursdays at 19:30, in the boathouse."),
        answer="When and where the club plays.",
        body="Place and time of play, up to 160 characters.",
    ),
    Setting("how_to_join", "other", section="front", most=200, called="step"),
    Setting(
        "fee",
        section="front",
        most=120,
        called="fee",
        label=_("Fee"),
        help=_("For example: 3 € an evening."),
        body="Fee, as free text of up to 120 characters.",
    ),
    Setting(
        "contact",
        section="front",
        most=200,
        called="contact",
        label=_("Contact"),
        help=_(
            "Everybody who can read the club reads this. No addresses of members are shown unless "
            "you enter one."
        ),
        answer="How to contact the club, as its owner wrote it.",
        body="How to contact the club, up to 200 characters; as public as the club.",
    ),
    Setting(
        "welcomes_visitors",
        "flag",
        section="front",
        label=_("Visitors are welcome"),
        answer="Whether visitors are welcome.",
    ),
    Setting("front_event", "other", section="front"),
)

CLUB_SETTINGS: Final[Mapping[str, Setting]] = {setting.key: setting for setting in _SETTINGS}
"""Changeable settings, by their names in REST and on the page."""
ON_FRONT: Final = tuple(key for key in CLUB_SETTINGS if hasattr(ClubFront, key))
"""Settings of the club's page, which have a row of their own."""
