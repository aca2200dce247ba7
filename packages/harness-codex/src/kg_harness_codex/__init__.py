"""Connects Codex CLI to kg."""
