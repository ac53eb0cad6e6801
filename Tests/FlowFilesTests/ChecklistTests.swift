import GameFlow
import Testing

@testable import FlowFiles

/// Checklists: sets of declared items, in the declared order.
@Suite struct ChecklistTests {
    private static let text = """
        flow: briefing
        start: preparing
        data:
          done: {type: 'checklist of radio, chart, code', title: To do}
        events:
          tick: {args: {item: 'one of radio, chart, code'}, title: Tick, ticks: done}
          begin:
        states:
          preparing:
            on:
              tick:
                - {if: item in done, with: {done: =done - item}}
                - {with: {done: =done + item}}
              begin: [{if: all(done), to: ready}, {refuse: "=text(count(done)) + ' of 3'"}]
          ready: {final: true}
        """

    private func tick(_ game: PlayedFlow, _ items: String...) {
        for item in items { game.send("tick", Member("item", item)) }
    }

    @Test func `a checklist begins empty and keeps the declared order`() throws {
        let game = try PlayedFlow(Self.text)
        #expect(game.data == [Member("done", .array([]))])
        tick(game, "code", "radio")
        #expect(game.data == [Member("done", .array([.string("radio"), .string("code")]))])
        tick(game, "radio")
        #expect(game.data == [Member("done", .array([.string("code")]))])
    }

    @Test func `all is true when each item is ticked`() throws {
        let game = try PlayedFlow(Self.text)
        tick(game, "code", "radio")
        #expect(game.send("begin") == "invalid: 2 of 3")
        tick(game, "chart")
        #expect(game.send("begin") == "ready")
    }

    @Test(arguments: [
        ([Value.string("chart"), .string("radio")], "preparing"),
        (
            [.string("chart"), .string("chart")],
            "invalid: done: expected some of radio, chart, code, each once"
        ),
        ([.string("gone")], "invalid: done: expected some of radio, chart, code, each once"),
    ])
    func `a command gives a checklist as an array of items`(_ items: [Value], _ result: String)
        throws
    {
        let game = try PlayedFlow(Self.text)
        do throws(Reason) {
            try game.machine.goto("preparing", [Member("done", .array(items))], from: .program)
            #expect(game.state == result)
            #expect(game.data == [Member("done", .array([.string("radio"), .string("chart")]))])
        } catch { #expect(error.sentence == result) }
    }

    @Test func `describe has the items of a checklist and what ticks it`() throws {
        let flow = try flowFile(Self.text).flow
        let field = flow.data(of: "preparing").first
        #expect(field?.type == "array")
        #expect(field?.values == ["radio", "chart", "code"])
        #expect(flow.presentation.events["tick"]?.offer.ticks == "done")
    }

    @Test(arguments: [
        (
            "data: {done: checklist of a}\n  on: {stop: {with: {done: =done + 'b'}}}",
            "expected the text 'a', but this is the text 'b'"
        ),
        (
            "data: {done: checklist of a}\n  on: {stop: {if: \"'b' in done\", to: a, else: stay}}",
            "there is no text 'b' among a here; did you mean a?"
        ),
        (
            "data: {n: integer = 1}\n  on: {stop: {if: all(n), to: a, else: stay}}",
            "expected a checklist, but this is integer"
        ),
        ("data: {done: checklist of}", "write the names: checklist of a, b"),
    ])
    func `a wrong use of a checklist is a mistake`(_ lines: String, _ sentence: String) {
        let found = findings(flowText("  " + lines))
        #expect(found.contains { $0.hasSuffix(sentence) }, "\(found)")
    }

    @Test(arguments: [
        ("ticks: nothing", "there is no checklist nothing; expected one of done"),
        ("ticks: done", "the only argument of tick must be one of radio, chart, code"),
    ])
    func `ticks names a checklist, and the event's argument is one of its items`(
        _ key: String, _ sentence: String
    ) {
        let text = Self.text.replacing("ticks: done", with: key)
            .replacing("one of radio, chart, code'}, title", with: "one of radio, chart'}, title")
        #expect(findings(text).contains { $0.hasSuffix(sentence) }, "\(findings(text))")
    }
}
