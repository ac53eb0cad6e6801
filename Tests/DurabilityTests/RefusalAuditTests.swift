import Durability
import JSONCoding
import Journal
import JournalTestSupport
import Sessions
import Testing
import Timers

/// What `--audit refusals` writes down, and how much of it.
@Suite struct RefusalAuditTests {
    private let desk = DurabilityFixture(audits: true)
    private let (ann, bob): (DurabilityFixture.Client, DurabilityFixture.Client)

    init() {
        (ann, bob) = (desk.client(), desk.client())
        desk.say("open session=main flow=game", ann)
        desk.store.commit()
        _ = desk.heard(ann)
    }

    private var bodies: [String] {
        desk.store.commit()
        return desk.store.rows.filter { $0.kind == .refusal }.map(\.json)
    }

    @Test func `a short refusal is recorded completely`() {
        desk.say(#"send pause {"note":"why not?"}"#, ann)
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
        desk.say(line.replacing("LONG", with: long), ann)
        let body = try #require(bodies.first)
        #expect(body.utf8.count < 3000 && body.contains(#""omittedBytes":"#))
        if line.contains("short") { #expect(body.contains(#""args":{"a":"short"},"#)) }
        desk.say("history", bob)
        #expect(desk.heard(bob)[0].contains("omittedBytes"))
    }

    @Test
    func `the recorded refusals of a source per second are limited, and omitted ones are counted`()
    {
        let limit = desk.sessions.limits.auditBytes
        for _ in 0..<1000 { desk.say("send pause", ann) }
        let kept = bodies
        #expect(kept.map(\.utf8.count).reduce(0, +) < limit + kept[0].utf8.count)
        #expect(kept.count < 1000 && desk.sessions.droppedRefusals == 1000 - kept.count)
        desk.sessions.renewAuditLimits()
        desk.say("send pause", ann)
        #expect(bodies.last?.contains(#""dropped":\#(1000 - kept.count)}"#) == true)
        desk.say("history limit=1", bob)
        #expect(desk.heard(bob)[0].contains(#""dropped":\#(1000 - kept.count)}"#))
        desk.say("send pause", ann)
        #expect(bodies.last?.contains("dropped") == false)
    }
}
