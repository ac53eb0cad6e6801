"""A video plays once in each visit of a state, and its end is sent once, by whichever screen is first. A phone with a buzzer does
not play it. The script makes the video itself, and writes it into the folder MEDIA, its first argument."""

import base64
import pathlib
import sys
import time

from browser import check, expect_hidden, expect_visible, run_script, wait_until

# Records what is drawn on a canvas, for a second.
RECORD_VIDEO = """async () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 36 });
    const context = canvas.getContext("2d");
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: "video/webm" });
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.start();
    for (let step = 0; step < 25; step++) {
        context.fillStyle = `hsl(${step * 14} 80% 50%)`;
        context.fillRect(0, 0, 64, 36);
        await new Promise((resolve) => setTimeout(resolve, 40));
    }
    await new Promise((resolve) => { recorder.onstop = resolve; recorder.stop(); });
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return btoa(String.fromCharCode(...bytes));
}"""
# Whether the whole video is on the screen.
FITS = """() => {
    const { top, left, bottom, right } = document.querySelector("#video").getBoundingClientRect();
    return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && bottom > top;
}"""
# Whether the video could not be loaded and covers nothing. The page makes the element when it first needs it.
FAILED_AND_HIDDEN = """() => {
    const video = document.querySelector("#video");
    return video !== null && video.error !== null && video.hidden;
}"""
COUNT_PLAYS = """
    window.plays = [];
    addEventListener("playing", ({ target }) => window.plays.push(target.currentSrc), true);
    addEventListener("ended", () => window.plays.push("ended"), true);
"""


def run(fixture):
    video = base64.b64decode(fixture.page().evaluate(RECORD_VIDEO))
    pathlib.Path(sys.argv[1], "intro.webm").write_bytes(video)
    fixture.server.call("reload")
    session = fixture.session
    fixture.server.call("open", session=session, flow="show")

    guest_token = fixture.server.call("token", action="add", name="guest")["token"]
    wall = fixture.page(viewport={"width": 1920, "height": 1080})
    tablet, phone = fixture.page(), fixture.page()
    for page in (wall, tablet, phone):
        page.add_init_script(COUNT_PLAYS)
    wall.goto(f"{fixture.base_url}/play/{session}?screen=wall#token={fixture.token}")
    # A visitor may not buzz, so this page is no buzzer.
    hall_token = fixture.server.call("token", action="add", name="hall")["token"]
    tablet.goto(f"{fixture.base_url}/play/{session}#token={hall_token}")
    phone.goto(f"{fixture.base_url}/play/{session}#token={guest_token}")
    for page in (wall, tablet, phone):
        expect_visible(page, "#state", "Doors open")

    fixture.server.send(session, "startShow")
    expect_visible(wall, "#video")
    expect_hidden(tablet, "button[data-event=startRound]")
    wait_until(wall, FITS, "the video is not completely on the screen")
    fixture.save_picture(wall, "video-wall")
    expect_visible(wall, "#state", "First round")
    expect_hidden(wall, "#video")
    for page in (tablet, phone):
        check("intro.webm" not in str(page.evaluate("window.plays")), "a page has played the video beside the wall")
    entries = [record for record in fixture.server.history(session) if record["kind"] == "enter"]
    ends = [record["source"]["kind"] for record in entries if record["event"]["name"] == "startRound"]
    check(ends == ["web"], f"the end was accepted from {ends}")

    # The next visit plays it again, and a change in a visit does not.
    fixture.server.send(session, "again")
    expect_visible(wall, "#state", "Doors open")
    wall.evaluate("window.plays = []")
    fixture.server.send(session, "startShow")
    expect_visible(wall, "#video")
    fixture.server.call("label", session=session, labels={"team": "Owls"})
    expect_visible(wall, "#state", "First round")
    plays = wall.evaluate("window.plays")
    check(sum("intro.webm" in play for play in plays) == 1, f"the video was played: {plays}")

    # Without a wall, other screens play it, but not a phone with a buzzer.
    fixture.server.send(session, "again")
    address = wall.url
    wall.goto("about:blank")
    while "desk" in [screen.get("name") for screen in fixture.server.call("screens", session=session)["screens"]]:
        time.sleep(0.05)
    fixture.server.send(session, "startShow")
    expect_visible(tablet, "#video")
    wait_until(tablet, FITS, "the video is not completely on the screen")
    fixture.save_picture(tablet, "video-tablet")
    expect_visible(tablet, "#state", "First round")
    check("intro.webm" not in str(phone.evaluate("window.plays")), "a phone with a buzzer has played the video")
    wall.goto(address)
    expect_visible(wall, "#state", "First round")

    # A missing file leaves the texts, and the state's other exit.
    fixture.server.send(session, "missing")
    expect_visible(wall, "#state", "No film")
    wait_until(wall, FAILED_AND_HIDDEN, "a missing video covers the page")


run_script("videos", run, first_argument="MEDIA")
