from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0041_processes_of_a_worker"),
    ]

    operations = [
        migrations.AddField(
            model_name="heartbeat",
            name="without_process_since",
            field=models.DateTimeField(null=True),
        ),
    ]
