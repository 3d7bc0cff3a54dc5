"""Members of a club: their roles, and a list of people to invite."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.forms.http.service_form import ServiceForm
from tournaments.models.clubs import Role
from tournaments.selectors.clubs.members import MemberRow
from tournaments.services.clubs.invite_list import InviteLine

CHOICE: Final = "who-"
"""How the name of a field begins that says who a name is."""

_MAIL: Final = re.compile(
    r"^(?:(?P<name>.*?)[\s]*[,;\t])?\s*<?(?P<mail>[^\s,;<>]*@[^,;\t]*?)>?\s*$"
)


class RolesForm(ServiceForm):
    """The role of each member, in the order of the list."""

    def __init__(self, rows: Sequence[MemberRow], *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        for row in rows:
            self.fields[f"role-{row.id}"] = forms.CharField(
                label=_("Role of %(name)s") % {"name": row.label},
                required=False,
                initial=row.role,
                widget=forms.Select(
                    choices=Role.choices,
                    attrs={"aria-label": _("Role of %(name)s") % {"name": row.label}},
                ),
            )
        self.rows = [(row, self[f"role-{row.id}"]) for row in rows]

    @property
    def roles(self) -> dict[UUID, str]:
        """The roles that were chosen, by member."""
        return {row.id: self.cleaned_data[field.name] or row.role for row, field in self.rows}


class InviteForm(ServiceForm):
    """People to invite, one a line, in one role.

    Args:
        sends_mail: whether this site has a mail server, so that links can go by mail.
    """

    names = forms.CharField(
        label=_("Names"),
        required=False,
        strip=False,
        help_text=_(
            "One a line. An e-mail address after a comma sends the invitation by mail: “Kira K., "
            "kira@club.example”."
        ),
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "wide"}),
    )
    role = forms.CharField(
        label=_("Role"), required=False, initial=Role.PLAYER, widget=forms.RadioSelect()
    )

    def __init__(self, data: object = None, *, sends_mail: bool = True, **more: object) -> None:
        super().__init__(data, **more)
        if not sends_mail:
            self.fields["names"].help_text = _(
                "One a line. This site sends no mail: hand out the links yourself."
            )

    def choices_sent(self) -> Mapping[str, str]:
        """Return who each name is that was asked about, by the key of its line."""
        return {
            name.removeprefix(CHOICE): str(value)
            for name, value in self.data.items()
            if name.startswith(CHOICE)
        }

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; problems of a line belong to the list's field."""
        return "names" if problem.at[:1] == ("names",) else super().field_of(problem)

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem, with the line that it is about."""
        text = super().sentence_of(problem)
        if len(problem.at) == 2 and problem.at[0] == "names":
            return _("Line %(line)s: %(text)s") % {"line": problem.at[1], "text": text}
        return text


def read_people(text: str) -> Sequence[InviteLine]:
    """Return the people of a pasted list; blank lines are passed over.

    >>> read_people("Anna K.\\n\\nKira K., kira@club.example")[1]
    InviteLine(line=3, name='Kira K.', email='kira@club.example')
    >>> read_people("kira@club.example")[0].email, read_people("Smith, John")[0].name
    ('kira@club.example', 'Smith, John')
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    return tuple(_read(number, line) for number, line in lines if line)


def _read(number: int, line: str) -> InviteLine:
    found = _MAIL.match(line)
    if found is None:
        return InviteLine(number, line)
    return InviteLine(number, (found["name"] or "").strip(), found["mail"].strip())
