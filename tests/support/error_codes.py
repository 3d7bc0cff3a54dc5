"""docs/errors.md as the code declares it: `make errors` writes it, a test compares it.

Subjects, their codes and the operations that refuse come from the code; the introduction, the
text of a subject and the remedy for each code are what the file has.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from api.openapi_refusals import GROUPS, declared_operations
from scoring.sentences import hands as scored_hands
from scoring.sentences import seating as scored_seating
from tournaments.domain.imports.import_report import SENTENCES as OF_AN_IMPORT
from tournaments.domain.sentences import clubs, events, hands, requests

MOST_NAMED: Final = 8
"""A code that more operations refuse with has their number in place of their names."""
SUBJECTS: Final[Mapping[str, Mapping[str, object]]] = {
    "Entry of a hand": scored_hands.SENTENCES,
    "Hands": hands.HANDS,
    "Duplicate deals": hands.DUPLICATE,
    "House rules": hands.HOUSE_RULES,
    "Rounds": hands.ROUNDS,
    "Seats": hands.SEATS,
    "Seating plans": {**scored_seating.SENTENCES, **hands.SEATING_PLANS},
    "Events": events.EVENTS,
    "Evenings": events.EVENINGS,
    "Entrants": events.ENTRANTS,
    "Standings": events.STANDINGS,
    "Stages": events.STAGES,
    "Play-offs": events.PLAYOFFS,
    "Ladders": events.LADDERS,
    "Imports": {**OF_AN_IMPORT, **requests.IMPORTS},
    "Archives": clubs.ARCHIVES,
    "Clubs": clubs.CLUBS,
    "Players": clubs.PLAYERS,
    "Members": clubs.MEMBERS,
    "Rights and sign-in": clubs.ACCESS,
    "Webhooks": clubs.WEBHOOKS,
    "The request": requests.REQUESTS,
}


def error_codes(text: str) -> str:
    """Return the document with the remedies of `text`; a code without one has its heading only."""
    introduction, _, rest = text.partition("\n## ")
    remedies = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", rest, re.M | re.S))
    prefaces = dict(re.findall(r"^## (.+)\n\n((?!##).*?)(?=^##|\Z)", text, re.M | re.S))
    operations = _operations_by_code()
    parts = [introduction.rstrip()]
    for title, codes in SUBJECTS.items():
        parts.append(f"## {title}\n\n{prefaces.get(title, '')}".strip())
        for code in codes:
            remedy = re.sub(r"^Refused by .*", "", remedies.get(code, ""), flags=re.M | re.S)
            parts.append(f"### {code}\n{remedy.strip()}".strip())
            if names := operations[code]:
                parts.append(f"Refused by {_in_words(names)}.")
    return "\n\n".join(parts) + "\n"


def _operations_by_code() -> dict[str, list[str]]:
    operations = defaultdict(list)
    grouped = {code for codes in GROUPS.values() for code in codes}
    for name, (_, write) in sorted(declared_operations().items()):
        codes = write.refuses if write is not None else frozenset()
        for code in codes - grouped if codes.issuperset(GROUPS["entry"]) else codes:
            operations[code].append(name)
    return operations


def _in_words(names: list[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{len(names)} operations"
    return ", ".join(f"`{name}`" for name in names)
