"""Send a mail again that was given up, or at once one that waits."""

from datetime import datetime

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.clubs import Club
from tournaments.models.outbox import FIRST_TRY, Outbox
from tournaments.policy import Actor
from tournaments.selectors.notices.outbox import mail_at
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require


@atomic_act
def send_again(*, actor: Actor, club: Club, number: int, now: datetime) -> None:
    """Have a mail of a club tried anew, with the first try; mails of the site by administrators.

    Raises:
        Forbidden: read_mail.
        Missing: mail.
        Conflict: mail_is_sent.
    """
    require(actor, club, "read_mail")
    mail = mail_at(club, number, with_site=actor.is_site_admin)
    waiting = Outbox.objects.filter(pk=mail.pk, sent_at__isnull=True)
    if not waiting.update(due_at=now, **FIRST_TRY):
        raise Conflict(Problem("mail_is_sent", facts={"mail": number}))
    append_audit(
        club=club,
        actor=actor,
        act="send_mail_again",
        subject=f"mail:{number}",
        facts={"kind": mail.kind},
        now=now,
    )
