"""Measures gamed and its peers: `python3 -m peers [--rounds N] [--smoke] [--gamed FILE] [--out FOLDER] [PART...]`.

The daemon and its peer run alternately, in the same minute; the table has medians, ranges and ratios. With `--smoke`, each part
runs once with tiny counts, to see that it works. Fails only if a part breaks, not because of a figure.
"""
import argparse
import importlib
import os
import pathlib
import signal
import sys
import time
import traceback

from . import plot, report
from .bench import ROOT, Bench
from .rows import NotMeasured, Result

# In the order of the table.
PARTS = [
    "transition", "echo", "durable_redis", "durable_postgresql", "watchers", "browsers", "session", "idle", "resident", "store",
    "web", "tls", "beats", "virtual_time", "machines", "restart", "mqtt",
]


def measure_part(name, bench, rounds):
    """Measures a part, prints its rows, and returns its results and its points of the plot."""
    part = importlib.import_module(f".parts.{name}", __package__)
    samples, began = {}, time.monotonic()
    generator = part.measure(bench)
    try:
        for _ in range(rounds):
            for key, value in next(generator).items():
                samples.setdefault(key, []).append(value)
    finally:
        # Ends the servers of the part.
        generator.close()
    results = [
        Result(name, row, samples[row.ours], samples[row.theirs] if row.theirs else [])
        for row in part.ROWS if row.ours in samples and (row.theirs is None or row.theirs in samples)
    ]
    report.print_part(part.TITLE, results, time.monotonic() - began)
    curves = [(curve, samples[curve.sample]) for curve in getattr(part, "CURVES", []) if curve.sample in samples]
    return results, curves


def main():
    parser = argparse.ArgumentParser(prog="peers", description="Compares gamed with the programs that one would use instead.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--smoke", action="store_true", help="one round with tiny counts, to see that each part works")
    parser.add_argument("--gamed", default=ROOT / ".build/release/gamed", help="the program (default: .build/release/gamed)")
    parser.add_argument("--out", default=ROOT / ".build/peers", help="the folder of peers.json, peers.md and peers.svg (default: .build/peers)")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"all if none is named: {' '.join(PARTS)}")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"unknown parts: {' '.join(sorted(unknown))}; known: {' '.join(PARTS)}")
    # Without this, Python would end at once, and leave the servers behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    rounds = 1 if arguments.smoke else arguments.rounds
    out = pathlib.Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    results, curves, titles, skipped, broken = [], [], {}, {}, []
    with Bench(arguments.gamed, arguments.smoke) as bench:
        for name in arguments.parts or PARTS:
            try:
                titles[name] = importlib.import_module(f".parts.{name}", __package__).TITLE
                part_results, part_curves = measure_part(name, bench, rounds)
                results += part_results
                curves += part_curves
            except NotMeasured as reason:
                skipped[name] = str(reason)
                print(f"\n{name}: not measured: {reason}", flush=True)
            except Exception as error:
                # The remaining parts are measured all the same.
                skipped[name] = f"{type(error).__name__}: {error}"
                broken.append(name)
                print(f"\n{name}: BROKEN: {error}", flush=True)
                traceback.print_exc()
        versions = bench.versions
    print(f"\nMedian of {rounds} rounds (least-most); the ratio is gamed/peer, in each round. Load of this machine: "
          f"{os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores.")
    print("Versions: " + "; ".join(f"{name}: {version}" for name, version in versions.items()))
    (out / "peers.md").write_text(report.markdown(results, titles), encoding="utf-8")
    report.write_json(out / "peers.json", versions, rounds, results, curves, skipped)
    if plot.draw(out / "peers.svg", curves):
        print(f"Written: {out / 'peers.json'} and {out / 'peers.svg'}")
    else:
        print(f"Written: {out / 'peers.json'}. No plot: matplotlib is missing, or nothing was measured at several scales.")
    if broken:
        sys.exit(f"broken: {' '.join(broken)}")


main()
