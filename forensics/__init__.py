"""Build Forensics: what is wrong with a shipped web-app build, told without running it."""

__version__ = "0.1.0"
