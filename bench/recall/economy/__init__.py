"""What recall costs in a session: forty prompts of one working day, one after the other."""

from economy.session import Economy, Prompt, lived, read_session, table

__all__ = ["Economy", "Prompt", "lived", "read_session", "table"]
