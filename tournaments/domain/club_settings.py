"""The settings of a club: what each may be, and what its page and REST say about it.

Reading, the check of values, the form, the bodies of REST, the ETag and the audit trail come from
`CLUB_SETTINGS`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from django.db.models import TextChoices
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem, shown
from tournaments.domain.name_matching import one_line
from tournaments.models.clubs import ClubFront, ClubVisibility, EventCreators, NamesPolicy

Kind: TypeAlias = Literal["flag", "choice", "days", "line", "paragraphs", "other"]


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a club.

    `kind` is `flag` (true or false), `choice`, `days` (1 to `most`, or null), `line`, `paragraphs`,
    or `other`: with a rule, a field of the form and of REST of its own. `most` of a text is how
    many characters it may have, `called` what its refusal calls it; of a text in the owner's own
    words the audit trail keeps no word. `label` and `help` are those of the form, `answer` and
    `body` the descriptions in REST.
    """

    key: str
    kind: Kind = "line"
    label: str | Promise = ""
    help: str | Promise = ""
    answer: str = ""
    body: str = ""
    choices: type[TextChoices] = TextChoices
    most: int = 0
    called: str = ""

    def __post_init__(self) -> None:
        if self.most and self.kind in ("line", "paragraphs") and not self.called:
            raise ValueError(f"{self.key} has a length and no name for its refusal")

    @property
    def is_on_front(self) -> bool:
        return hasattr(ClubFront, self.key)

    @property
    def values(self) -> Sequence[object]:
        """The values that a flag, a choice or a number of days may have."""
        if self.kind == "flag":
            return (True, False)
        if self.kind == "days":
            return (None, *range(1, self.most + 1))
        return self.choices.values

    @property
    def expected(self) -> str:
        if self.kind == "days":
            return f"1 to {self.most}, or null"
        return ", ".join(str(value).lower() for value in self.values)

    def tidied(self, value: Any) -> Any:
        if self.called and isinstance(value, str):
            return paragraphs(value) if self.kind == "paragraphs" else one_line(value)
        return value

    def problems(self, value: Any) -> Iterator[Problem]:
        if self.values and value not in self.values:
            facts = {"key": self.key, "found": shown(value), "expected": self.expected}
            yield Problem("bad_setting", (self.key,), facts)
        elif self.called and isinstance(value, str):
            yield from self.length_problems(value)

    def length_problems(self, text: str, *at: int) -> Iterator[Problem]:
        if len(text) > self.most:
            facts = {"field": self.called, "found": len(text), "expected": self.most}
            yield Problem("text_too_long", (self.key, *at), facts)


def paragraphs(text: str) -> str:
    """Return a text of several lines as it is kept: one blank line at most between paragraphs.

    >>> paragraphs(" Hearts \\r\\n on Thursdays\\n\\n\\n\\n Come! \\n")
    'Hearts\\non Thursdays\\n\\nCome!'
    """
    lines = [one_line(line) for line in text.splitlines()]
    rest = [line for at, line in enumerate(lines) if line or (at and lines[at - 1])]
    return "\n".join(rest).strip()


MOST_STEPS: Final = 5
"""Steps of joining a club."""

_SETTINGS: Final = (
    Setting("name", label=_("Name of the club")),
    Setting(
        "slug",
        label=_("Address on this site"),
        help=_(
            "Lowercase letters a to z, digits and hyphens. Links to the former address go on "
            "working, and no other club gets it."
        ),
        body="New slug; addresses with the former one redirect (308).",
    ),
    Setting(
        "time_zone",
        label=_("Time zone"),
        help=_("The dates of evenings and deadlines use this time zone."),
    ),
    Setting("language"),
    Setting("visibility", "choice", choices=ClubVisibility),
    Setting(
        "names_policy",
        "choice",
        choices=NamesPolicy,
        answer="Form in which the public reads players' names.",
    ),
    Setting("event_creators", "choice", choices=EventCreators),
    Setting(
        "requires_second_factor",
        "flag",
        label=_("Require a second factor of owners and directors"),
        answer="Whether owners and directors must use a second factor.",
    ),
    Setting(
        "colour",
        label=_("Colour"),
        answer="Colour of the pages, such as `#0a5167`; empty: the standard.",
        body="Colour readable on light pages, such as `#0a5167`; empty: standard.",
    ),
    Setting("seating", "other"),
    Setting(
        "reminder_days",
        "days",
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
        most=2000,
        called="text",
        label=_("About the club"),
        help=_("Plain text. A blank line begins a new paragraph."),
        answer="Plain text of the club's page; a blank line ends a paragraph.",
        body="Plain text, up to 2,000 characters; a blank line ends a paragraph.",
    ),
    Setting(
        "when_where",
        most=160,
        called="line",
        label=_("When and where"),
        help=_("One line, for example: Thursdays at 19:30, in the boathouse."),
        answer="When and where the club plays.",
        body="Place and time of play, up to 160 characters.",
    ),
    Setting("how_to_join", "other", most=200, called="step"),
    Setting(
        "fee",
        most=120,
        called="fee",
        label=_("Fee"),
        help=_("For example: 3 € an evening."),
        body="Fee, as free text of up to 120 characters.",
    ),
    Setting(
        "contact",
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
        label=_("Visitors are welcome"),
        answer="Whether visitors are welcome.",
    ),
    Setting("front_event", "other"),
)

CLUB_SETTINGS: Final[Mapping[str, Setting]] = {setting.key: setting for setting in _SETTINGS}
"""What can be changed, as REST and the page name it."""
