"""Turns → scores: every measure on every turn, and what became of every reply."""
