"""How many mails a mailbox gets within a day, and mails that are held back for it."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0039_origin_of_addresses'),
    ]

    operations = [
        migrations.AddField(
            model_name='outbox',
            name='held_since',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name='MailboxSlot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('mailbox', models.CharField(max_length=64)),
                ('number', models.PositiveSmallIntegerField()),
                ('mail', models.PositiveBigIntegerField()),
                ('taken_at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(fields=['taken_at'], name='mailbox_slots_by_time')],
                'constraints': [models.UniqueConstraint(fields=('mailbox', 'number'), name='mailbox_has_each_slot_once')],
            },
        ),
    ]
