"""Starts gamed and its peers, one file for each."""
