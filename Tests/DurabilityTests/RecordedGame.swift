import Durability
import FlowFiles
import GameFlow
import Sessions
import TestSupport
import Testing
import Timers

/// A session of a flow file whose rows are recorded, so that they can be restored and replayed.
struct RecordedGame {
    let flow: AnyFlow
    let fixture: RestartFixture
    let context = RequestContext(from: .program)

    /// `prepare` is called before the session is opened.
    init(_ text: String, _ prepare: (RestartFixture) throws -> Void = { _ in }) throws {
        flow = try FlowFile(text: Array(text.utf8), file: "game.yaml").flow
        fixture = RestartFixture([flow])
        try prepare(fixture)
        _ = try fixture.sessions.open(.main, flow, context)
    }
}

/// A suite that plays one recorded game.
protocol PlaysRecordedGame {
    var game: RecordedGame { get }
}

extension PlaysRecordedGame {
    var fixture: RestartFixture { game.fixture }
    var context: RequestContext { game.context }

    func session() throws -> Session { try fixture.sessions.session(.main) }

    func state() throws -> String { try session().machine.place.state }

    func info(_ fires: String) throws -> TimerInfo {
        try #require(try session().machine.timer(fires)?.info)
    }

    /// What a timer has left; nil if the state has no such timer.
    func left(_ fires: String) throws -> Duration? {
        try session().machine.timer(fires)?.info.remaining
    }

    func send(_ event: String) throws {
        _ = try fixture.sessions.send(event, [], to: session(), context)
    }

    /// The recorded rows, replayed from the opening on, give the same changes.
    func expectReplays(_ location: SourceLocation = #_sourceLocation) {
        let replay = JournalReplay([game.flow])
        for row in fixture.rows {
            #expect(replay.execute(row) == nil, sourceLocation: location)
        }
        #expect(replay.finish() == nil, sourceLocation: location)
    }

    /// Requests, operations, restarts, hand-overs and standstills are replayed as they were. With `undoInterval`, an undo follows
    /// one step of so many.
    func expectRandomStepsReplay(
        _ seed: UInt64, count: Int = 150, undoInterval: Int? = nil,
        _ prepare: (RestartFixture) -> Void = { _ in }
    ) throws {
        let fixture = RestartFixture([game.flow])
        prepare(fixture)
        var random = SeededRandom(seed)
        for _ in 0..<count {
            try fixture.step(&random, .main)
            // A daemon fires due timers before each request.
            fixture.advance(by: .zero)
            guard let undoInterval, random.below(undoInterval) == 0,
                let session = try? fixture.sessions.session(.main)
            else { continue }
            _ = try? fixture.sessions.undo(
                clocks: random.pick(UndoClocks.allCases), session, context)
            fixture.advance(by: .zero)
        }
        let replay = JournalReplay([game.flow])
        for row in fixture.rows {
            guard let divergence = replay.execute(row) else { continue }
            let texts = [divergence.recorded, divergence.replayed].map { "\($0?.members ?? [])" }
            Issue.record("seed \(seed): \(divergence.why): \(texts.joined(separator: "\n"))")
            break
        }
    }
}
