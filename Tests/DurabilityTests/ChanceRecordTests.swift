import Durability
import FlowFiles
import GameFlow
import Sessions
import Testing

/// The same dice as those of the flow file below.
private struct Dice: Flow {
    struct State { let n: Int }
    enum StateName: String, CaseIterable { case playing }
    enum Event: FlowEvent, CaseIterable { case roll }

    var drawsRandomValues: Bool { true }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Dice> {
        enter { entry throws(Reason) in State(n: try entry.random(in: 1...1_000_000)) }
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        StateDescription(.playing, [Member("n", state.n)])
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Dice> {
        let n: Int = try data.optional("n") ?? 0
        return enter { _ in State(n: n) }
    }
}

/// The chance of sessions: it is recorded, restored, undone and replayed.
@Suite struct ChanceRecordTests {
    private static let text = """
        flow: dice
        start: playing
        events: {roll: }
        states:
          playing:
            data: {n: integer = 0}
            on: {roll: {with: {n: =random(1..1000000)}}}
        """

    private static func flow(_ text: String = text) throws -> AnyFlow {
        try FlowFile(text: Array(text.utf8), file: "dice.yaml").flow
    }

    private let context = RequestContext(from: .program)

    private func roll(_ fixture: RestartFixture) throws -> Value? {
        let session = try fixture.sessions.session(.main)
        _ = try fixture.sessions.send("roll", [], to: session, context)
        return session.machine.place.data["n"]
    }

    @Test(arguments: [false, true])
    func `a session draws on after a restart, an undo and a hand-over, and is replayed`(
        isInSwift: Bool
    ) throws {
        let flow = isInSwift ? AnyFlow(Dice()) : try Self.flow()
        let fixture = RestartFixture([flow])
        fixture.sessions.seeds.next = { 7 }
        let session = try fixture.sessions.open(.main, flow, context)
        #expect(session.machine.chance == Chance(seed: 7))
        var expected = Chance(seed: 7)
        var values = (0..<6).map { _ in Value.int(1 + Int(expected.next(below: 1_000_000))) }
        #expect(try roll(fixture) == values.removeFirst())
        fixture.restart(after: .seconds(5))
        #expect(try roll(fixture) == values[0])
        try fixture.sessions.undo(fixture.sessions.session(.main), context)
        #expect(try roll(fixture) == values.removeFirst())
        fixture.handOver(after: .seconds(1))
        #expect(try roll(fixture) == values.removeFirst())
        try fixture.sessions.goto("playing", [], fixture.sessions.session(.main), context)
        fixture.restart(after: .seconds(5))
        #expect(try roll(fixture) == values.removeFirst())
        let replay = JournalReplay([flow])
        for row in fixture.rows { #expect(replay.execute(row) == nil) }
    }

    @Test func `each opening has a seed of its own`() throws {
        let flow = try Self.flow()
        let fixture = RestartFixture([flow])
        let first = try fixture.sessions.open(.main, flow, context).machine.chance
        let second = try fixture.sessions.open(.main, flow, isAgain: true, context).machine.chance
        #expect(first?.seed != second?.seed)
    }

    @Test func `a session from before draws from its instance, name and opening`() throws {
        let new = try Self.flow()
        let fixture = RestartFixture([new])
        fixture.sessions.seeds.instance = "i1"
        let old = try Self.flow(Self.text.replacing("random(1..1000000)", with: "1"))
        let session = try fixture.sessions.open(.main, old, context)
        #expect(session.machine.chance == nil)
        #expect(try roll(fixture) == .int(1))
        let pos = session.lastPos - 1
        try fixture.sessions.move(session, context)
        // printf 'i1:main:1' | sha256sum
        #expect(pos == 1)
        #expect(session.machine.chance == Chance(seed: 17_256_017_824_400_305_171))
        let drawn = try roll(fixture)
        fixture.restart(after: .seconds(1))
        #expect(try fixture.sessions.session(.main).machine.place.data["n"] == drawn)
        let replay = JournalReplay(
            FlowCatalog([.init(new)], read: FlowFile.flow(of:)))
        for row in fixture.rows { #expect(replay.execute(row) == nil) }
    }
}
