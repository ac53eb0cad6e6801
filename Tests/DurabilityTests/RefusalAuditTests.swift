import Durability
import JSONCoding
import Journal
import JournalTestSupport
import Sessions
import Testing
import Timers

/// The rows of refusals, which gamed's option `--audit refusals` records, and the limits of their size and number.
@Suite struct RefusalAuditTests {
    private let fixture = DurabilityFixture(audits: true)
    private let (ann, bob): (DurabilityFixture.Client, DurabilityFixture.Client)

    init() {
        (ann, bob) = (fixture.client(), fixture.client())
        fixture.request("open session=main flow=game", from: ann)
        fixture.store.commit()
        _ = fixture.received(by: ann)
    }

    /// Commits the pending rows, and returns the bodies of the rows of all refusals so far.
    private var refusalBodies: [String] {
        fixture.store.commit()
        return fixture.store.rows.filter { $0.kind == .refusal }.map(\.json)
    }

    @Test func `a short refusal is recorded completely`() {
        fixture.request(#"send pause {"note":"why not?"}"#, from: ann)
        #expect(refusalBodies.count == 1)
        #expect(refusalBodies[0].contains(#""event":{"name":"pause","args":{"note":"why not?"}}"#))
        #expect(!refusalBodies[0].contains("omittedBytes") && !refusalBodies[0].contains("dropped"))
    }

    @Test(arguments: [
        #"send pause {"a":"short","b":"LONG","c":"short"}"#, #"send LONG {"a":1}"#,
        #"send pause {"LONG":1}"#, #"send buzz {"LONG":{"LONG":1}}"#,
    ])
    func `a long refusal is recorded with 1 KiB of arguments and the number of omitted bytes`(
        _ line: String
    ) throws {
        let long = String(repeating: "x", count: 20_000)
        fixture.request(line.replacing("LONG", with: long), from: ann)
        let body = try #require(refusalBodies.first)
        #expect(body.utf8.count < 3000 && body.contains(#""omittedBytes":"#))
        if line.contains("short") { #expect(body.contains(#""args":{"a":"short"},"#)) }
        fixture.request("history", from: bob)
        #expect(fixture.received(by: bob)[0].contains("omittedBytes"))
    }

    @Test
    func `refusals of a source are recorded up to a limit per second, and the others are counted`()
    {
        let limit = fixture.sessions.limits.auditBytes
        for _ in 0..<1000 { fixture.request("send pause", from: ann) }
        let recorded = refusalBodies
        #expect(recorded.map(\.utf8.count).reduce(0, +) < limit + recorded[0].utf8.count)
        #expect(recorded.count < 1000 && fixture.sessions.droppedRefusals == 1000 - recorded.count)
        // The next second begins. The row of the next refusal contains the number of omitted ones.
        fixture.sessions.renewAuditLimits()
        fixture.request("send pause", from: ann)
        #expect(refusalBodies.last?.contains(#""dropped":\#(1000 - recorded.count)}"#) == true)
        fixture.request("history limit=1", from: bob)
        #expect(fixture.received(by: bob)[0].contains(#""dropped":\#(1000 - recorded.count)}"#))
        fixture.request("send pause", from: ann)
        #expect(refusalBodies.last?.contains("dropped") == false)
    }
}
