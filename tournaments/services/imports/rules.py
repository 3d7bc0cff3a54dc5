"""Which rules a sheet means by the variant that is written on it."""

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.rules.rules import Rules
from tournaments.services.rules.rule_sets import VariantChoices, offered_to


@dataclass(frozen=True, slots=True)
class SheetRules:
    """The rules that a variant written on a sheet means in an event."""

    name: str
    rules: Rules
    options: Mapping[str, object]


class RuleBook:
    """Finds rules by what a sheet calls them; an empty name is the event's own variant.

    Args:
        otherwise: what an empty name means instead.
        offered: the variants that a name may mean; those of the site without it.
    """

    def __init__(
        self,
        variant: str,
        options: Mapping[str, object],
        otherwise: str = "",
        *,
        offered: VariantChoices | None = None,
    ) -> None:
        self.offered = offered or offered_to(None)
        self.variant = variant
        self.options = options
        self.otherwise = otherwise or variant
        self._found: dict[str, SheetRules] = {}

    def __call__(self, text: str) -> SheetRules:
        """Return the rules that `text` (id, name or alias) means.

        Raises:
            Refused: unknown_variant, with the closest names.
        """
        if text not in self._found:
            name = self.offered.find(text or self.otherwise)
            options = self.options if name == self.variant else {}
            self._found[text] = SheetRules(name, self.offered.rules(name, options), options)
        return self._found[text]
