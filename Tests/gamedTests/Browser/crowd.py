"""Many players, and a quiz night that they play to its end."""


def names(count):
    """Names of different lengths, the longest with 19 letters."""
    firsts = ["Annegret", "Bob", "Cornelia", "Dan", "Ev"]
    return [f"{firsts[number % len(firsts)]}{number:02}-maximili" for number in range(count)]


def play_to_end(server, session, winner):
    """Plays a quiz night from its lobby to the ranking. Only the winner has points."""
    server.send(session, "begin")
    server.send(session, "buzz", player=winner)
    server.send(session, "right")
    while server.call("status", session=session)["state"] != "over":
        server.send(session, "next")
        if server.call("status", session=session)["state"] == "question":
            server.send(session, "skip")
