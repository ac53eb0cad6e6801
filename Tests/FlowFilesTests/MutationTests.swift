import GameFlow
import TestSupport
import Testing
import Timers

@testable import FlowFiles

/// Changes flow files at random. No change may make the reader, the checker or a run of an accepted file trap.
@Suite struct MutationTests {
    @Test(arguments: ["vault", "game", "quiz"], seeds(2, long: 12))
    func `a changed file is rejected, or runs`(_ name: String, _ seed: UInt64) throws {
        var random = SeededRandom(seed)
        let original = try FlowFileText.read(exampleFile("\(name).yaml"))
        var runs = 0
        for _ in 0..<150 {
            var text = original
            for _ in 0...random.below(3) { Self.mutate(&text, &random) }
            guard let file = try? FlowFile(text: text, file: "f") else { continue }
            runs += 1
            Self.play(file.flow, &random)
        }
        #expect(runs > 0, "seed \(seed)")
    }

    private static let insertedWords = [
        "=", "=left(t)", "0", "-1", "10ms", "none", "null", "stay", "defer", "{}", "[]", "to",
        "with",
        "if: ", "else: ", "true", "integer", "set", "tally", "optional text", ": ", ", ", "'",
        "9007199254740991",
    ]

    private static func mutate(_ text: inout [UInt8], _ random: inout SeededRandom) {
        let offset = random.below(text.count)
        let end = min(text.count, offset + random.below(12))
        switch random.below(4) {
        case 0: text[offset] = UInt8(random.below(256))
        case 1: text.removeSubrange(offset..<end)
        case 2: text.insert(contentsOf: random.pick(insertedWords).utf8, at: offset)
        default:
            // Replaces a word with another word of the file.
            let isWord = { (byte: UInt8) in (97...122).contains(byte | 0x20) }
            let words = text.split(whereSeparator: { !isWord($0) })
            let (old, new) = (random.pick(words), random.pick(words))
            text.replaceSubrange(old.startIndex..<old.endIndex, with: Array(new))
        }
    }

    private static func play(_ flow: AnyFlow, _ random: inout SeededRandom) {
        let game = PlayedFlow(flow)
        try? game.open()
        guard !game.machine.place.state.isEmpty else { return }
        for _ in 0..<30 {
            game.clock.advance(by: .milliseconds(random.pick([1, 1000, 5000])))
            guard let event = flow.events.isEmpty ? nil : random.pick(flow.events) else { return }
            let arguments = event.samples.isEmpty ? [] : random.pick(event.samples)
            try? game.machine.send(flow.event(event.name), arguments, from: .program)
            _ = game.machine.accepts
        }
        #expect(flow.obstacle(toRestoring: game.machine.place) == nil)
    }
}
