import GameFlow
import Sessions
import Testing
import Timers

@testable import RPC

/// Cursors: texts to go on from.
@Suite struct CursorTests {
    @Test func `a watch continues after a cursor`() throws {
        let line = try TestConnection()
        guard case .string(let cursor)? = line.json("watch session=*")["cursor"] else {
            Issue.record("no cursor")
            return
        }
        _ = line.say("unwatch session=*")
        _ = line.say("send displayHelp")
        _ = line.say("send dismissHelp")
        _ = line.say("watch session=* since=\(cursor)")
        #expect(line.missed == [2, 3])
        _ = line.say("watch since=\(cursor)")
        #expect(line.missed == [2, 3])
        line.end()
    }

    @Test(arguments: ["c", "c-1", "c01", "x1", "c1 ", "c99999999999999999999", "\"\""])
    func `an invalid cursor is an error`(_ text: String) throws {
        let line = try TestConnection()
        #expect(line.say("watch since='\(text)'").hasPrefix("ERR invalidParams"))
        line.end()
    }

    @Test func `a cursor in the future gets the present status`() throws {
        let line = try TestConnection()
        _ = line.say("watch session=* since=c1000")
        #expect(line.gaps == 1)
        line.end()
    }
}
