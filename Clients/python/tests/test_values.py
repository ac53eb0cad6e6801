"""Values and errors, without a daemon."""

import pathlib
import re
import unittest

import gamed
from gamed.errors import REFUSALS, refusal
from gamed.values import NOTIFICATIONS

PROTOCOL = pathlib.Path(__file__).parents[3] / "docs" / "protocol.md"
CHANGE = {
    "session": "main", "seq": 2, "pos": 9, "entry": 9, "kind": "enter", "event": {"name": "pause", "args": {}},
    "source": {"kind": "tcp", "peer": {"address": "10.0.0.7:51234"}, "as": "token:hall"}, "from": None,
    "to": {"state": "paused", "data": {}}, "effects": [], "atMs": 0, "time": "1970-01-01T00:00:00.000Z", "tomorrow": 1}


class ValueTest(unittest.TestCase):
    def test_a_member_that_the_package_does_not_know_is_in_raw(self):
        change = gamed.Change.read(CHANGE)
        self.assertEqual((change.raw["tomorrow"], change.source.as_, change.from_), (1, "token:hall", None))
        self.assertNotIn("tomorrow", repr(change))

    def test_a_missing_member_is_an_error_of_the_protocol(self):
        for json in [{key: CHANGE[key] for key in CHANGE if key != "seq"}, [], None]:
            with self.assertRaises(gamed.ProtocolError):
                gamed.Change.read(json)

    def test_an_error_that_the_package_does_not_know_is_a_refusal_with_its_name(self):
        unknown = refusal({"code": 99, "message": "tooEarly", "data": {"why": "at noon"}})
        self.assertEqual((type(unknown), unknown.name, str(unknown)), (gamed.Refusal, "tooEarly", "tooEarly: at noon"))

    @unittest.skipUnless(PROTOCOL.exists(), "the page is in the repository")
    def test_the_errors_are_those_of_the_protocol(self):
        rows = re.findall(r"^\| (-?\d+) \| `(\w+)` \||^\| (\d+) \| (\w+) \|", PROTOCOL.read_text("utf-8"), re.MULTILINE)
        numbers = re.findall(r"^\| (\d+) \| `(\w+)` \|", PROTOCOL.read_text("utf-8"), re.MULTILINE)
        documented = {int(code or number): name or word for code, name, number, word in rows}
        self.assertEqual(documented, {code: kind.name for code, kind in REFUSALS.items()}, numbers)
        for kind in REFUSALS.values():
            self.assertIn(kind.__name__, gamed.__all__)
            self.assertEqual(kind.__name__[0].lower() + kind.__name__[1:], kind.name)

    @unittest.skipUnless(PROTOCOL.exists(), "the page is in the repository")
    def test_each_notification_of_the_protocol_is_known(self):
        section = PROTOCOL.read_text("utf-8").split("\n## Notifications\n")[1].split("\n## ")[0]
        documented = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
        self.assertEqual(documented, set(NOTIFICATIONS) | {"gap", "heartbeat", "overrun"})


if __name__ == "__main__":
    unittest.main()
