"""The number of bytes that a tablet receives until it shows a session."""

from browser import check, see, tell

MOST = 60_000


def run(stage):
    stage.open("quiz")
    data = {"round": 3, "rounds": 10, "scores": {"Ann": 1, "Bob": 2}, "out": []}
    stage.server.call("goto", session=stage.name, state="question", data=data)

    # All bytes of a first visit, including response headers.
    page = stage.page()
    headers = {"Origin": stage.base, "Gamed-Page": f"play.{stage.name}"}
    page.context.request.post(f"{stage.base}/v1/login", headers=headers, data={"token": stage.token})
    protocol = page.context.new_cdp_session(page)
    protocol.send("Network.enable")
    sizes = {}

    def add(event):
        # Counts data as it arrives, because the event stream does not end. The end of a request replaces its sum.
        sizes[event["requestId"]] = sizes.get(event["requestId"], 0) + event["encodedDataLength"]

    protocol.on("Network.dataReceived", add)
    protocol.on("Network.loadingFinished", lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}))
    page.goto(f"{stage.base}/play/{stage.name}")
    see(page, "button[data-event=buzz]")
    page.wait_for_load_state("load")
    total = sum(sizes.values())
    check(20_000 < total < MOST, f"a tablet receives {total} bytes in {len(sizes)} answers")


tell("weight", run)
