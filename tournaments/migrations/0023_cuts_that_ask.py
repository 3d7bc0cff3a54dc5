"""A cut knows when it was made, and what a correction has asked about it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0022_ladder_inputs")]

    operations = [
        migrations.AddField("stage", "cut_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("stage", "asked", models.JSONField(blank=True, null=True)),
        migrations.AddField("stage", "kept", models.JSONField(blank=True, null=True)),
    ]
