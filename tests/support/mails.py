"""Sending what the outbox holds, as the thread of a worker does, and reading it."""

from django.core.mail import EmailMultiAlternatives

from tournaments.delivery.mail.sender import MailSender


def send_waiting() -> bool:
    """Send what is due; false where the mail server is away."""
    return MailSender().send_due()


def html_of(message: EmailMultiAlternatives) -> str:
    ((content, kind),) = message.alternatives
    assert kind == "text/html"
    return str(content)
