"""The desk lists the nodes that share a store, for users who may operate every session."""

from accessible import check_accessibility
from browser import check, expect_hidden, expect_visible, run_script


def run(fixture):
    fixture.open()
    hall_token = fixture.server.call("token", action="add", name="hall")["token"]
    desk = fixture.desk()
    expect_visible(desk, "#nodes li:nth-child(2)")
    nodes_by_name = {each["node"]: each for each in fixture.server.call("nodes")["nodes"]}
    check(set(nodes_by_name) == {"a", "<b>b</b>"}, f"{nodes_by_name}")
    expect_visible(desk, "#nodes", nodes_by_name["a"]["address"])
    # Markup in a name is shown as text.
    expect_visible(desk, "#nodes li", "<b>b</b>")
    expect_visible(desk, "#nodes li", "this page's")
    expect_visible(desk, "#nodes p", "rules, flow files or `on` lines differ")
    check_accessibility(desk, "the desk with two nodes")
    for width, height in ((1024, 600), (390, 844)):
        desk.set_viewport_size({"width": width, "height": height})
        is_too_wide = desk.evaluate("document.documentElement.scrollWidth > innerWidth")
        check(not is_too_wide, f"the nodes are too wide for {width}x{height}")

    hall_desk = fixture.page()
    hall_desk.goto(f"{fixture.base_url}/#token={hall_token}")
    expect_visible(hall_desk, "#identity", "hall · play")
    expect_hidden(hall_desk, "#nodes")


run_script("nodes", run)
