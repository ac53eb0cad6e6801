"""Nothing internal is on a page for an audience: in a flow whose people's texts are complete, no page shows a name of the flow, also
when an event is refused, or if an operator has opened the page."""

from browser import PHONE, Failed, check, expect_visible, run_script, wait_until

#: Each internal name of the flow begins with these letters, and no text for people has them.
INTERNAL = "zz"
#: Values that the flow declares. People read them as words.
ITEMS = ["redTeam", "blueTeam", "radioSet", "chart_room"]
#: Words of the protocol that players must not read.
PROTOCOL_WORDS = ["noTransition", "forbidden", "invalid", "stale", "null", "undefined", "NaN", "[object"]


def check_texts(pages, state):
    """Waits until all pages show a state by its title, and checks all that they show."""
    for name, page in pages.items():
        if name == "phone":
            # A phone with a buzzer may show only its button.
            wait_until(page, "() => document.body.innerText !== ''", "the phone is empty")
        else:
            expect_visible(page, "#state", state)
        text = page.inner_text("body") + " " + page.title()
        found = [word for word in [INTERNAL, *ITEMS, *PROTOCOL_WORDS] if word.lower() in text.lower()]
        if found:
            raise Failed(f"{name} in {state} shows {found}: {text!r}")


def check_status(fixture):
    """The players' page gets from `status` only what players may see, also with the token of an operator."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "status", "params": {"session": fixture.session}}
    for page_name, is_hidden in {"desk": False, f"play.{fixture.session}": True}.items():
        headers = {"Authorization": f"Bearer {fixture.token}", "Gamed-Page": page_name}
        response = fixture.page().context.request.post(f"{fixture.base_url}/v1/rpc", headers=headers, data=request)
        text = response.text()
        check(("zzSecret" in text or "zzRound" in text) != is_hidden, f"{page_name} gets {text}")


def run(fixture):
    session, server = fixture.session, fixture.server
    server.call("open", session=session, flow="zzshow", labels={"title": "Friday"})
    guest = server.call("token", action="add", name="guest")["token"]
    pages = {
        "page": fixture.page(),
        "wall": fixture.page(viewport={"width": 1920, "height": 1080}),
        "overlay": fixture.page(viewport={"width": 1920, "height": 1080}),
        "phone": fixture.page(viewport=PHONE),
    }
    paths = {"page": "play", "wall": "play", "overlay": "overlay", "phone": "play"}
    for name, page in pages.items():
        query = "?screen=wall" if name == "wall" else ""
        page.goto(f"{fixture.base_url}/{paths[name]}/{session}{query}#token={guest}")
    # An operator who opens a page for the audience does not see more on it.
    for name, query in {"operator's page": "", "operator's wall": "?screen=wall"}.items():
        pages[name] = fixture.page(viewport={"width": 1920, "height": 1080})
        pages[name].goto(f"{fixture.base_url}/play/{session}{query}#token={fixture.token}")
    check_texts(pages, "Welcome")
    check_status(fixture)

    # Events of the page: an argument that is refused, and one that comes too late.
    page = pages["page"]
    page.fill("input[name=player]", "Bob")
    page.click("button:has-text('Ready')")
    page.fill("input[name=zzCode]", "1111")
    page.click("text=Try the code")
    expect_visible(page, "#notice", "That is not the code")
    check_texts(pages, "Welcome")
    page.fill("input[name=zzCode]", "4711")
    page.click("text=Try the code")
    check_texts(pages, "Ready?")

    # Declared values are shown as words, and are sent as they are declared. A value that has words already stays.
    for item in ("chart_room", "radioSet", "St. Mary"):
        server.send(session, "zzSolve", item=item)
    options = page.locator("select[name=zzTeam] option").all_inner_texts()
    check(options == ["Red team", "Blue team"], f"the form has {options}")
    page.click(".choices button:has-text('Blue team')")
    for name in ("page", "wall", "overlay"):
        expect_visible(pages[name], ".data", "Blue team")
        expect_visible(pages[name], ".data", "Chart room")
        expect_visible(pages[name], ".data", "St. Mary")
    # Names in a tally are shown as words if the flow declares them all.
    server.send(session, "zzCome", zzName="ann_Lee")
    for name in ("page", "wall", "overlay"):
        expect_visible(pages[name], ".pairs", "ann_Lee")
        for words in ("Blue team", "No team"):
            expect_visible(pages[name], f".pairs li span:text-is('{words}')")
    sent = [each["event"]["args"] for each in server.history(session) if (each.get("event") or {}).get("name") == "zzPick"]
    check(sent == [{"zzTeam": "blueTeam"}], f"the page has sent {sent}")
    check_texts(pages, "Ready?")
    fixture.save_picture(page, "audience-page")
    fixture.save_picture(pages["wall"], "audience-wall")

    server.send(session, "zzAsk")
    expect_visible(pages["phone"], "input[name=player]")
    pages["phone"].fill("input[name=player]", "ann_Lee")
    pages["phone"].click("button:has-text('Ready')")
    check_texts(pages, "Who knows?")
    pages["phone"].locator(".buzzer").dispatch_event("pointerdown", {"isPrimary": True})
    check_texts(pages, "ann_Lee answers")
    # What people have typed stays as it is.
    expect_visible(pages["wall"], "#first-player:text-is('ann_Lee')")
    server.send(session, "zzEnd")
    check_texts(pages, "Thank you")


run_script("audience", run)
