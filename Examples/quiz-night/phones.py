"""Six simulated phones and a host play the quiz night: phones.py [SOCKET [SEED]].

Each phone is a thread with a connection of its own, and presses at a random time. Start the daemon first:
gamed --config Examples/quiz-night/gamed.conf
"""

import pathlib
import random
import sys
import threading
import time

try:
    import gamed
except ImportError:
    # The package is not installed: take it from the repository.
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Clients/python/src"))
    import gamed

SESSION = "quiz"
PLAYERS = ["Ann", "Bob", "Cat", "Dan", "Eve", "Fay"]
#: No phone presses later than this after a question, in seconds.
LATEST_PRESS = 0.08
#: How often a player knows the answer.
KNOWN = 0.7


def press(socket, player, delay):
    """Presses the button of one phone. A refused press is part of the game: somebody else was first, or the player is locked out."""
    time.sleep(delay)
    with gamed.connect(socket) as phone:
        try:
            phone.send("buzz", {"player": player}, session=SESSION)
        except gamed.Refusal:
            pass


def press_all(socket, dice):
    """All phones press, each at its own time."""
    phones = [
        threading.Thread(target=press, args=(socket, player, dice.uniform(0, LATEST_PRESS))) for player in PLAYERS
    ]
    for phone in phones:
        phone.start()
    for phone in phones:
        phone.join()


def order_of_presses(host):
    """Who pressed, with the milliseconds after the first press."""
    presses = host.call("presses", {"session": SESSION})["presses"]
    return ", ".join(f"{each['by']} +{each['afterMs']} ms" for each in presses)


def play_question(host, socket, dice):
    """Plays until somebody has given the right answer, or nobody is left who may answer."""
    for _ in PLAYERS:
        press_all(socket, dice)
        status = host.status(SESSION)
        if status.state != "answering":
            break
        player, is_known = status.data["player"], dice.random() < KNOWN
        print(f"  {player} is first ({order_of_presses(host)}) and {'knows it' if is_known else 'is wrong'}")
        host.send("right" if is_known else "wrong", session=SESSION)
        if is_known:
            return
    if host.status(SESSION).state == "question":
        print("  nobody knows")
        host.send("skip", session=SESSION)


def main():
    socket = sys.argv[1] if len(sys.argv) > 1 else None
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10_000)
    dice = random.Random(seed)
    print(f"seed {seed}")
    with gamed.connect(socket) as host:
        host.call("open", {"session": SESSION, "flow": "quiz-night", "again": True})
        for player in PLAYERS:
            host.send("buzz", {"player": player}, session=SESSION)
        host.send("begin", session=SESSION)
        while not host.status(SESSION).final:
            print(host.status(SESSION).raw["show"]["title"])
            play_question(host, socket, dice)
            host.send("next", session=SESSION)
        scores = host.status(SESSION).data["scores"]
    print("The final score")
    for player, points in sorted(scores.items(), key=lambda each: -each[1]):
        print(f"  {points:4} {player}")


main()
