"""What leaves the site: mail, webhooks, and the threads of workers that send."""
