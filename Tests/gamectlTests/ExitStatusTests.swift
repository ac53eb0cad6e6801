import Testing

@testable import GamectlTool

struct ExitStatusTests {
    @Test(arguments: 1...16)
    func `an error with a code of the daemon exits as refused`(code: Int) {
        #expect(ExitStatus(code: code) == .refused)
    }

    @Test func `a JSON-RPC error is a usage error or a protocol error`() {
        #expect(ExitStatus(code: -32601) == .usage)
        #expect(ExitStatus(code: -32602) == .usage)
        for code in [-32700, -32600, -32603, -32000, 0, .min] {
            #expect(ExitStatus(code: code) == .protocolError)
        }
    }

    @Test func `each error has its exit status`() throws {
        #expect(CommandError.usage("").status.rawValue == 2)
        #expect(
            CommandError.refused(try SampleReplies.errorReply(1, "noTransition")).status.rawValue
                == 1)
        #expect(CommandError.unreachable("").status.rawValue == 3)
        #expect(CommandError.lost.status.rawValue == 3)
        #expect(CommandError.timedOut("").status.rawValue == 4)
        #expect(CommandError.protocolError("").status.rawValue == 5)
    }
}
