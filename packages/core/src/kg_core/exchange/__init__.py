"""Memory in and out of other forms: imports, backups, exports, a team's exchange copy. Decisions are pure."""
