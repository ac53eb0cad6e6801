import Durability
import JSONCoding
import Journal
import JournalTestSupport
import Sessions
import Testing
import Timers

/// What `--audit refusals` records, and its limits.
@Suite struct RefusalAuditTests {
    private let fixture = DurabilityFixture(audits: true)
    private let (ann, bob): (DurabilityFixture.Client, DurabilityFixture.Client)

    init() {
        (ann, bob) = (fixture.client(), fixture.client())
        fixture.request("open session=main flow=game", from: ann)
        fixture.store.commit()
        _ = fixture.received(by: ann)
    }

    private var bodies: [String] {
        fixture.store.commit()
        return fixture.store.rows.filter { $0.kind == .refusal }.map(\.json)
    }

    @Test func `a short refusal is recorded completely`() {
        fixture.request(#"send pause {"note":"why not?"}"#, from: ann)
        #expect(bodies.count == 1)
        #expect(bodies[0].contains(#""event":{"name":"pause","args":{"note":"why not?"}}"#))
        #expect(!bodies[0].contains("omittedBytes") && !bodies[0].contains("dropped"))
    }

    @Test(arguments: [
        #"send pause {"a":"short","b":"LONG","c":"short"}"#, #"send LONG {"a":1}"#,
        #"send pause {"LONG":1}"#, #"send buzz {"LONG":{"LONG":1}}"#,
    ])
    func `of a long refusal one kibibyte of arguments is recorded, and the number of omitted bytes`(
        _ line: String
    ) throws {
        let long = String(repeating: "x", count: 20_000)
        fixture.request(line.replacing("LONG", with: long), from: ann)
        let body = try #require(bodies.first)
        #expect(body.utf8.count < 3000 && body.contains(#""omittedBytes":"#))
        if line.contains("short") { #expect(body.contains(#""args":{"a":"short"},"#)) }
        fixture.request("history", from: bob)
        #expect(fixture.received(by: bob)[0].contains("omittedBytes"))
    }

    @Test
    func `the recorded refusals of a source per second are limited, and omitted ones are counted`()
    {
        let limit = fixture.sessions.limits.auditBytes
        for _ in 0..<1000 { fixture.request("send pause", from: ann) }
        let kept = bodies
        #expect(kept.map(\.utf8.count).reduce(0, +) < limit + kept[0].utf8.count)
        #expect(kept.count < 1000 && fixture.sessions.droppedRefusals == 1000 - kept.count)
        fixture.sessions.renewAuditLimits()
        fixture.request("send pause", from: ann)
        #expect(bodies.last?.contains(#""dropped":\#(1000 - kept.count)}"#) == true)
        fixture.request("history limit=1", from: bob)
        #expect(fixture.received(by: bob)[0].contains(#""dropped":\#(1000 - kept.count)}"#))
        fixture.request("send pause", from: ann)
        #expect(bodies.last?.contains("dropped") == false)
    }
}
