"""Living with people and git: imports, restores, backups, auto-commit, and exchange copies of a team."""
