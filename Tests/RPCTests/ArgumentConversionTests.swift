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
}
