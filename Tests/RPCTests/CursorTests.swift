import GameFlow
import Sessions
import Testing
import Timers

@testable import RPC

/// Cursors, which clients send to continue a watch.
@Suite struct CursorTests {
    @Test func `a watch continues after a cursor`() throws {
        let connection = try TestConnection()
        guard case .string(let cursor)? = connection.json("watch session=*")["cursor"] else {
            Issue.record("no cursor")
            return
        }
        _ = connection.reply(to: "unwatch session=*")
        _ = connection.reply(to: "send displayHelp")
        _ = connection.reply(to: "send dismissHelp")
        _ = connection.reply(to: "watch session=* since=\(cursor)")
        #expect(connection.missedSeqs == [2, 3])
        _ = connection.reply(to: "watch since=\(cursor)")
        #expect(connection.missedSeqs == [2, 3])
        connection.end()
    }

    @Test(arguments: ["c", "c-1", "c01", "x1", "c1 ", "c99999999999999999999", "\"\""])
    func `an invalid cursor is an error`(_ text: String) throws {
        let connection = try TestConnection()
        #expect(connection.reply(to: "watch since='\(text)'").hasPrefix("ERR invalidParams"))
        connection.end()
    }

    @Test func `a watch from a position after the newest change begins with a gap`() throws {
        let connection = try TestConnection()
        _ = connection.reply(to: "watch session=* since=c1000")
        #expect(connection.gaps == 1)
        connection.end()
    }
}
