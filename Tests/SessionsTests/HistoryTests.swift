import GameFlow
import JSONCoding
import Sessions
import Testing
import Timers

@testable import RPC

@Suite struct HistoryTests {
    /// The seq, the kind and the event of a record: `4 enter chooseLevel`, `4 refused pause`.
    private func summary(_ record: Sessions.Record) -> String {
        var writer = JSONWriter()
        Encoder().write(record, .full, to: &writer)
        var text = JSONText()
        try? text.read(writer.bytes[...])
        guard case .object(let members) = text.value(at: JSONText.root),
            case .int(let seq) = members["seq"], case .string(let kind) = members["kind"]
        else { return "?" }
        guard case .object(let event) = members["event"], case .string(let name) = event["name"]
        else { return "\(seq) \(kind)" }
        return "\(seq) \(kind) \(name)"
    }

    private func history(
        _ fixture: SessionsFixture, _ name: String = "main",
        from position: Sessions.HistoryPosition = .init(),
        limit: Int = 100
    ) throws -> (lines: [String], next: Sessions.HistoryPosition?) {
        let page = fixture.sessions.history(
            of: try fixture.session(name), from: position, limit: limit)
        return (page.records.map(summary), page.next)
    }

    private let episodeArguments = [Member("episode", 1)]

    @Test func `history has changes and refusals, newest first`() throws {
        let fixture = SessionsFixture()
        try fixture.open()
        try fixture.send("startPlaying")
        _ = fixture.refusal { () throws(RequestError) in try fixture.send("pause") }
        _ = fixture.refusal { () throws(RequestError) in try fixture.send("nosuch") }
        try fixture.send("chooseEpisode", episodeArguments)
        fixture.time.advance(by: .seconds(60))
        let (lines, next) = try history(fixture)
        #expect(
            lines == [
                "4 enter idle", "3 enter chooseEpisode", "2 refused nosuch", "2 refused pause",
                "2 enter startPlaying", "1 open",
            ])
        #expect(next == nil)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a refusal in the history has its source, time and reason`() throws {
        let fixture = SessionsFixture()
        try fixture.open()
        fixture.time.advance(by: .milliseconds(1500))
        _ = fixture.refusal { () throws(RequestError) in try fixture.send("pause") }
        let record = try #require(
            fixture.sessions.history(of: fixture.session(), limit: 1).records.first)
        var writer = JSONWriter()
        Encoder().write(record, .full, to: &writer)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"session":"main","seq":1,"kind":"refused","event":{"name":"pause","args":{}},"source":{"kind":"unix","peer":{"pid":11,"uid":22,"gid":33}},"error":{"code":1,"message":"noTransition","data":{"event":"pause","state":"introduction","accepts":["displayHelp","startPlaying"],"last":{"event":null,"args":{},"source":{"kind":"unix","peer":{"pid":11,"uid":22,"gid":33}},"seq":1,"atMs":0}}},"atMs":1500,"time":"1970-01-01T00:00:01.500Z"}"#
        )
        fixture.closeAllAndExpectNoTimers()
    }

    @Test(arguments: 1...8) func `consecutive pages have no gap, for any page length`(_ limit: Int)
        throws
    {
        let fixture = SessionsFixture()
        try fixture.open()
        for round in 0..<5 {
            try fixture.send("startPlaying")
            for _ in 0..<round {
                _ = fixture.refusal { () throws(RequestError) in try fixture.send("pause") }
            }
            try fixture.send("returnHome")
        }
        let allRecords = try history(fixture).lines
        // The opening and two changes in each of five rounds; and 0 + 1 + 2 + 3 + 4 refusals.
        #expect(allRecords.count == 11 + 10)
        var (pages, position): ([String], Sessions.HistoryPosition?) = ([], .init())
        while let from = position {
            let (lines, next) = try history(fixture, from: from, limit: limit)
            #expect(lines.count <= limit)
            pages += lines
            position = next
        }
        #expect(pages == allRecords)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `each session has its own history`() throws {
        let fixture = SessionsFixture()
        try fixture.open("a")
        try fixture.open("b")
        try fixture.send("startPlaying", to: "a")
        _ = fixture.refusal { () throws(RequestError) in try fixture.send("pause", to: "b") }
        try fixture.send("displayHelp", to: "b")
        #expect(try history(fixture, "a").lines == ["2 enter startPlaying", "1 open"])
        #expect(
            try history(fixture, "b").lines == ["2 enter displayHelp", "1 refused pause", "1 open"])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `the oldest changes and refusals are removed first`() throws {
        var limits = Limits()
        limits.ring = 4
        limits.refusals = 3
        let fixture = SessionsFixture(limits: limits)
        try fixture.open()
        for _ in 0..<6 {
            _ = fixture.refusal { () throws(RequestError) in try fixture.send("pause") }
        }
        #expect(
            try history(fixture).lines == [
                "1 refused pause", "1 refused pause", "1 refused pause", "1 open",
            ])
        for _ in 0..<3 {
            try fixture.send("displayHelp")
            try fixture.send("dismissHelp")
        }
        let lines = try history(fixture).lines
        #expect(
            lines.filter { !$0.contains("refused") }.map { $0.prefix(1) } == ["7", "6", "5", "4"])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `the memory for arguments of refusals is limited`() throws {
        var limits = Limits()
        limits.refusalBytes = 20_000
        let fixture = SessionsFixture(limits: limits)
        try fixture.open()
        let long = [Member("x", String(repeating: "x", count: 3000))]
        for _ in 0..<10 {
            _ = fixture.refusal { () throws(RequestError) in try fixture.send("pause", long) }
        }
        // A refusal counts its arguments twice, 6000 bytes. So the history has three refusals and the opening.
        #expect(try history(fixture).lines.count == 4)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a page before a position has only the earlier records`() throws {
        let fixture = SessionsFixture()
        try fixture.open()
        try fixture.send("displayHelp")
        #expect(try history(fixture, from: .init(before: 1)).lines == [])
        #expect(try history(fixture, from: .init(before: 2)).lines == ["1 open"])
        #expect(
            try history(fixture, from: .init(before: 99)).lines == [
                "2 enter displayHelp", "1 open",
            ])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a refused posted event is in the history`() throws {
        let fixture = SessionsFixture()
        try fixture.open()
        try fixture.session().machine.post("nosuch", [], from: SessionsFixture.player)
        #expect(try history(fixture).lines == ["1 refused nosuch", "1 open"])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a change made between two requests for pages is in neither page`() throws {
        let fixture = SessionsFixture()
        try fixture.open()
        try fixture.send("startPlaying")
        for name in ["a", "b", "c", "d"] {
            _ = fixture.refusal { () throws(RequestError) in try fixture.send(name) }
        }
        let firstPage = try history(fixture, limit: 2)
        #expect(firstPage.lines == ["2 refused d", "2 refused c"])
        for name in ["e", "f", "g"] {
            _ = fixture.refusal { () throws(RequestError) in try fixture.send(name) }
        }
        try fixture.send("returnHome")
        let secondPage = try history(fixture, from: try #require(firstPage.next))
        #expect(
            secondPage.lines == ["2 refused b", "2 refused a", "2 enter startPlaying", "1 open"])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a page has a limited number of bytes, but at least one record`() throws {
        var limits = Limits()
        limits.historyBytes = 10_000
        let fixture = SessionsFixture(limits: limits)
        try fixture.open()
        let long = [Member("x", String(repeating: "x", count: 3000))]
        for _ in 0..<6 {
            _ = fixture.refusal { () throws(RequestError) in try fixture.send("pause", long) }
        }
        // A refusal counts its arguments twice, 6000 bytes. So two refusals exceed the limit of a page. The next page continues
        // before change 2, that is, with change 1, and before the last refusal of the first page.
        let first = try history(fixture)
        #expect(first.lines.count == 1)
        #expect(first.next?.before == 2)
        #expect(first.next?.refusal != nil)
        var (count, position): (Int, Sessions.HistoryPosition?) = (0, .init())
        while let from = position {
            let page = try history(fixture, from: from)
            count += page.lines.count
            position = page.next
        }
        #expect(count == 7)
        fixture.closeAllAndExpectNoTimers()
    }
}
