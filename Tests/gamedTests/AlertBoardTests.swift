import Parts
import RPC
import Sessions
import Testing
import Timers

@testable import GamedServer

@Suite struct AlertBoardTests {
    private let board = AlertBoard { .zero + .seconds(7) }

    /// The record that the output `number` of a line was given up, or that its alert was acknowledged.
    private func record(_ number: Int, line: UInt64 = 1, isAcknowledged: Bool = false)
        -> SessionRecord
    {
        let key = DeliveryRecord.Key(pos: number, line: line, occasion: 0)
        let alert = DeliveryRecord.Alert(
            id: "\(line)-\(number)", target: "door", text: "not sent", session: .main)
        let delivery =
            isAcknowledged
            ? DeliveryRecord(key, number: 1, .acknowledged)
            : DeliveryRecord(key, number: 1, givenUpWith: alert)
        return SessionRecord(
            .deliveries([delivery]), session: nil, seq: 0, at: .zero + .seconds(Int64(number)),
            pos: number)
    }

    @Test func `the alerts of an earlier start come first, but for those that were acknowledged`() {
        let recorded = RecordedAlerts()
        for number in 1...4 { recorded.add(record(number)) }
        recorded.add(record(2, isAcknowledged: true))
        // Two alerts of this start. One of them is acknowledged before the journal is read.
        for number in [4, 5] {
            let key = DeliveryRecord.Key(pos: number, line: 1, occasion: 0)
            board.beginOutput(
                "1-\(number)", to: "door", "not sent", session: .main,
                line: 1, AlertBoard.RecordedOutput(journal: 0, key, number: 1))
        }
        board.acknowledge("1-4")
        board.restore(recorded.unacknowledged, of: 0)
        #expect(board.alerts.map(\.id) == ["1-1", "1-3", "1-5"])
        #expect(board.alerts[0].since == .zero + .seconds(1))
        #expect(board.takeAcknowledged().map { $0.key.pos } == [4])
        board.acknowledge("1-3")
        #expect(board.takeAcknowledged().map { $0.key.pos } == [3])
        board.removeOutputs(of: 0)
        #expect(board.alerts.isEmpty)
    }

    @Test func `the newest alerts of each line are restored`() {
        let recorded = RecordedAlerts()
        for number in 1...3 * AlertBoard.limitPerLine {
            recorded.add(record(number, line: 1))
            if number % 10 == 0 { recorded.add(record(number, line: 2)) }
        }
        let found = recorded.unacknowledged
        #expect(found.count { $0.key.line == 1 } == AlertBoard.limitPerLine)
        #expect(found.count { $0.key.line == 2 } == 30)
        #expect(found.map(\.key.pos) == found.map(\.key.pos).sorted())
    }

    @Test func `the newest alerts of a journal with many lines are restored`() {
        let recorded = RecordedAlerts()
        let count = 3 * AlertBoard.limit + 7
        for number in 1...count { recorded.add(record(number, line: UInt64(number))) }
        let found = recorded.unacknowledged
        #expect(found.map(\.key.pos) == Array(count - AlertBoard.limit + 1...count))
        // What has begun since counts, too.
        board.begin(.connection, "hall", "is down")
        board.restore(found, of: 0)
        #expect(board.alerts.count == AlertBoard.limit)
        #expect(board.alerts.last?.id == "connection:hall")
        #expect(
            board.alerts.first?.id
                == "\(count - AlertBoard.limit + 2)-\(count - AlertBoard.limit + 2)")
    }

    @Test func `an alert of a connection ends with its cause, and one of an output with ack`() {
        board.begin(.connection, "hall", "is down: refused")
        board.begin(.connection, "hall", "is down: no route")
        board.beginOutput(
            "i:main:3:1", to: "serial door", "OPEN was not sent", session: .main,
            line: 1)
        #expect(board.alerts.map(\.id) == ["connection:hall", "i:main:3:1"])
        #expect(board.alerts[0].text == "is down: no route")
        #expect(board.alerts[0].since == .zero + .seconds(7))
        for alert in board.alerts { board.acknowledge(alert.id) }
        #expect(board.alerts.map(\.id) == ["connection:hall"])
        #expect(board.alerts[0].isAcknowledged)
        board.end(.connection, "hall")
        board.end(.connection, "hall")
        #expect(board.alerts.isEmpty)
    }

    @Test func `an alert begins once, and not again after a restart`() {
        var begun: [String] = []
        board.began = { alert, line in begun.append("\(alert.id) \(line.map(String.init) ?? "-")") }
        board.begin(.connection, "hall", "is down")
        board.begin(.connection, "hall", "is down: no route")
        for _ in 0..<2 {
            board.beginOutput("i:main:3:1", to: "door", "x", session: .main, line: 5)
        }
        let recorded = RecordedAlerts()
        recorded.add(record(1))
        board.restore(recorded.unacknowledged, of: 0)
        board.end(.connection, "hall")
        board.begin(.connection, "hall", "is down")
        #expect(begun == ["connection:hall -", "i:main:3:1 5", "connection:hall -"])
        #expect(board.alerts.count == 3)
    }

    @Test func `beyond a limit the oldest alert of an output ends`() {
        board.begin(.connection, "hall", "is down")
        for number in 0..<3 * AlertBoard.limitPerLine {
            board.beginOutput("a\(number)", to: "a", "x", session: .main, line: 1)
        }
        #expect(board.alerts.count == 1 + AlertBoard.limitPerLine)
        #expect(board.alerts[1].id == "a\(2 * AlertBoard.limitPerLine)")
        for number in 0..<2 * AlertBoard.limit {
            board.beginOutput(
                "b\(number)", to: "b", "x", session: .main, line: UInt64(number))
        }
        #expect(board.alerts.count == AlertBoard.limit)
        #expect(board.alerts[0].id == "connection:hall")
    }
}
