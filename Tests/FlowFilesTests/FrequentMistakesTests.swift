import Testing

/// The findings for the mistakes that people make most often. `findings` returns the mistakes of a text, each with its line and
/// column. `flowText` returns the text of a flow whose state `a` contains the given lines, from line 9 on and with two more
/// spaces.
@Suite struct FrequentMistakesTests {
    @Test func `an unknown state has a hint`() {
        #expect(
            findings(flowText("  on: {stop: bb}"))
                == ["9:16: there is no state bb; did you mean b?"])
    }

    @Test func `a datum that nothing provides is reported at the row that enters the state`() {
        #expect(
            findings(flowText("  on:\n    stop: {to: b}"))
                == [
                    "10:13: nothing provides the datum `n: integer` of the state b; write `with: {n: …}`, or give the datum a default"
                ])
    }

    @Test func `a row that can never be reached is reported`() {
        #expect(
            findings(flowText("  on:\n    stop:\n      - stay\n      - {do: beep}"))
                == [
                    "12:11: this row can never be reached, because the row before it is taken in every case"
                ])
        #expect(
            findings(
                flowText(
                    "  on:\n    stop:\n      - {if: 1 < 2, do: beep, else: stay}\n      - stay"))
                == [
                    "12:11: this row can never be reached, because the row before it is taken in every case"
                ])
    }

    @Test func `a row can be reached if the else of the row before it has an if of its own`() {
        let rows = "      - {if: 1 > 2, do: beep, else: {if: 2 > 3, do: beep}}\n      - stay"
        #expect(findings(flowText("  on:\n    stop:\n\(rows)")) == [])
    }

    @Test func `a timer without a row is reported`() {
        #expect(
            findings(flowText("  timers:\n    t: {after: 1s}"))
                == [
                    "10:7: nothing happens when the timer t of a fires; write a row under `on`, at least `t: stay`"
                ])
    }

    @Test func `a tab is reported at its place`() {
        #expect(
            findings("flow: f\nstates:\n\ta:\n") == [
                "3:1: a tab; indent with spaces, and write \\t in double quotes where a text needs a tab"
            ])
    }

    @Test func `an unquoted yes is reported`() {
        #expect(
            findings(
                flowText("  data: {open: boolean = false}\n  on:\n    stop: {with: {open: yes}}"))
                == [
                    "11:27: yes without quotes; write true for a boolean, or 'yes' for a name or a text",
                    "11:27: expected true or false, not \"yes\"",
                ])
    }

    @Test func `an expression of the wrong type says which type is expected`() {
        #expect(
            findings(flowText("  data: {n: integer = 0}\n  on:\n    stop: {with: {n: ='x' + 'y'}}"))
                == ["11:29: expected integer, but this is text"])
        #expect(
            findings(flowText("  on:\n    go: {if: n, do: beep}"))
                == ["10:16: expected boolean, but this is integer"])
    }

    @Test func `an event with rows under two keys is reported, whether the keys are equal or not`()
    {
        #expect(
            findings(flowText("  on:\n    stop: stay\n    stop: stay"))
                == ["11:7: the key stop is here twice; the first is in line 10"])
        #expect(
            findings(flowText("  on:\n    stop: stay\n    go, stop: stay"))
                == ["11:7: stop has rows already; put all of them into one list"])
    }

    @Test func `a final state with timers is reported`() {
        #expect(
            findings(flowText("  final: true\n  timers: {t: {after: 1s}}"))
                == [
                    "10:5: a is final and cannot have timers; a final state refuses every event and nothing happens in it"
                ])
    }

    @Test func `a row that sets the time left of a pendulum is reported`() {
        #expect(
            findings(
                flowText(
                    "  timers: {t: {every: 1s}}\n  on: {t: stay, stop: {to: a, left: {t: 5s}}}"))
                == [
                    "10:40: left is for countdowns, and t is a pendulum, which starts with a whole period"
                ])
    }
}
