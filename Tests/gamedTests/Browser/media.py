"""Media of a flow for users who may see the session: pictures, a sound once for each visit, and the operator's theme."""

from browser import check, gone, see, tell, until

ACCENT = "getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()"
# Records the sounds that the page plays.
LISTEN = """
    window.played = [];
    HTMLMediaElement.prototype.play = function () {
        window.played.push(this.src);
        return window.refuses ? Promise.reject(new DOMException('', 'NotAllowedError')) : Promise.resolve();
    };
"""


def run(stage):
    room = stage.name
    stage.server.call("open", session=room, flow="gallery")
    guest = stage.server.call("token", action="add", name="guest")["token"]
    play = stage.page()
    play.add_init_script(LISTEN)
    asked = []
    play.on("request", lambda request: asked.append(request.url))
    play.goto(f"{stage.base}/play/{room}#token={guest}")
    see(play, "#state", "Empty")
    gone(play, "#picture")
    until(play, f"() => {ACCENT} === '#123456'", "the theme is not applied")

    stage.server.send(room, "hang")
    see(play, "#picture")
    until(play, "() => document.querySelector('#picture').naturalWidth === 40", "the picture is not drawn")
    # The picture contains a script and a link to another file. The browser must execute and load neither.
    check("executed" not in play.title(), "a script in a picture was executed")
    check(not any("elsewhere" in url for url in asked), f"a picture loads {asked}")
    until(play, "() => window.played.length === 1", "the sound was not played")
    # A change within the same visit does not repeat the sound.
    stage.server.call("label", session=room, labels={"team": "Owls"})
    stage.server.call("say", session=room, text="look")
    see(play, "#said", "look")
    check(play.evaluate("window.played.length") == 1, "the sound was played twice")
    stage.server.send(room, "take")
    gone(play, "#picture")
    play.evaluate("window.refuses = true")
    stage.server.send(room, "hang")
    see(play, "#sound", "Turn the sound on")
    play.evaluate("window.refuses = false")
    play.click("#sound")
    gone(play, "#sound")
    check(play.evaluate("window.played.length") == 3, "the button does not play the sound")


tell("media", run)
