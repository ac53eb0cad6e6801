import GameFlow
import Testing

@testable import GamectlTool

struct AdvanceTests {
    /// The advance that the words after `advance` ask for. Nil if gamectl does not split the request and sends it unchanged.
    private func advance(_ words: String...) throws -> Advance? {
        Advance(try Request(words: ["advance"] + words, session: "main"))
    }

    /// The daemon's result of a request: the clock's reading, `fired` firings, and whether more timers are due.
    private func page(_ nowMs: Int, more: Bool = false, fired: Int = 1) throws -> AdvancePage {
        let firing = #"{"session":"main","fires":"tick","atMs":0}"#
        let firings = Array(repeating: firing, count: fired).joined(separator: ",")
        return try AdvancePage(
            SampleReplies.value(#"{"fired":[\#(firings)],"nowMs":\#(nowMs),"more":\#(more)}"#))
    }

    /// The parameter `by` of a request, in milliseconds.
    private func duration(of request: Request?) -> Value? { request?.params["by"] }

    @Test func `the first request asks for the clock's reading`() throws {
        var advance = try #require(try advance("30s"))
        #expect(duration(of: advance.first) == .string("0ms"))
        #expect(duration(of: try advance.next(after: page(1000, fired: 0))) == .string("30000ms"))
        #expect(try advance.next(after: page(31_000)) == nil)
    }

    @Test func `requests repeat until the daemon has no more firings`() throws {
        var advance = try #require(try advance("30s"))
        _ = try advance.next(after: page(1000))
        #expect(
            duration(of: try advance.next(after: page(11_000, more: true))) == .string("20000ms"))
        #expect(duration(of: try advance.next(after: page(31_000, more: true))) == .string("0ms"))
        #expect(duration(of: try advance.next(after: page(31_000, more: true))) == .string("0ms"))
        #expect(try advance.next(after: page(31_000)) == nil)
    }

    @Test func `advancing by zero needs one request`() throws {
        var advance = try #require(try advance("0s"))
        #expect(try advance.next(after: page(1000)) == nil)
    }

    @Test func `advance toNext continues at the same instant`() throws {
        var advance = try #require(try advance("toNext"))
        #expect(advance.first.params == [Member("toNext", .bool(true))])
        #expect(duration(of: try advance.next(after: page(500, more: true))) == .string("0ms"))
        #expect(try advance.next(after: page(500)) == nil)
    }

    @Test func `a daemon that reports more without progress is an error`() throws {
        var advance = try #require(try advance("30s"))
        _ = try advance.next(after: page(0, fired: 0))
        #expect(throws: CommandError.self) {
            try advance.next(after: page(0, more: true, fired: 0))
        }
    }

    @Test func `an advance with invalid parameters is sent unchanged as one request`() throws {
        #expect(try advance() == nil)
        #expect(try advance("soon") == nil)
        #expect(try advance("toNext", "by=1s") == nil)
    }

    @Test func `the results of several requests are merged into one`() throws {
        var merged = AdvanceResult()
        try merged.add(Array(#"{"fired":[{"a":1},{"a":2}],"nowMs":5,"more":true}"#.utf8))
        try merged.add(Array(#"{"fired":[],"nowMs":6,"more":true}"#.utf8))
        try merged.add(Array(#"{"fired":[{"a":3}],"nowMs":7,"more":false}"#.utf8))
        #expect(
            merged.line(nowMs: 7) == #"{"fired":[{"a":1},{"a":2},{"a":3}],"nowMs":7,"more":false}"#)
    }
}
