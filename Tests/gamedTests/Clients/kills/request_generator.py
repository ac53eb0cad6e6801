"""Random requests of clients. Most of them are accepted in the last known state of their session."""

from messages import ALWAYS_OPEN
from wire import Request

#: For each flow and state, some events that are accepted.
FLOWS = {
    "game": {
        "introduction": [("startPlaying", {}), ("displayHelp", {})],
        "help": [("dismissHelp", {}), ("returnHome", {})],
        "choosingEpisode": [("chooseEpisode", {"episode": 2})],
        "choosingLevel": [("chooseLevel", {"level": 3})],
        "playingLevel": [("pause", {}), ("completeLevel", {"score": 7}), ("controllerLost", {})],
        "paused": [("resume", {})],
        "finishedLevel": [("dismissFinishedLevel", {}), ("returnHome", {})],
    },
    "startup": {
        "launching": [("didLaunch", {}), ("deepLink", {"link": "app://door/7"})],
        "hydrating": [("hydrateSucceeded", {"hasSession": False}), ("deepLink", {"link": "a://b"})],
        "needsLogin": [("loginRequested", {}), ("deepLink", {"link": "app://früh"})],
        "authenticating": [
            ("loginSucceeded", {"userID": "ann"}), ("loginFailed", {"message": "no \"bob\"\n"}),
            ("deepLink", {"link": "app://x"})],
        "ready": [("logout", {}), ("deepLink", {"link": "app://now"})],
        "showing": [("closeLink", {}), ("logout", {})],
        "error": [("retry", {}), ("deepLink", {"link": "app://err"})],
    },
    "quiz": {
        "lobby": [("start", {"rounds": 3})],
        "question": [("buzz", {"player": "ann"}), ("buzz", {"player": "bob"})],
        "locked": [("judge", {"correct": True}), ("judge", {"correct": False})],
        "reveal": [("proceed", {})],
        "finished": [("start", {"rounds": 1})],
    },
    "onboarding": {
        "accountLoader": [("accountLoaderFinished", {}), ("connectivityLost", {})],
        "welcome": [("startFlowTapped", {}), ("serversDown", {})],
        "deviceIdentification": [("deviceWasIdentified", {"cmMac": "00-11-22-33-44-aa"})],
        "performDeviceChecks": [("accessTokenRevoked", {})],
        "error": [("retry", {})],
        "offline": [("connectivityRestored", {})],
        "loggedOut": [("retry", {})],
    },
}

#: States for `goto`. Some have a timer that fires under load.
GOTOS = {
    "game": [
        ("paused", {"episode": 1, "level": 2, "remainingMs": 15}), ("introduction", {}),
        ("playingLevel", {"episode": 3, "level": 1}), ("help", {})],
    "startup": [("launching", {}), ("authenticating", {}), ("ready", {"userID": "zoë"})],
    "quiz": [("lobby", {}), ("question", {"round": 1, "rounds": 2, "scores": {}, "out": ["cid"]})],
    "onboarding": [("accountLoader", {}), ("welcome", {})],
}

#: The timers of each flow.
TIMERS = {
    "game": ["timeUp", "helpTimedOut", "idle", "abandoned", "tick"],
    "startup": ["launchTimedOut", "hydrateTimedOut", "loginTimedOut", "sync"],
    "quiz": ["timeUp", "answerTimedOut", "next", "tick"],
    "onboarding": ["loaderTimedOut", "probe"],
}

#: Flow files that behave like the flows in Swift. The daemon stores their texts in the journal.
for table in (FLOWS, GOTOS, TIMERS):
    for flow in ("game", "quiz"):
        table[f"{flow}-file"] = table[flow]

#: The sessions that stay open, with their flows, and those that are closed and opened again.
ALWAYS_OPEN_SESSIONS = {f"{ALWAYS_OPEN}.{flow}.{number}": flow for flow in FLOWS for number in (1, 2)}
OTHER_SESSIONS = [f"other.{number}" for number in range(4)]


class RequestGenerator:
    """Makes random requests. All connections share one generator, so that they send requests to the same sessions."""

    def __init__(self, random, messages):
        self._random, self._messages = random, messages
        self._last_id = self._last_label = 0

    def open_requests(self):
        """The requests that open the sessions that always stay open."""
        return [
            Request("open", {"session": name, "flow": flow}) for name, flow in ALWAYS_OPEN_SESSIONS.items()]

    def next(self):
        """A random request."""
        make = self._random.choices(
            (self._send, self._goto, self._timer, self._status, self._open, self._close,
             self._history, self._list, self._repeat, self._label, self._undo),
            (62, 6, 12, 8, 4, 3, 1, 0.5, 3, 2, 3))[0]
        return make()

    def event(self):
        """The parameters of a random event."""
        return self._event(self._session())

    def _session(self):
        pick = self._random.random()
        if pick < 0.05:
            return "main"
        return self._random.choice(OTHER_SESSIONS if pick < 0.15 else list(ALWAYS_OPEN_SESSIONS))

    def _flow(self, session):
        return self._messages.last_states.get(session, (ALWAYS_OPEN_SESSIONS.get(session, "game"), ""))[0]

    def _event(self, session):
        flow = self._flow(session)
        state = self._messages.last_states.get(session, ("", ""))[1]
        states = FLOWS[flow]
        if state not in states or self._random.random() < 0.1:
            state = self._random.choice(list(states))
        event, args = self._random.choice(states[state])
        return {"session": session, "event": event, "args": args}

    def _send(self):
        params = self._event(self._session())
        if self._random.random() < 0.75:
            self._last_id += 1
            params["id"] = f"{self._messages.process}.{self._last_id}"
            self._messages.unanswered[params["id"]] = params
        return Request("send", params)

    def _repeat(self):
        """Repeats a request that is in flight on another connection, or has been answered."""
        waiting = [
            params for params in self._messages.unanswered.values()
            if params["session"].startswith(ALWAYS_OPEN)]
        if waiting and self._random.random() < 0.5:
            return Request("send", self._random.choice(waiting))
        answered = self._messages.repeatable()
        return repeated(self._random.choice(answered)) if answered else self._status()

    def _goto(self):
        session = self._session()
        state, data = self._random.choice(GOTOS[self._flow(session)])
        params = {"session": session, "state": state, "data": data}
        if self._random.random() < 0.5:
            params["reason"] = self._random.choice(("it hung", "tür \\ \"zu\"", "🙂 " * 20))
        return Request("goto", params)

    def _timer(self):
        session = self._session()
        action = self._random.choice(("pause", "resume", "restart", "extend"))
        fires = self._random.choice(TIMERS[self._flow(session)])
        params = {"session": session, "fires": fires, "action": action}
        if action == "extend":
            params["by"] = self._random.choice(("1ms", "40ms", "3s"))
        return Request("timer", params)

    def _status(self):
        return Request("status", {"session": self._session()})

    def _open(self):
        flow = self._random.choice(list(FLOWS))
        return Request("open", {"session": self._random.choice(OTHER_SESSIONS), "flow": flow})

    def _close(self):
        return Request("close", {"session": self._random.choice(OTHER_SESSIONS)})

    def _label(self):
        # Another value each time, because setting the present value makes no change.
        self._last_label += 1
        labels = {self._random.choice(("team", "_note")): f"tür {self._last_label}"}
        return Request("label", {"session": self._session(), "labels": labels})

    def _undo(self):
        return Request("undo", {"session": self._session()})

    def _history(self):
        limit = self._random.choice((1, 10, 60))
        return Request("history", {"session": self._session(), "limit": limit})

    def _list(self):
        return Request("list", {})


def repeated(request):
    """A copy of a request, with the same id."""
    return Request("send", request.params)
