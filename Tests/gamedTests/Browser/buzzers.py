"""A phone with a buzzer is one button that fills the screen. After a press it shows whether the player was first, too late or
locked out."""

from browser import PHONE, check, expect_hidden, expect_visible, run_script
from fitting import FIND_COVERED_POINTS

BUTTON = "button[data-event=buzz]"


def join(fixture, guest, name):
    """Opens the page of a phone, and types the player's name once."""
    phone = fixture.page(viewport=PHONE)
    phone.goto(f"{fixture.base_url}/play/{fixture.session}#token={guest}")
    expect_visible(phone, ".buzzer-name", "Your name")
    phone.fill("input[name=player]", name)
    phone.click("text=Ready")
    expect_visible(phone, "#state", "Lobby")
    return phone


def check_fills(phone):
    """The button has the whole screen, and nothing covers it."""
    expect_visible(phone, BUTTON)
    covered = phone.evaluate(FIND_COVERED_POINTS)
    check(not covered, f"something covers the button at {covered}")


def press(phone):
    phone.locator(BUTTON).dispatch_event("pointerdown", {"isPrimary": True})


def run(fixture):
    session = fixture.session
    fixture.server.call("open", session=session, flow="buzzers")
    guest = fixture.server.call("token", action="add", name="guest")["token"]
    ann, bob = join(fixture, guest, "Ann"), join(fixture, guest, "Bob")
    expect_visible(ann, ".rename", "Ann: change the name")

    fixture.server.send(session, "ask")
    for phone in (ann, bob):
        check_fills(phone)
    # A message of the host does not cover the button.
    fixture.server.call("say", session=session, text="Hurry up")
    check_fills(ann)
    fixture.save_picture(ann, "buzzer-ready")

    press(ann)
    expect_visible(ann, ".buzzer.first", "First!")
    check_fills(ann)
    fixture.save_picture(ann, "buzzer-first")
    expect_visible(bob, "#first-player", "Ann")
    expect_hidden(bob, BUTTON)

    fixture.server.send(session, "wrong")
    check_fills(bob)
    press(ann)
    expect_visible(ann, ".buzzer.locked", "You are locked out.")
    fixture.save_picture(ann, "buzzer-locked")

    # While Bob's press is on its way, Cat presses.
    def press_as_cat(route):
        if '"event":"buzz"' in (route.request.post_data or ""):
            fixture.server.send(session, "buzz", player="Cat")
        route.continue_()

    bob.route("**/v1/rpc", press_as_cat)
    press(bob)
    expect_visible(bob, ".buzzer.late", "Too late")
    expect_visible(bob, ".buzzer.late", "Cat was first.")
    fixture.save_picture(bob, "buzzer-late")

    # A reload keeps the name, and the next question clears the outcome.
    fixture.server.send(session, "ask")
    expect_visible(bob, ".buzzer.ready", "Buzz")
    bob.reload()
    expect_visible(bob, ".buzzer.ready", "Bob")

    # A state that takes another event with a buzzer has a button for it.
    fixture.server.send(session, "speed")
    expect_visible(ann, "button[data-event=slam]", "Slam")
    expect_hidden(ann, BUTTON)
    ann.locator("button[data-event=slam]").dispatch_event("pointerdown", {"isPrimary": True})
    expect_visible(ann, ".buzzer.first", "First!")


run_script("buzzers", run)
