from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0040_mailbox_slots")]

    operations = [
        migrations.AddField(
            model_name="heartbeat",
            name="processes",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
    ]
