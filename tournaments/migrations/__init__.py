"""Schema steps. They import nothing of ours."""
