"""Connects Claude Code to kg."""
