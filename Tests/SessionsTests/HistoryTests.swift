import GameFlow
import JSONCoding
import Sessions
import Testing
import Timers

@testable import RPC

@Suite struct HistoryTests {
    /// A record in short: `4 enter chooseLevel`, `4 refused pause`.
    private func short(_ record: Sessions.Record) -> String {
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
        _ house: SessionsFixture, _ name: String = "main",
        from place: Sessions.HistoryPlace = .init(),
        limit: Int = 100
    ) throws -> (lines: [String], next: Sessions.HistoryPlace?) {
        let page = house.sessions.history(of: try house.session(name), from: place, limit: limit)
        return (page.records.map(short), page.next)
    }

    private let episode = [Member("episode", 1)]

    @Test func `history has changes and refusals, newest first`() throws {
        let house = SessionsFixture()
        try house.open()
        try house.send("startPlaying")
        _ = house.refusal { () throws(RequestError) in try house.send("pause") }
        _ = house.refusal { () throws(RequestError) in try house.send("nosuch") }
        try house.send("chooseEpisode", episode)
        house.time.advance(by: .seconds(60))
        let (lines, next) = try history(house)
        #expect(
            lines == [
                "4 enter idle", "3 enter chooseEpisode", "2 refused nosuch", "2 refused pause",
                "2 enter startPlaying", "1 open",
            ])
        #expect(next == nil)
        house.expectNothingLeft()
    }

    @Test func `a refusal in the history has its source, time and reason`() throws {
        let house = SessionsFixture()
        try house.open()
        house.time.advance(by: .milliseconds(1500))
        _ = house.refusal { () throws(RequestError) in try house.send("pause") }
        let record = try #require(
            house.sessions.history(of: house.session(), limit: 1).records.first)
        var writer = JSONWriter()
        Encoder().write(record, .full, to: &writer)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"session":"main","seq":1,"kind":"refused","event":{"name":"pause","args":{}},"source":{"kind":"unix","peer":{"pid":11,"uid":22,"gid":33}},"error":{"code":1,"message":"noTransition","data":{"event":"pause","state":"introduction","accepts":["displayHelp","startPlaying"],"last":{"event":null,"args":{},"source":{"kind":"unix","peer":{"pid":11,"uid":22,"gid":33}},"seq":1,"atMs":0}}},"atMs":1500,"time":"1970-01-01T00:00:01.500Z"}"#
        )
        house.expectNothingLeft()
    }

    @Test(arguments: 1...8) func `consecutive pages have no gap, for any page length`(_ limit: Int)
        throws
    {
        let house = SessionsFixture()
        try house.open()
        for round in 0..<5 {
            try house.send("startPlaying")
            for _ in 0..<round {
                _ = house.refusal { () throws(RequestError) in try house.send("pause") }
            }
            try house.send("returnHome")
        }
        let all = try history(house).lines
        #expect(all.count == 11 + 10)
        var (pages, place): ([String], Sessions.HistoryPlace?) = ([], .init())
        while let from = place {
            let (lines, next) = try history(house, from: from, limit: limit)
            #expect(lines.count <= limit)
            pages += lines
            place = next
        }
        #expect(pages == all)
        house.expectNothingLeft()
    }

    @Test func `each session has its own history`() throws {
        let house = SessionsFixture()
        try house.open("a")
        try house.open("b")
        try house.send("startPlaying", to: "a")
        _ = house.refusal { () throws(RequestError) in try house.send("pause", to: "b") }
        try house.send("displayHelp", to: "b")
        #expect(try history(house, "a").lines == ["2 enter startPlaying", "1 open"])
        #expect(
            try history(house, "b").lines == ["2 enter displayHelp", "1 refused pause", "1 open"])
        house.expectNothingLeft()
    }

    @Test func `the oldest changes and refusals are removed first`() throws {
        var limits = Limits()
        limits.ring = 4
        limits.refusals = 3
        let house = SessionsFixture(limits: limits)
        try house.open()
        for _ in 0..<6 { _ = house.refusal { () throws(RequestError) in try house.send("pause") } }
        #expect(
            try history(house).lines == [
                "1 refused pause", "1 refused pause", "1 refused pause", "1 open",
            ])
        for _ in 0..<3 {
            try house.send("displayHelp")
            try house.send("dismissHelp")
        }
        let lines = try history(house).lines
        #expect(
            lines.filter { !$0.contains("refused") }.map { $0.prefix(1) } == ["7", "6", "5", "4"])
        house.expectNothingLeft()
    }

    @Test func `the memory for arguments of refusals is limited`() throws {
        var limits = Limits()
        limits.refusalBytes = 20_000
        let house = SessionsFixture(limits: limits)
        try house.open()
        let long = [Member("x", String(repeating: "x", count: 3000))]
        for _ in 0..<10 {
            _ = house.refusal { () throws(RequestError) in try house.send("pause", long) }
        }
        #expect(try history(house).lines.count == 4)
        house.expectNothingLeft()
    }

    @Test func `before the first change the history is empty`() throws {
        let house = SessionsFixture()
        try house.open()
        try house.send("displayHelp")
        #expect(try history(house, from: .init(before: 1)).lines == [])
        #expect(try history(house, from: .init(before: 2)).lines == ["1 open"])
        #expect(
            try history(house, from: .init(before: 99)).lines == ["2 enter displayHelp", "1 open"])
        house.expectNothingLeft()
    }

    @Test func `a refused posted event is in the history`() throws {
        let house = SessionsFixture()
        try house.open()
        try house.session().machine.post("nosuch", [], from: SessionsFixture.player)
        #expect(try history(house).lines == ["1 refused nosuch", "1 open"])
        house.expectNothingLeft()
    }

    @Test func `a change made between two requests for pages is in neither page`() throws {
        let house = SessionsFixture()
        try house.open()
        try house.send("startPlaying")
        for name in ["a", "b", "c", "d"] {
            _ = house.refusal { () throws(RequestError) in try house.send(name) }
        }
        let first = try history(house, limit: 2)
        #expect(first.lines == ["2 refused d", "2 refused c"])
        for name in ["e", "f", "g"] {
            _ = house.refusal { () throws(RequestError) in try house.send(name) }
        }
        try house.send("returnHome")
        let second = try history(house, from: try #require(first.next))
        #expect(
            second.lines == ["2 refused b", "2 refused a", "2 enter startPlaying", "1 open"])
        house.expectNothingLeft()
    }

    @Test func `a page has a limited length but at least one record`() throws {
        var limits = Limits()
        limits.historyBytes = 10_000
        let house = SessionsFixture(limits: limits)
        try house.open()
        let long = [Member("x", String(repeating: "x", count: 3000))]
        for _ in 0..<6 {
            _ = house.refusal { () throws(RequestError) in try house.send("pause", long) }
        }
        let first = try history(house)
        #expect(first.lines.count == 1)
        #expect(first.next?.before == 2)
        #expect(first.next?.refusal != nil)
        var (count, place): (Int, Sessions.HistoryPlace?) = (0, .init())
        while let from = place {
            let page = try history(house, from: from)
            count += page.lines.count
            place = page.next
        }
        #expect(count == 7)
        house.expectNothingLeft()
    }
}
