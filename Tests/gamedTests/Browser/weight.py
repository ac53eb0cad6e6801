"""Checks that a tablet receives less than 60 kB until it shows a session."""

from browser import check, expect_visible, run_script

MAX_BYTES = 60_000


def run(fixture):
    fixture.open("quiz")
    data = {"round": 3, "rounds": 10, "scores": {"Ann": 1, "Bob": 2}, "out": []}
    fixture.server.call("goto", session=fixture.session, state="question", data=data)

    # Counts all bytes of a first visit, including response headers.
    page = fixture.page()
    headers = {"Origin": fixture.base_url, "Gamed-Page": f"play.{fixture.session}"}
    page.context.request.post(f"{fixture.base_url}/v1/login", headers=headers, data={"token": fixture.token})
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    sizes = {}

    def add_bytes(event):
        # Counts data as they arrive, because the event stream does not end. When another request ends, Chromium reports
        # that request's total, which replaces the sum.
        sizes[event["requestId"]] = sizes.get(event["requestId"], 0) + event["encodedDataLength"]

    devtools.on("Network.dataReceived", add_bytes)
    devtools.on("Network.loadingFinished", lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}))
    page.goto(f"{fixture.base_url}/play/{fixture.session}")
    expect_visible(page, "button[data-event=buzz]")
    page.wait_for_load_state("load")
    total = sum(sizes.values())
    # A total below 20 kB would mean that the script has not counted all responses.
    check(20_000 < total < MAX_BYTES, f"a tablet receives {total} bytes in {len(sizes)} answers")


run_script("weight", run)
