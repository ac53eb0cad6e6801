import JSON
import Testing
import Timers

@testable import Sessions

@Suite struct PartsTests {
    @Test(arguments: ["a", "main", "Room-1.b_C", String(repeating: "x", count: 64)])
    func `session names are letters, digits, dot, underscore and dash`(_ name: String) {
        #expect(SessionName(name)?.text == name)
    }

    @Test(arguments: [
        "", " ", "a b", "größe", "*", "a/b", "a\n", String(repeating: "x", count: 65), "a\u{0}",
    ])
    func `anything else is no session name`(_ name: String) {
        #expect(SessionName(name) == nil)
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (951_782_400_123, "2000-02-29T00:00:00.123Z"),
        (1_795_167_484_983, "2026-11-20T09:38:04.983Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (7_889_400_000_000, "2220-01-03T12:00:00.000Z"),
    ])
    func `instants are written by RFC 3339`(_ ms: Int64, _ text: String) {
        var writer = JSONWriter()
        Timestamp.write(Instant(nanoseconds: ms * 1_000_000), to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test(arguments: [Int64.min, -86_400_000_000_001, -1_000_000, -1])
    func `an instant before the clock's zero is written as its zero`(_ nanoseconds: Int64) {
        var writer = JSONWriter()
        Timestamp.write(Instant(nanoseconds: nanoseconds), to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "1970-01-01T00:00:00.000Z")
    }

    @Test func `a queue gives out what it took in, in order, and forgets it`() {
        var queue = FIFO<Int>()
        var next = 0
        for number in 0..<10_000 {
            queue.append(number)
            if number % 3 == 0 {
                #expect(queue.removeFirst() == next)
                next += 1
            }
        }
        while let number = queue.removeFirst() {
            #expect(number == next)
            next += 1
        }
        #expect(next == 10_000)
        #expect(queue.isEmpty)
    }

    @Test(arguments: [
        ("displayhelp", ["displayHelp"]), ("pasue", ["pause"]), ("chooseLevle", ["chooseLevel"]),
        ("xyz", []), ("", []), ("help", ["displayHelp", "dismissHelp"]),
    ])
    func `a slip or two is recognised`(_ word: String, _ meant: [String]) {
        let candidates = ["displayHelp", "dismissHelp", "pause", "chooseLevel", "chooseEpisode"]
        #expect(DidYouMean.suggest(word, candidates) == meant)
    }

    @Test func `at most three are suggested, the nearest first`() {
        #expect(DidYouMean.suggest("room-1", ["room-22", "room-2", "room-3", "room-4"]).count == 3)
        #expect(
            DidYouMean.suggest("room-22", ["room-2", "room-22x", "room-22"]).first == "room-22")
    }
}
