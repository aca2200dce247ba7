"""Connecting agents to kg and taking them off again: what each harness claims, done by the settings editor."""
