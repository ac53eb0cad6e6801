"""Compares gamed with the programs that one would use instead: `python3 -m peers` in Benchmarks, or `make bench-peers`.

servers/  starts gamed and its peers, one file for each
parts/    what is measured, one file for each comparison; each says what both sides do, and what they do not do
rows.py   what a row of the results is: what is compared, and the bound
report.py prints the table, and writes the results as JSON
plot.py   draws the costs against the scale, as SVG
"""
