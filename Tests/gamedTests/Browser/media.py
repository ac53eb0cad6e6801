"""The players' page shows the pictures of a flow, plays a sound once for each visit of a state, and applies the operator's
theme."""

from browser import check, expect_hidden, expect_visible, run_script, wait_until

ACCENT = "getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()"
# Records the sounds that the page plays, and refuses to play them while `window.refuses` is true, as a browser may.
RECORD_SOUNDS = """
    window.played = [];
    HTMLMediaElement.prototype.play = function () {
        window.played.push(this.src);
        return window.refuses ? Promise.reject(new DOMException('', 'NotAllowedError')) : Promise.resolve();
    };
"""


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


run_script("media", run)
