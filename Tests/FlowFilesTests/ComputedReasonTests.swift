import FlowAnalysis
import GameFlow
import Testing

@testable import FlowFiles

/// The texts of `why` and `refuse` that depend on data.
@Suite struct ComputedReasonTests {
    private static let counter = """
        flow: counter
        start: a
        settings: {most: 3}
        data: {n: {type: integer = 0, unless: n < settings.most, why: "='n would be ' + text(n)"}}
        events:
          set: {v: {type: integer, unless: v > 5, why: "='v is ' + text(v)"}}
          add:
          divide: {by: {type: integer, unless: by == 1, why: "=text(10 / by)"}}
        states:
          a:
            data: {k: {type: integer = 0, unless: k < 2, why: "='k would be ' + text(k)"}}
            on:
              set: {with: {n: =v}}
              add: {with: {k: =k + 1}}
              divide: stay
        """

    @Test func `the reason of an argument or datum is computed from what its condition sees`()
        throws
    {
        let game = try PlayedFlow(Self.counter)
        #expect(game.send("set", Member("v", 4)) == "invalid: v: v is 4")
        #expect(game.send("set", Member("v", 7)) == "invalid: n: n would be 7")
        #expect(game.send("add") == "a")
        #expect(game.send("add") == "invalid: k: k would be 2")
    }

    @Test func `a reason that cannot be computed is replaced by why it cannot`() throws {
        let game = try PlayedFlow(Self.counter)
        #expect(game.send("divide", Member("by", 5)) == "invalid: by: 2")
        #expect(game.send("divide", Member("by", 0)) == "invalid: by: division by zero")
    }

    @Test func `a refusal of the whole event names no argument if its reason cannot be computed`()
        throws
    {
        let text = """
            flow: f
            start: a
            events: {go: {q: integer}}
            states: {a: {on: {go: {refuse: "='x' + text(6 / q)"}}}}
            """
        let game = try PlayedFlow(text)
        #expect(game.send("go", Member("q", 2)) == "invalid: x3")
        #expect(game.send("go", Member("q", 0)) == "invalid: division by zero")
    }

    @Test func `reasons are in the language of the session`() throws {
        let text = Self.counter.replacing("start: a", with: "start: a\nlanguages: [en, de]")
            .replacing(
                #"why: "='v is ' + text(v)""#,
                with: #"why: {en: "='v is ' + text(v)", de: "='v ist ' + text(v)"}"#)
        let game = try PlayedFlow(text, settings: [Member("language", "de")])
        #expect(game.send("set", Member("v", 4)) == "invalid: v: v ist 4")
    }

    @Test(arguments: [
        ("'v is ' + text(v)", "'v is ' + text(w)"), ("'k would be ' + text(k)", "k"),
    ])
    func `a reason with a mistake is a mistake`(_ reason: String, _ wrong: String) {
        let found = findings(Self.counter.replacing("=\(reason)", with: "=\(wrong)"))
        #expect(found.count == 1, "\(found)")
    }

    private static let invariant = """
        flow: f
        start: a
        data: {n: integer 0..3 = 0}
        events: {add: , clear: , leave: }
        states:
          a:
            on:
              add: {if: n < 3, with: {n: =n + 1}, else: {refuse: true}}
              clear: {with: {n: 0}}
              leave: b
          b: {final: true}
        always: [{that: n < 2, why: "='n is ' + text(WHY)"}]
        """

    @Test func `the sentence of an invariant says how it is broken, once for all situations`()
        throws
    {
        let flow = try flowFile(Self.invariant.replacing("WHY", with: "n")).flow
        let broken = Finding.brokenInvariant("n is 2", state: "a n=2", path: ["add", "add"])
        #expect(Lint(flow).findings == [broken])
        #expect(Races(flow).brokenInvariants.map(\.sentence) == ["n is 2"])
        let reader = ScenarioReader(
            Array("open f state=a n=3".utf8), file: "t.scenario", flows: [flow])
        let failure = ScenarioRun(try #require(reader.scenarios.first)).failure
        #expect(failure?.expected == "the invariant holds: n is 3")
    }

    @Test func `an invariant whose sentence cannot be computed is reported with its condition`()
        throws
    {
        let flow = try flowFile(Self.invariant.replacing("WHY", with: "1 / (n - n)")).flow
        let broken = Finding.brokenInvariant("n < 2", state: "a n=2", path: ["add", "add"])
        #expect(Lint(flow).findings == [broken])
    }
}
