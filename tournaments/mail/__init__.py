"""Mails: what each kind says, written out when it is sent, as plain text and as HTML."""
