"""The dialog that opens a session names the mistakes in flow files and the warnings about them, and stays on the screen of a
phone although there are many."""

from accessible import check_accessibility
from browser import PHONE, check, expect_hidden, expect_visible, run_script


def run(fixture):
    fixture.open()
    desk = fixture.desk(viewport=PHONE)
    if desk.is_visible("#roster-button"):
        desk.click("#roster-button")
    desk.click("button:text-is('Open a session')")
    expect_visible(desk, "dialog[open] .findings summary", "In flow files: mistakes 2, warnings 32")
    expect_hidden(desk, "dialog[open] .findings li")
    desk.click("dialog[open] .findings summary")
    expect_visible(desk, "dialog[open] .findings ul", "there is no state nowhere")
    expect_visible(desk, "dialog[open] .findings ul", "write '0431' for a text")
    check_accessibility(desk, "the dialog with the list of findings")
    box = desk.locator("dialog[open]").bounding_box()
    check(box["y"] >= 0 and box["y"] + box["height"] <= PHONE["height"], f"the dialog is at {box}")


run_script("findings", run)
