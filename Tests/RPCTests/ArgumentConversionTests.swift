import FlowFiles
import GameFlow
import RPC
import Testing

@Suite struct ArgumentConversionTests {
    private static let file = """
        flow: oven
        start: idle
        events:
          bake: {left: duration, trays: integer}
        states:
          idle:
            on:
              bake: stay

        """

    @Test func `a duration is read as a text, and as milliseconds`() throws {
        let flow = try FlowFile(text: Array(Self.file.utf8), file: "oven.yaml").flow
        for (text, milliseconds) in [("90s", 90_000), (" 1m30s\n", 90_000), ("90", 90)] {
            let arguments = ArgumentConversion.convert(
                [Member("leftMs", text), Member("trays", "2")], of: "bake", in: flow)
            #expect(arguments == [Member("leftMs", milliseconds), Member("trays", 2)], "\(text)")
        }
        // People may leave `Ms` out.
        for (text, milliseconds) in [(" 90s\n", 90_000), ("-5s", -5000)] {
            let arguments = ArgumentConversion.convert(
                [Member("left", text), Member("trays", "2")], of: "bake", in: flow)
            #expect(arguments == [Member("leftMs", milliseconds), Member("trays", 2)], "\(text)")
        }
        // Only a duration has units.
        let trays = ArgumentConversion.convert([Member("trays", "90s")], of: "bake", in: flow)
        #expect(trays == [Member("trays", "90s")])
    }

    @Test func `a text with a null character is unfit for each type, however it has arrived`()
        throws
    {
        let file = """
            flow: door
            start: shut
            events:
              open: {by: text, count: integer, loud: boolean}
            states:
              shut:
                on:
                  open: stay

            """
        let flow = try FlowFile(text: Array(file.utf8), file: "door.yaml").flow
        let values: [Value] = [
            "a\0b", "\0", .unfit("\\u0000 in a string", raw: #""\u0000""#),
            .array(["a", .unfit("\\u0000 in a string", raw: #""a\u0000""#)]),
            .object([Member("a", .unfit("\\u0000 in a string", raw: #""\u0000""#))]),
        ]
        for value in values {
            for name in ["by", "count", "loud", "other"] {
                let arguments = ArgumentConversion.convert(
                    [Member(name, value)], of: "open", in: flow)
                #expect(
                    arguments.first?.value.flaw == #"\u0000 in a string"#, "\(name): \(arguments)")
            }
        }
        // A fraction is a text where the event takes one.
        let by = ArgumentConversion.convert(
            [Member("by", .unfit("not a whole number", raw: "1.5"))], of: "open", in: flow)
        #expect(by == [Member("by", "1.5")])
    }
}
