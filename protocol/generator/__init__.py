"""Turns the wire schemas into source code and pages. Only the standard library is used."""
