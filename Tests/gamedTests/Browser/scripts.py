"""Runs browser scripts one after the other with one browser. The start of Playwright and Chromium takes longer than the run of
many scripts.

Reads a line for each script: its name and its arguments, separated by tabs. Prints the script's result, and then the line
`end of script`.
"""

import pathlib
import runpy
import sys
import traceback

import browser
from playwright.sync_api import sync_playwright


def run(name, arguments):
    """Runs a script, and prints its result or the error that ended it."""
    sys.argv = [name, *arguments]
    try:
        runpy.run_path(str(pathlib.Path(__file__).with_name(f"{name}.py")))
    except SystemExit as end:
        print(end.code)
    except Exception:
        traceback.print_exc(file=sys.stdout)


with sync_playwright() as playwright:
    for line in sys.stdin:
        # The browser may have crashed or been closed during the script before.
        if browser.shared_browser is None or not browser.shared_browser.browser.is_connected():
            browser.shared_browser = browser.RunningBrowser(playwright, browser.launch(playwright))
        name, *arguments = line.rstrip("\n").split("\t")
        run(name, arguments)
        print("end of script", flush=True)
