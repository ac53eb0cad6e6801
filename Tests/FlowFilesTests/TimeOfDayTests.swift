import GameFlow
import Testing
import Timers

@testable import FlowFiles

/// Times of day, and settings with a type.
@Suite struct TimeOfDayTests {
    @Test(arguments: [
        ("20:00", "20:00"), ("7:05", "07:05"), ("20:00:30", "20:00:30"), ("20:00:00", "20:00"),
        ("00:00", "00:00"), ("23:59:59", "23:59:59"), ("24:00", nil), ("12:60", nil),
        ("12:00:60", nil),
        ("12", nil), ("12:0", nil), (":00", nil), ("1:2:3", nil), ("12:00:00:00", nil),
        ("-1:00", nil),
        ("", nil), ("１２:00", nil),
    ])
    func `a time of day has one form`(_ text: String, _ canonical: String?) {
        #expect(TimeOfDay(text)?.description == canonical)
    }

    private static let text = """
        flow: doors
        start: closed
        settings:
          start: {type: time, default: '20:00', title: Doors open}
          guests: {type: integer 1..99, default: 40}
        events:
          tick: {now: time}
        states:
          closed:
            data: {last: {type: time, default: '8:00'}}
            on:
              tick:
                - {if: now >= settings.start, to: open}
                - {with: {last: =now}}
          open: {final: true}
        """

    @Test func `times of day are compared`() throws {
        let game = try PlayedFlow(Self.text)
        #expect(game.data == [Member("last", "08:00")])
        #expect(game.send("tick", Member("now", "19:59:59")) == "closed")
        #expect(game.data == [Member("last", "19:59:59")])
        #expect(
            game.send("tick", Member("now", "later"))
                == "invalid: now: expected a time of day such as 20:00")
        #expect(game.send("tick", Member("now", "20:00:00")) == "open")
    }

    @Test func `a setting has a type, limits and a title`() throws {
        let game = try PlayedFlow(Self.text, settings: [Member("start", "9:30")])
        #expect(game.send("tick", Member("now", "9:30")) == "open")
        let flow = try flowFile(Self.text).flow
        #expect(flow.settings.map(\.type) == ["time", "integer"])
        #expect(flow.settings.map(\.value) == ["20:00", "40"])
        #expect(throws: (any Error).self) { try flow.with(settings: [Member("guests", "100")]) }
        #expect(throws: (any Error).self) { try flow.with(settings: [Member("start", "noon")]) }
    }

    @Test(arguments: [
        ("start: {default: '20:00'}", "4:3: start has no type; write type: time, for example"),
        ("start: {type: time}", "4:3: start needs a default"),
        (
            "start: {type: time, default: noon}",
            "4:32: the default of start: expected a time of day such as 20:00, not \"noon\""
        ),
        ("start: {type: set, default: none}", "4:17: a setting cannot have the type 'set'"),
        (
            "start: {type: integer = 1, default: 2}",
            "4:39: start has a default after its type already"
        ),
        ("start: {type: integer 1..5, default: 9}", "4:40: the default of start is not within 1…5"),
    ])
    func `a wrong setting is a mistake with its position`(_ setting: String, _ sentence: String) {
        let text = "flow: f\nstart: a\nsettings:\n  \(setting)\nstates:\n  a:\n"
        #expect(findings(text).first == sentence, "\(findings(text))")
    }
}
