from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0046_results_and_fill_ins'),
    ]

    operations = [
        migrations.AddField(
            model_name='outbox',
            name='sent_to',
            field=models.CharField(blank=True, db_default='', default='', max_length=254),
        ),
    ]
