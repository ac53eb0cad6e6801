"""Prints the results as a table, and writes them as Markdown and as JSON."""
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


def markdown(results, titles):
    """A table for docs/performance.md: medians, the ratio with its range, the bound, and what is missed. `titles` are the titles
    of the parts, which stand above their rows."""
    lines, part = ["| | gamed | peer | ratio | bound |", "|---|---|---|---|---|"], None
    for result in results:
        row, ratios = result.row, result.ratios
        if result.part != part:
            part = result.part
            lines.append(f"| *{titles[part]}* | | | | |")
        theirs = f"{short(median(result.theirs))} ({row.peer})" if result.theirs else ""
        shown = f"{ratio(median(ratios))} ({ratio(min(ratios))} to {ratio(max(ratios))})" if ratios else ""
        limit = row.at_most if row.at_most is not None else row.at_least
        wished = "" if limit is None else (ratio(limit) if row.theirs else short(limit))
        if limit is not None and row.at_least is not None:
            wished = f"at least {wished}"
        if result.holds is False:
            wished += "; **missed**"
        ours = f"{short(median(result.ours))} {row.unit}" + ("" if ratios else f" ({short(min(result.ours))} to {short(max(result.ours))})")
        lines.append("| " + " | ".join([row.title, ours, theirs, shown, wished]) + " |")
    return "\n".join(lines) + "\n"


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
