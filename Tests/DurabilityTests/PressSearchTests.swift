import Durability
import GameFlow
import Journal
import JournalTestSupport
import RPC
import Sessions
import ShippedFlows
import Testing
import Timers

/// The method `presses` reads older changes page by page from the store, and ends after a number of pages.
@Suite struct PressSearchTests {
    /// The answer to `presses` when `count` other changes came after the press. Memory has the newest four changes, and a page of
    /// the history two.
    private func answer(after count: Int) throws -> String {
        var limits = Limits()
        (limits.ring, limits.historyPage, limits.historyDefault) = (4, 2, 2)
        let sessions = Sessions([AnyFlow(Game())], on: VirtualClock(), limits: limits)
        let groupCommit = GroupCommit(sessions, in: MemoryStore())
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: [])
        let handler = ProtocolHandler(Dispatcher(sessions, identity, archive: groupCommit))
        let caller = TestCaller(Players.player, sessions)
        func ask(_ line: String) -> String {
            handler.answer(.line(Array(line.utf8)[...]), from: caller)
            groupCommit.flush()
            caller.outbox.release(upTo: sessions.durableRow)
            return String(decoding: caller.outbox.takeSendableBytes(), as: UTF8.self)
        }
        #expect(ask("open state=introduction").hasPrefix("OK"))
        #expect(ask("send displayHelp").hasPrefix("OK"))
        for number in 0..<count { #expect(ask("label number=\(number)").hasPrefix("OK")) }
        return ask("presses event=displayHelp")
    }

    @Test(arguments: [0, 3, 10, 37])
    func `a press that is not in memory is found in the store`(_ count: Int) throws {
        let answer = try answer(after: count)
        #expect(
            answer.contains(#""result":"ok""#) && answer.contains(#""complete":true"#), "\(answer)")
    }

    @Test func `after twenty pages the list is not complete`() throws {
        let answer = try answer(after: 60)
        #expect(answer.contains(#""presses":[],"complete":false"#), "\(answer)")
    }
}
