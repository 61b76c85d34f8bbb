"""The scanners: one question each, asked of the facts of a build."""
