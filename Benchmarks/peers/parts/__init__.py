"""What is measured, one file for each comparison.

A part has a TITLE, its ROWS, the CURVES of the plot if there are any, and a function `measure`, a generator that yields the
samples of one round at a time, by name: first the daemon's, then its peer's. It raises NotMeasured if a program is missing.
"""
