"""The players' page has its own words in the language of the screen, otherwise in that of the session, otherwise in that of the
browser. The page at which guests join has them in the language of the browser."""

from browser import PHONE, check, expect_visible, run_script, wait_until

ENGLISH, GERMAN, FRENCH = "Your name", "Dein Name", "Ton nom"

# A function that returns the own words of the page that are visible, or read by screen readers, and are still in English.
FIND_ENGLISH = r"""async () => {
    const { words } = await import("/page/shared/french.js");
    const texts = [];
    for (const each of document.querySelectorAll("body, body *")) {
        if (!each.checkVisibility()) continue;
        for (const name of ["aria-label", "placeholder", "title", "alt"])
            if (each.hasAttribute(name)) texts.push(each.getAttribute(name));
        for (const child of each.childNodes) if (child.nodeType === Node.TEXT_NODE) texts.push(child.data);
        texts.push(each.textContent);
    }
    const escaped = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const patterns = Object.entries(words).filter(([english, french]) => english !== french && /[a-z]/i.test(english))
        .map(([english]) => new RegExp(`^${english.split("{}").map(escaped).join(".+")}$`));
    return texts.map(each => each.trim()).filter(each => patterns.some(pattern => pattern.test(each)));
}"""


def check_french(page, place):
    """Checks that the page has been read in French, and that no own word is in English."""
    wait_until(page, "() => document.documentElement.lang === 'fr'", f"{place}: the document is not marked as French")
    found = page.evaluate(FIND_ENGLISH)
    check(not found, f"{place}: English words: {found}")


def speak_french(fixture, guest):
    """Own words on the players' page, the wall, the overlay and the page at which guests join."""
    session, server = f"{fixture.session}-fr", fixture.server

    def open_page(path, size=PHONE, token=f"#token={guest}"):
        page = fixture.page(viewport=size, locale="en-GB")
        page.goto(f"{fixture.base_url}{path}{'&' if '?' in path else '?'}language=fr{token}")
        return page

    phone = open_page(f"/play/{session}")
    expect_visible(phone, "#screen-title", "Pas encore ouvert")
    check_french(phone, "closed")
    server.call("open", session=session, flow="phare", settings={})
    expect_visible(phone, ".buzzer-name", FRENCH)
    check_french(phone, "name")
    phone.fill("input[name=player]", "Ann")
    phone.click("text=Valider")
    expect_visible(phone, "#state", "Accueil")
    expect_visible(phone, ".rings", "Suite dans")
    expect_visible(phone, ".choices", "Juste")
    check_french(phone, "phone")
    fixture.save_picture(phone, "french-phone")
    server.send(session, "suite")
    expect_visible(phone, "#state", "Formes")
    phone.click("button[data-event=dit]")
    expect_visible(phone, "#notice", "À remplir\N{NO-BREAK SPACE}: mot.")
    check_french(phone, "notice")
    server.send(session, "suite")
    expect_visible(phone, ".buzzer:enabled")
    phone.locator(".buzzer").dispatch_event("pointerdown", {"isPrimary": True})
    expect_visible(phone, ".buzzer", "C’est compté")
    check_french(phone, "buzzer")
    fixture.save_picture(phone, "french-buzzer")
    server.send(session, "suite")
    wide = {"width": 1280, "height": 720}
    wall, overlay = open_page(f"/play/{session}?screen=wall", wide), open_page(f"/overlay/{session}", wide)
    for number in range(60):
        server.send(session, "arrive", nom=f"Maximilienne-{number:02}")
    for name, page in {"wall": wall, "overlay": overlay}.items():
        expect_visible(page, ".names .more", "de plus")
        check_french(page, name)
        fixture.save_picture(page, f"french-{name}")
    server.send(session, "fin")
    expect_visible(phone, "#state", "Sortie")
    check_french(phone, "end")
    server.call("close", session=session)
    expect_visible(phone, "#screen-title", "Fermé")
    check_french(phone, "closed again")
    join, stranger = open_page("/join", token=""), open_page(f"/play/{session}", token="")
    expect_visible(join, "#join button", "Participer")
    join.fill("#code", "AAAAAA")
    join.click("#join button")
    expect_visible(join, "#message", "Ce code n’est pas connu")
    check_french(join, "join")
    fixture.save_picture(join, "french-join")
    expect_visible(stranger, "#signin button", "Se connecter")
    check_french(stranger, "sign in")
    fixture.save_picture(stranger, "french-signin")


def run(fixture):
    session, server = fixture.session, fixture.server
    guest = server.call("token", action="add", name="guest")["token"]

    def phone(locale, query=""):
        page = fixture.page(viewport=PHONE, locale=locale)
        page.goto(f"{fixture.base_url}/play/{session}{query}#token={guest}")
        return page

    # A session of a flow without languages, which is not open yet.
    pages = {locale: phone(locale) for locale in ("de-AT", "en-GB", "fr", "it")}
    expect_visible(pages["de-AT"], "#screen-title", "Noch nicht geöffnet")
    expect_visible(pages["fr"], "#screen-title", "Pas encore ouvert")
    expect_visible(pages["it"], "#screen-title", "Not open yet")
    server.call("open", session=session, flow="plain")
    expect_visible(pages["de-AT"], ".buzzer-name", GERMAN)
    expect_visible(pages["en-GB"], ".buzzer-name", ENGLISH)
    expect_visible(pages["fr"], ".buzzer-name", FRENCH)
    expect_visible(pages["it"], ".buzzer-name", ENGLISH)
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

    # A session's language is above that of the browser, and a screen's is above both.
    for language, expected in {"en": (ENGLISH, ENGLISH), "de": (GERMAN, GERMAN), "fr": (FRENCH, FRENCH)}.items():
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
    speak_french(fixture, guest)


run_script("languages", run)
