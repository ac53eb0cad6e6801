"""The players' page shows the pictures of a flow, plays a sound once for each visit of a state, and applies the operator's
theme. A looped sound ends with its state or its game, also if the page has not got the changes."""

import urllib.parse

from browser import check, expect_hidden, expect_visible, launch_through, run_script, wait_until
from web_proxy import WebProxy

ACCENT = "getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()"
# Records the sounds that the page plays, and refuses to play them while `window.refuses` is true, as a browser may. `sounding` has
# the sounds that have not been ended.
RECORD_SOUNDS = """
    window.played = [];
    window.sounding = new Set();
    HTMLMediaElement.prototype.pause = function () {
        window.sounding.delete(this);
    };
    HTMLMediaElement.prototype.play = function () {
        window.played.push(this.src);
        window.sounding.add(this);
        return window.refuses ? Promise.reject(new DOMException('', 'NotAllowedError')) : Promise.resolve();
    };
"""


def check_sounding(page, count, when):
    wait_until(page, f"() => window.sounding.size === {count}", f"{when}, not {count} sounds are played")


def check_lost_changes(fixture, token):
    """While the connection is lost, the page gets no changes. When it is back, the sounds that have ended meanwhile end."""
    session, server = fixture.session, fixture.server
    address = urllib.parse.urlsplit(fixture.base_url)
    proxy = WebProxy(address.hostname, address.port or 80)
    page = fixture.page(launch_through(fixture, proxy))
    page.add_init_script(RECORD_SOUNDS)
    server.call("goto", session=session, state="empty")
    page.goto(f"{fixture.base_url}/play/{session}#token={token}")
    expect_visible(page, "#state", "Empty")

    def lose(*changes):
        proxy.cut()
        expect_visible(page, "#screen", "Connection lost")
        check(page.evaluate("window.sounding.size") == 1, "the sound ends with the connection")
        for method, params in changes:
            server.call(method, session=session, **params)
        proxy.restore()
        expect_hidden(page, "#screen:has-text('Connection lost')")

    server.send(session, "music")
    check_sounding(page, 1, "after the effect")
    lose()
    check_sounding(page, 1, "after a loss without changes")
    lose(("send", {"event": "dim"}))
    expect_visible(page, "#state", "Dark")
    check_sounding(page, 0, "in another state")

    # A sound of the game goes on in other states, until the flow stops it.
    server.send(session, "take")
    expect_visible(page, "#state", "Empty")
    server.send(session, "anthem")
    check_sounding(page, 1, "after the effect")
    lose(("send", {"event": "dim"}))
    expect_visible(page, "#state", "Dark")
    check_sounding(page, 1, "in another state of the game")
    lose(("send", {"event": "quiet"}))
    check_sounding(page, 0, "after the flow has stopped it")

    # It ends with the game. The next game begins while the connection is lost.
    server.send(session, "take")
    expect_visible(page, "#state", "Empty")
    server.send(session, "anthem")
    check_sounding(page, 1, "after the effect")
    lose(("open", {"again": True}))
    expect_visible(page, "#state", "Empty")
    check_sounding(page, 0, "in the next game")
    server.send(session, "anthem")
    check_sounding(page, 1, "after the effect")
    lose(("close", {}))
    expect_visible(page, "#screen", "Closed")
    check_sounding(page, 0, "after the session was closed")


def run(fixture):
    session = fixture.session
    fixture.server.call("open", session=session, flow="gallery")
    guest_token = fixture.server.call("token", action="add", name="guest")["token"]
    page = fixture.page()
    page.add_init_script(RECORD_SOUNDS)
    requested_urls = []
    page.on("request", lambda request: requested_urls.append(request.url))
    page.goto(f"{fixture.base_url}/play/{session}#token={guest_token}")
    expect_visible(page, "#state", "Empty")
    expect_hidden(page, "#picture")
    wait_until(page, f"() => {ACCENT} === '#123456'", "the theme is not applied")
    # A flow without a theme of its own has that of all flows.
    fixture.server.call("open", session="other", flow="game")
    other = fixture.page()
    other.goto(f"{fixture.base_url}/play/other#token={guest_token}")
    wait_until(other, f"() => {ACCENT} === '#654321'", "the theme of all flows is not applied")
    other.context.close()

    fixture.server.send(session, "hang")
    expect_visible(page, "#picture")
    wait_until(page, "() => document.querySelector('#picture').naturalWidth === 40", "the picture is not drawn")
    # The picture contains a script and a link to another file. The browser must not execute the script or load the file.
    check("executed" not in page.title(), "a script in a picture was executed")
    check(not any("elsewhere" in url for url in requested_urls), f"a picture loads {requested_urls}")
    wait_until(page, "() => window.played.length === 1", "the sound was not played")
    # A change within the same visit does not repeat the sound.
    fixture.server.call("label", session=session, labels={"team": "Owls"})
    fixture.server.call("say", session=session, text="look")
    expect_visible(page, "#host-message", "look")
    check(page.evaluate("window.played.length") == 1, "the sound was played twice")
    fixture.server.send(session, "take")
    expect_hidden(page, "#picture")
    page.evaluate("window.refuses = true")
    fixture.server.send(session, "hang")
    expect_visible(page, "#sound", "Turn the sound on")
    page.evaluate("window.refuses = false")
    page.click("#sound")
    expect_hidden(page, "#sound")
    check(page.evaluate("window.played.length") == 3, "the button does not play the sound")
    page.context.close()
    check_lost_changes(fixture, guest_token)


run_script("media", run)
