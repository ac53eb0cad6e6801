import Connections
import Parts
import RPC
import Sessions
import Shell
import Testing
import Timers

@testable import GamedServer

/// The table of limits.
@Suite struct LimitTests {
    @Test func `each limit has a unique name, a subject and a consequence`() {
        let serverLimits = ServerLimits.table.map(\.namedLimit)
        let names = serverLimits.map(\.name) + WireLimits.table.map(\.name)
        #expect(Set(names).count == names.count)
        for limit in serverLimits {
            #expect(!limit.subject.isEmpty && limit.consequence.hasSuffix("."))
        }
        for limit in WireLimits.table {
            #expect(!limit.subject.isEmpty && limit.consequence.hasSuffix("."))
        }
    }

    @Test(arguments: ["1", "30s"])
    func `setting a limit changes only this limit in hello`(_ text: String) throws {
        var settableCount = 0
        for limit in Limit.settable {
            var limits = ServerLimits()
            let defaults = limits.named
            do throws(UsageError) { try limit.set(text, in: &limits) } catch { continue }
            let changedLimits = zip(defaults, limits.named).filter { $0.1 != $1.1 }
            #expect(changedLimits.map(\.0.name) == [limit.namedLimit.name])
            #expect(limit.text(limits) == text)
            settableCount += 1
        }
        // A number is valid for six limits, a duration for four.
        #expect(settableCount == (text == "1" ? 6 : 4))
    }

    @Test func `a limit that cannot be set is not an option`() {
        #expect(!Limit.settable.contains { $0.namedLimit.name == "bodyBytes" })
        var limits = ServerLimits()
        let bodyLimit = ServerLimits.table.first { $0.namedLimit.name == "bodyBytes" }
        #expect(throws: UsageError.self) { try bodyLimit?.set("1", in: &limits) }
    }
}
