"""Draws the costs against the scale: one panel for each kind of scale, one line for each program, as SVG."""
from shared.figures import median

# Colours that people who see no red or no green can tell apart (Okabe and Ito), with a marker each.
STYLES = [("#0072b2", "o"), ("#d55e00", "s"), ("#009e73", "^"), ("#cc79a7", "D"), ("#e69f00", "v")]


def draw(path, curves):
    """Draws the points (Curve, values). Returns whether there is something to draw and a library to draw it with."""
    try:
        import matplotlib
    except ImportError:
        return False
    if not curves:
        return False
    matplotlib.use("svg")
    # Text stays text, so that the file is small and can be searched; without the date, equal data make equal files.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "gamed", "font.size": 10})
    from matplotlib import pyplot, ticker

    panels = {}
    for curve, values in curves:
        panels.setdefault(curve.panel, {}).setdefault(curve.line, []).append((curve.scale, values))
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    chart, axes = pyplot.subplots(rows, columns, figsize=(5.2 * columns, 3.8 * rows), squeeze=False, layout="constrained")
    for axis in axes.flat[len(panels):]:
        axis.remove()
    for axis, (panel, lines) in zip(axes.flat, panels.items()):
        title, x_label, y_label = panel.split("|")
        # gamed has the same colour in all panels.
        for (color, marker), (line, points) in zip(STYLES, sorted(lines.items(), key=lambda item: item[0] != "gamed")):
            points.sort(key=lambda point: point[0])
            scales = [scale for scale, _ in points]
            middles = [median(values) for _, values in points]
            below = [middle - min(values) for middle, (_, values) in zip(middles, points)]
            above = [max(values) - middle for middle, (_, values) in zip(middles, points)]
            axis.errorbar(scales, middles, yerr=[below, above], label=line, color=color, marker=marker, markersize=5, capsize=3)
        axis.set(title=title, xlabel=x_label, ylabel=y_label, xscale="log", yscale="log")
        axis.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        for each in (axis.xaxis, axis.yaxis):
            each.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.12g}".replace(",", "\u2009")))
            each.set_minor_formatter(ticker.NullFormatter())
        axis.set_xticks(sorted({scale for points in lines.values() for scale, _ in points}))
        axis.grid(True, which="both", alpha=0.25)
        axis.legend(frameon=False)
    chart.savefig(path, metadata={"Date": None})
    return True
