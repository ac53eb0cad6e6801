"""Behind a proxy that changes the header Host, the daemon takes the pages for those of another site. The pages then say why:
refused_origin.py PROXY_URL BASE_URL TOKEN SOCKET."""

import sys

from browser import expect_visible, run_script

ADVICE = "proxy_set_header Host $http_host"


def run(fixture):
    proxy = sys.argv[1]
    page = fixture.page()
    page.goto(f"{proxy}/")
    page.fill("#token", fixture.token)
    page.click("#signin button")
    expect_visible(page, "#signin .message", ADVICE)
    page.goto(f"{proxy}/join")
    page.fill("#code", "AAAAAA")
    page.click("#join button")
    expect_visible(page, "#message", ADVICE)


run_script("refused_origin", run, "PROXY_URL")
