"""A rough day in minutes: many sessions, a killed server, a full disk, a wrong clock, and a person who edits."""
