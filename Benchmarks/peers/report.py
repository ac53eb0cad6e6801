"""Prints the results as a table, and writes them as JSON."""
import json

from shared.figures import median, short, verdict


def figure(values):
    """The median and the range."""
    return f"{short(median(values))} ({short(min(values))}-{short(max(values))})"


def ratio(value):
    """A small ratio is easier to compare as 1/N."""
    return f"1/{1 / value:.1f}" if 0 < value < 0.6 else f"{value:.2f}"


def bound(result):
    """The bound in words, with the aim and the verdict."""
    row = result.row
    if result.holds is None:
        return "reported"
    limit, word = (row.at_most, "at most") if row.at_most is not None else (row.at_least, "at least")
    text = ratio(limit) if row.theirs else f"{short(limit)} {row.unit}"
    aim = f", aim {row.aim}" if row.aim else ""
    return f"{word} {text}{aim}: {verdict(result.holds)}"


def cells(result):
    """The cells of a row: title, ours, theirs, ratio, bound."""
    row, ratios = result.row, result.ratios
    theirs = f"{figure(result.theirs)} {row.peer}" if result.theirs else ""
    shown = f"{ratio(median(ratios))} ({ratio(min(ratios))} to {ratio(max(ratios))})" if ratios else ""
    return [f"{row.title}, {row.unit}", figure(result.ours), theirs, shown, bound(result)]


def print_part(title, results, seconds):
    print(f"\n{title} ({seconds:.0f} s)\n")
    head = ["", "gamed", "peer", "ratio", "bound"]
    table = [head, *(cells(result) for result in results)]
    widths = [max(len(line[column]) for line in table) for column in range(len(head))]
    for line in table:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip(), flush=True)


def write_json(path, versions, rounds, results, curves, skipped):
    def as_object(result):
        row = result.row
        return {
            "part": result.part, "title": row.title, "unit": row.unit, "peer": row.peer,
            "ours": result.ours, "theirs": result.theirs, "ratios": result.ratios,
            "median": median(result.judged) if result.judged else None,
            "atMost": row.at_most, "atLeast": row.at_least, "holds": result.holds,
        }

    def as_point(curve, values):
        return {"panel": curve.panel.split("|")[0], "line": curve.line, "scale": curve.scale, "values": values}

    document = {
        "versions": versions, "rounds": rounds, "rows": [as_object(result) for result in results],
        "points": [as_point(curve, values) for curve, values in curves], "notMeasured": skipped,
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
        file.write("\n")
