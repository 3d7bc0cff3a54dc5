"""What is said of two rows of published standings, from the facts that the lower one has."""

from collections.abc import Mapping

from scoring.standings.explain import ReasonFacts, ahead, reason


def reason_sentences(facts: ReasonFacts | None, names: Mapping[str, str]) -> tuple[str, str]:
    """Return why a row is below the one above, and why that one is ahead.

    Args:
        names: what entrants are called for the reader, by id.
    """

    def name(code: str) -> str:
        return names.get(code, code)

    return reason(facts, name=name), ahead(facts, name=name)
