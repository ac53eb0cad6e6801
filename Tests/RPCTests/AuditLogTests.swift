import GameFlow
import RPC
import ShippedFlows
import Testing
import Timers

@Suite struct AuditLogTests {
    @Test func `the audit log has a line for each transition, and none for a refusal`() throws {
        var lines: [String] = []
        let time = VirtualClock()
        let source = Source(.unix, peer: .process(pid: 1, uid: 2, gid: 3))
        let machine = AnyFlow(Startup()).machine(
            on: time.timerQueue, EventQueue(), observer: nil, hooks: [AuditLog { lines.append($0) }]
        )
        try machine.open(nil, [], from: source)
        time.advance(by: .milliseconds(1234))
        let event = try machine.flow.event("didLaunch")
        try machine.send(event, [], from: source)
        #expect(throws: Reason.self) { try machine.send(event, [], from: source) }
        #expect(lines.count == 2)
        #expect(
            lines.last
                == #"{"atMs":1234,"kind":"enter","event":{"name":"didLaunch","args":{}},"source":{"kind":"unix","peer":{"pid":1,"uid":2,"gid":3}},"from":{"state":"launching","data":{}},"to":{"state":"hydrating","data":{}},"effects":[{"name":"loadSession"}]}"#
        )
        machine.end()
        #expect(time.timerQueue.count == 0)
    }
}
