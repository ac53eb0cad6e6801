"""The players' page has its own words in the language of the screen, otherwise in that of the session, otherwise in that of the
browser. The page at which guests join has them in the language of the browser."""

from browser import PHONE, check, expect_visible, run_script

ENGLISH, GERMAN = "Your name", "Dein Name"


def run(fixture):
    session, server = fixture.session, fixture.server
    guest = server.call("token", action="add", name="guest")["token"]

    def phone(locale, query=""):
        page = fixture.page(viewport=PHONE, locale=locale)
        page.goto(f"{fixture.base_url}/play/{session}{query}#token={guest}")
        return page

    # A session of a flow without languages, which is not open yet.
    pages = {locale: phone(locale) for locale in ("de-AT", "en-GB", "fr")}
    expect_visible(pages["de-AT"], "#screen-title", "Noch nicht geöffnet")
    expect_visible(pages["fr"], "#screen-title", "Not open yet")
    server.call("open", session=session, flow="plain")
    expect_visible(pages["de-AT"], ".buzzer-name", GERMAN)
    expect_visible(pages["en-GB"], ".buzzer-name", ENGLISH)
    expect_visible(pages["fr"], ".buzzer-name", ENGLISH)
    fixture.save_picture(pages["de-AT"], "languages-name")

    # What the flow has no words for, and what was there before the language was known.
    german = pages["de-AT"]
    german.fill("input[name=player]", "Ann")
    german.click("text=Fertig")
    expect_visible(german, ".buzzer")
    check(german.evaluate("document.documentElement.lang") == "de", "the document is not marked as German")
    check(german.text_content("#sound") == "Ton einschalten", "the button for the sound is not in German")
    server.call("close", session=session)
    expect_visible(german, "#screen-title", "Geschlossen")
    german.close()

    # A session's language is above that of the browser, and a screen's is above both. The page has no French.
    for language, expected in {"en": (ENGLISH, ENGLISH), "de": (GERMAN, GERMAN), "fr": (GERMAN, ENGLISH)}.items():
        server.call("open", session=session, flow="spoken", settings={"language": language})
        for locale, words in zip(("de-AT", "en-GB"), expected):
            expect_visible(phone(locale), ".buzzer-name", words)
            expect_visible(phone(locale, "?language=de"), ".buzzer-name", GERMAN)
        # A page that is open goes along with the language of the next game.
        expect_visible(pages["en-GB"], ".buzzer-name", expected[1])
        server.call("close", session=session)

    # A screen of another language has the texts that do not depend on data in its own language, although the status has all
    # texts in the session's.
    server.call("open", session=session, flow="shown", settings={"language": "en"})
    french = fixture.page(locale="en-GB")
    french.goto(f"{fixture.base_url}/play/{session}?language=fr#token={guest}")
    english = fixture.page(locale="en-GB")
    english.goto(f"{fixture.base_url}/play/{session}#token={guest}")
    for page, title in ((french, "Bienvenue"), (english, "Welcome")):
        expect_visible(page, "#state", title)
        expect_visible(page, "#state-text", "Round 1")
    server.send(session, "stop")
    for page, title in ((french, "Restez calmes"), (english, "Please stay calm")):
        expect_visible(page, "#state", title)
        page.locator("#announcer").filter(has_text=title).wait_for(state="attached")
    fixture.save_picture(french, "languages-shown")
    server.call("close", session=session)

    join = fixture.page(viewport=PHONE, locale="de-DE")
    join.goto(f"{fixture.base_url}/join")
    expect_visible(join, "#join button", "Mitspielen")
    join.fill("#code", "AAAAAA")
    join.click("#join button")
    expect_visible(join, "#message", "Dieser Code ist nicht bekannt")
    fixture.save_picture(join, "languages-join")
    stranger = fixture.page(viewport=PHONE, locale="de-DE")
    stranger.goto(f"{fixture.base_url}/play/{session}")
    expect_visible(stranger, "#signin button", "Anmelden")
    fixture.save_picture(stranger, "languages-signin")


run_script("languages", run)
