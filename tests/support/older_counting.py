"""Publications as an older release, which counts otherwise, has stored them."""

import json

from tournaments.domain.etags import digest_of, publication_etag
from tournaments.domain.standings.standings_documents import compact, headed
from tournaments.models.standings import Publication


def as_counted_by_0_5_0(publication: Publication) -> Publication:
    """Store a publication with the first two players in each other's places, by older formulas."""
    document = json.loads(bytes(publication.body))
    head = document.pop("publication")
    first, second = document["rows"][:2]
    document["rows"][:2] = [
        {**second, **{key: first[key] for key in ("rank", "tied")}},
        {**first, **{key: second[key] for key in ("rank", "tied")}},
    ]
    body = compact(document)
    publication.digest = digest_of(body)
    head["digest"] = publication.digest
    publication.body = headed(body, head, redacted=False)
    publication.etag = publication_etag(publication.number, publication.digest)
    publication.counting = 0
    publication.save()
    return publication


def order(publication: Publication) -> list[str]:
    return [row["player_id"] for row in publication.document["rows"]]
