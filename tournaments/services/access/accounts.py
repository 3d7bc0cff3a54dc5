"""The row of an account, locked by whoever writes what the account alone owns."""

from django.contrib.auth.models import User

from tournaments.errors import Forbidden
from tournaments.policy import Actor


def lock_account(actor: Actor, act: str) -> None:
    """Lock the row of the actor's account, in a transaction; an actor without one locks nothing.

    Taken before all others, the rows of clubs too: of an act and the deletion of its account, the
    second one finds what the first one left. Whoever only points at the account does not wait.

    Args:
        act: what the account may not do any more where it was deleted meanwhile.

    Raises:
        Forbidden: `act`.
    """
    if actor.user_id is None:
        return
    rows = User.objects.select_for_update(no_key=True).filter(pk=actor.user_id)
    if not rows.values_list("pk", flat=True).first():
        raise Forbidden(act)
