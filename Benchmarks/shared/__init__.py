"""What the benchmarks in Python share: processes.py starts and observes programs, figures.py summarizes what they measured."""
