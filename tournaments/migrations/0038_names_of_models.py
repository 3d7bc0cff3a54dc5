"""Names of models that Django derives from the class are not set any more; nothing in SQL."""

from django.db import migrations

NAMED_BY_CLASS = """
    attendance audithead auditline board calendarlink challenge change club clubfront clublogo
    contact deadline deal dealprinting dismissedhint dispute entrant entrantmember erasure event
    fillinrequest formereventslug formerslug game hand housevariant houseversion importproblem
    invitation ladderabsence laddermove ladderstate ladderstep ledgerline match matchtable
    meeting membership notice notificationchoice openingvalue personallink picture player
    playermerge playoff playoffmember playoffstep publication publicationfile publicationpack
    ratingchange readback replacement reply round ruling season seat seatingconstraint
    seatingplan secondtyping setuplink sheetphoto similarplayers sitout stage stageentrant
    storedhistory table tablelink undonehand upload walkover webhook webhookdelivery
    webhookevent webhooksequence
"""
NAMED = {
    'columnmap': {'verbose_name': 'column mapping'},
    'dirty': {'verbose_name': 'background job'},
    'entry': {'verbose_name_plural': 'entries'},
    'heartbeat': {'verbose_name': 'worker heartbeat'},
    'importbatch': {'verbose_name': 'import'},
    'outbox': {'verbose_name': 'outgoing message'},
    'snapshot': {'verbose_name': 'rules snapshot'},
    'token': {'verbose_name': 'access token'},
}


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0037_disputed_hands'),
    ]

    operations = [
        migrations.AlterModelOptions(name, options)
        for name, options in ({key: {} for key in NAMED_BY_CLASS.split()} | NAMED).items()
    ]
