"""The example page for other origins, `Examples/clients/browser/buzzer.html`, plays with a token, from a server of its own:
own_page.py PORT BASE_URL TOKEN SOCKET."""

import functools
import http.server
import pathlib
import sys
import threading

from browser import expect_visible, run_script

FOLDER = pathlib.Path(__file__).parents[3] / "Examples" / "clients" / "browser"


def run(fixture):
    port = int(sys.argv[1])
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=FOLDER)
    handler.log_message = lambda *_: None
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        token = fixture.server.call("token", action="add", name="page")["token"]
        page = fixture.page()
        page.goto(f"http://127.0.0.1:{port}/buzzer.html?{fixture.base_url}#{token}")
        expect_visible(page, "output", "lobby")
        fixture.server.send("main", "start", rounds=2)
        expect_visible(page, "output", "question")
        page.click("button")
        expect_visible(page, "output", "locked")
        page.click("button")
        expect_visible(page, "output", "noTransition")
        server.shutdown()


run_script("own_page", run, "PORT")
