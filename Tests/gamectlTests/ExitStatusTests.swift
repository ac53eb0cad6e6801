import Testing

@testable import gamectl

struct ExitStatusTests {
    @Test(arguments: 1...15)
    func `an error of the project is a refusal`(code: Int) {
        #expect(ExitStatus(code: code) == .refused)
    }

    @Test func `an error of JSON-RPC is a usage error or a broken protocol`() {
        #expect(ExitStatus(code: -32601) == .usage)
        #expect(ExitStatus(code: -32602) == .usage)
        for code in [-32700, -32600, -32603, -32000, 0, .min] {
            #expect(ExitStatus(code: code) == .fault)
        }
    }

    @Test func `each failure has its status`() throws {
        #expect(Failure.usage("").status.rawValue == 2)
        #expect(Failure.refused(try SampleReplies.refused(1, "noTransition")).status.rawValue == 1)
        #expect(Failure.unreachable("").status.rawValue == 3)
        #expect(Failure.lost.status.rawValue == 3)
        #expect(Failure.timedOut("").status.rawValue == 4)
        #expect(Failure.fault("").status.rawValue == 5)
    }
}
