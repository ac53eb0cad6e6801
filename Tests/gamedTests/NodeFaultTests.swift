import Cluster
import Testing
import Timers

@Suite struct NodeFaultTests {
    private var fault = NodeFault()

    /// Records that a connection failed at this number of milliseconds.
    private mutating func fail(
        _ why: String = "it does not answer", hasWorked: Bool = false, at ms: Int64
    ) -> Bool {
        fault.record(why, hasWorked: hasWorked, at: .zero + .milliseconds(ms))
    }

    private var retryMs: Int64 { (fault.retryInstant - .zero).milliseconds }

    @Test mutating func `the time between attempts doubles up to a second`() {
        var times: [Int64] = []
        for _ in 0..<7 {
            _ = fail(at: retryMs)
            times.append(retryMs)
        }
        #expect(times == [50, 150, 350, 750, 1550, 2550, 3550])
    }

    @Test mutating func `a connection that has worked is made again at once`() {
        _ = fail(at: 0)
        _ = fail("the connection is lost", hasWorked: true, at: 60_000)
        #expect(retryMs <= 60_000)
        _ = fail(at: 60_001)
        #expect(retryMs == 60_051)
    }

    @Test mutating func `a reason is reported once until the connection has worked`() {
        #expect(fail(at: 0))
        #expect(!fail(at: 50))
        #expect(fail("nothing listens there", at: 150))
        #expect(fail("nothing listens there", hasWorked: true, at: 60_000))
        #expect(!fail("nothing listens there", at: 60_000))
    }
}
