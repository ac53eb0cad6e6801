import RPC
import Sessions
import Shell
import Testing
import Timers

@testable import GamedServer

/// The table of limits.
@Suite struct LimitTests {
    @Test func `each limit has one name, a subject and a consequence`() {
        let server = ServerLimits.table.map(\.shown)
        let names = server.map(\.name) + WireLimits.table.map(\.name)
        #expect(Set(names).count == names.count)
        for limit in server { #expect(!limit.subject.isEmpty && limit.consequence.hasSuffix(".")) }
        for limit in WireLimits.table {
            #expect(!limit.subject.isEmpty && limit.consequence.hasSuffix("."))
        }
    }

    @Test(arguments: ["1", "30s"])
    func `hello shows the limit that was set`(_ text: String) throws {
        var count = 0
        for limit in Limit.settable {
            var limits = ServerLimits()
            let before = limits.named
            do throws(UsageError) { try limit.set(text, in: &limits) } catch { continue }
            let changed = zip(before, limits.named).filter { $0.1 != $1.1 }
            #expect(
                changed.map(\.0.name) == [limit.shown.name] || limit.shown.value(limits) == 30_000)
            #expect(limit.text(limits) == text)
            count += 1
        }
        #expect(count == (text == "1" ? 6 : 3))
    }

    @Test func `a limit that cannot be set is not an option`() {
        #expect(!Limit.settable.contains { $0.shown.name == "bodyBytes" })
        var limits = ServerLimits()
        let fixed = ServerLimits.table.first { $0.shown.name == "bodyBytes" }
        #expect(throws: UsageError.self) { try fixed?.set("1", in: &limits) }
    }
}
