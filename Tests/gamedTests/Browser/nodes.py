"""The desk lists the nodes that share a store, for those who operate every session."""

from accessible import inspect
from browser import check, gone, see, tell


def run(stage):
    stage.open()
    hall = stage.server.call("token", action="add", name="hall")["token"]
    desk = stage.desk()
    see(desk, "#nodes li:nth-child(2)")
    names = {each["node"]: each for each in stage.server.call("nodes")["nodes"]}
    check(set(names) == {"a", "<b>b</b>"}, f"{names}")
    see(desk, "#nodes", names["a"]["address"])
    # A name is shown as it is, not as a part of the page.
    see(desk, "#nodes li", "<b>b</b>")
    see(desk, "#nodes li", "this page's")
    see(desk, "#nodes p", "rules, flow files or `on` lines differ")
    inspect(desk, "the desk with two nodes")
    for width, height in ((1024, 600), (390, 844)):
        desk.set_viewport_size({"width": width, "height": height})
        wide = desk.evaluate("document.documentElement.scrollWidth > innerWidth")
        check(not wide, f"the nodes are too wide for {width}x{height}")

    other = stage.page()
    other.goto(f"{stage.base}/#token={hall}")
    see(other, "#who", "hall · play")
    gone(other, "#nodes")


tell("nodes", run)
