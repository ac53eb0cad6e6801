import Durability
import FlowFiles
import GameFlow
import Sessions
import TestSupport
import Testing
import Timers

/// Events that wait for each other are sent in the order in which the clients sent them.
@Suite struct CollectTests: PlaysRecordedGame {
    private static let text = """
        flow: quiz
        start: question
        events:
          buzz: {args: {player: text}, collect: 150ms, buzz: true}
          help: {}
          judge: {}
        effects: [bell]
        states:
          question:
            timers: {timeUp: {after: 20s}, tick: {every: 40ms}}
            on:
              buzz: {to: answer, with: {player: =player}}
              help: stay
              timeUp: over
              tick: stay
          answer:
            data: {player: text = ''}
            on: {judge: question}
          over:
            on: {judge: question}
        """

    let game: RecordedGame

    init() throws { game = try RecordedGame(Self.text) }

    /// The outcomes of the events that were sent with `buzz`, in the order in which they became known.
    private final class Outcomes {
        var texts: [String] = []
    }
    private let outcomes = Outcomes()

    /// Sends the event of a player, which may wait.
    private func buzz(
        _ player: String, ageMs: Int = 0, longestAge: Duration = .milliseconds(300),
        id: String? = nil, entry: Int? = nil, missing right: String? = nil
    ) throws {
        let session = try session()
        var context = context
        (context.id, context.entry, context.ageMs) = (id, entry, ageMs)
        context.missingRight = right.map { right in { _ in right } }
        let end = { [outcomes] (outcome: WaitingEvent.Outcome?) in
            switch outcome {
            case .success(let answer)?:
                outcomes.texts.append("\(player) \(answer.value.step.to?.state ?? "")")
            case .failure(let error)?: outcomes.texts.append("\(player) \(error.name)")
            case nil: outcomes.texts.append("\(player) given up")
            }
        }
        do throws(RequestError) {
            let collected = try fixture.sessions.collect(
                RequestedEvent("buzz", in: session.flow), [Member("player", player)],
                to: session, context, longestAge: longestAge)
            switch collected {
            case .sent(let answer): end(.success(answer))
            case .waits(let waiting): waiting.whenEnded(end)
            }
        } catch { end(.failure(error)) }
    }

    @Test func `the one who pressed first is first, whoever arrives first`() throws {
        try buzz("ann")
        fixture.advance(by: .milliseconds(50))
        try buzz("bob", ageMs: 80)
        #expect(outcomes.texts == [])
        fixture.advance(by: .milliseconds(100))
        #expect(outcomes.texts == ["bob answer", "ann noTransition"])
        #expect(try session().machine.place.data == [Member("player", "bob")])
        expectReplays()
    }

    @Test func `the change says when the event was received, and how old it was`() throws {
        fixture.advance(by: .milliseconds(10))
        try buzz("ann", ageMs: 20)
        fixture.advance(by: .milliseconds(150))
        let details = try #require(try session().last?.details)
        #expect(details.value.members == [Member("receivedMs", 10), Member("ageMs", 20)])
        fixture.restart(after: .seconds(1))
        #expect(try session().last?.details == details)
        let presses = try fixture.sessions.presses(of: "buzz", in: session())
        #expect(presses.records.count == 1)
        expectReplays()
    }

    @Test func `no more of an age counts than the right allows`() throws {
        try buzz("ann")
        fixture.advance(by: .milliseconds(100))
        try buzz("liar", ageMs: 2000, longestAge: .milliseconds(50))
        fixture.advance(by: .milliseconds(50))
        #expect(outcomes.texts == ["ann answer", "liar noTransition"])
        expectReplays()
    }

    @Test
    func
        `the age of an event that is refused at once counts in its refusal, up to what the right allows`()
        throws
    {
        try buzz("ann")
        fixture.advance(by: .milliseconds(150))
        try buzz("bob", ageMs: 80)
        try buzz("liar", ageMs: 2000, longestAge: .milliseconds(50))
        #expect(outcomes.texts == ["ann answer", "bob noTransition", "liar noTransition"])
        let records = try fixture.sessions.presses(of: "buzz", in: session()).records
        let receipts = records.compactMap { record in
            if case .refusal(let refusal) = record { refusal.receipt } else { nil }
        }
        #expect(
            receipts == [
                Change.Receipt(received: fixture.sessions.now, ageMs: 80),
                Change.Receipt(received: fixture.sessions.now, ageMs: 50),
            ])
        expectReplays()
    }

    @Test func `each event is a step of its own`() throws {
        try buzz("ann")
        try buzz("bob")
        fixture.advance(by: .milliseconds(150))
        try fixture.sessions.undo(session(), context)
        #expect(try state() == "question")
        expectReplays()
    }

    @Test func `another event, a command and a close end the window first`() throws {
        try buzz("ann")
        _ = try? fixture.sessions.send("help", to: session(), context)
        #expect(outcomes.texts == ["ann answer"])
        try send("judge")
        try buzz("bob")
        try fixture.sessions.say("Hello", session(), context)
        #expect(outcomes.texts == ["ann answer", "bob answer"])
        try send("judge")
        try buzz("cid")
        try fixture.sessions.close(session(), context)
        #expect(outcomes.texts == ["ann answer", "bob answer", "cid answer"])
        expectReplays()
    }

    @Test func `what is refused in any case is refused at once and ends no window`() throws {
        try buzz("ann")
        #expect(throws: RequestError.self) {
            try fixture.sessions.send("judge", to: session(), context)
        }
        #expect(throws: RequestError.self) {
            try fixture.sessions.send("nothing", to: session(), context)
        }
        try buzz("eve", missing: "play")
        try buzz("old", entry: 99)
        #expect(outcomes.texts == ["eve forbidden", "old stale"])
        fixture.advance(by: .milliseconds(150))
        #expect(outcomes.texts.last == "ann answer")
        // In this state no row takes the event.
        try buzz("late")
        #expect(outcomes.texts.last == "late noTransition")
        expectReplays()
    }

    @Test func `a firing that changes something ends the window, a beat does not`() throws {
        fixture.advance(by: .milliseconds(19_900))
        try buzz("ann")
        #expect(outcomes.texts == [])
        fixture.advance(by: .milliseconds(60))
        #expect(outcomes.texts == [])
        fixture.advance(by: .milliseconds(40))
        #expect(outcomes.texts == ["ann answer"])
        #expect(try state() == "answer")
        expectReplays()
    }

    @Test(arguments: [false, true])
    func `an event is sent before the firing that ends its window, also if both are late`(
        staysInState: Bool
    ) throws {
        if staysInState { try buzz("ann") }
        fixture.advance(by: .milliseconds(19_900))
        if staysInState {
            #expect(try state() == "answer")
            try send("judge")
            fixture.advance(by: .milliseconds(19_900))
        }
        try buzz("bob")
        fixture.advance(by: .milliseconds(100), late: .milliseconds(5))
        #expect(outcomes.texts.last == "bob answer")
        #expect(try state() == "answer")
        expectReplays()
    }

    @Test func `a repeated id waits for the same answer`() throws {
        try buzz("ann", id: "k1")
        try buzz("ann", id: "k1")
        fixture.advance(by: .milliseconds(150))
        #expect(outcomes.texts == ["ann answer", "ann answer"])
        try buzz("ann", id: "k1")
        #expect(outcomes.texts.count == 3)
        #expect(try session().seq == 2)
        expectReplays()
    }

    @Test func `an event that is meant for an entry is checked again when the window ends`() throws
    {
        let entry = try session().entry
        try buzz("ann", entry: entry)
        try buzz("bob", entry: entry)
        fixture.advance(by: .milliseconds(150))
        #expect(outcomes.texts == ["ann answer", "bob stale"])
        expectReplays()
    }

    @Test func `more events than the limit are refused`() throws {
        for number in 0...Sessions.collectedLimit { try buzz("p\(number)") }
        #expect(outcomes.texts == ["p256 limit"])
        fixture.advance(by: .milliseconds(150))
        #expect(outcomes.texts.count == 257)
        expectReplays()
    }

    @Test func `nothing of a waiting event is recorded, and it can be given up`() throws {
        let rows = fixture.rows.count
        try buzz("ann")
        #expect(fixture.rows.count == rows)
        fixture.sessions.abandonCollecting()
        #expect(outcomes.texts == ["ann given up"])
        fixture.advance(by: .milliseconds(150))
        #expect(try state() == "question")
        try buzz("bob")
        fixture.sessions.endCollecting()
        #expect(outcomes.texts.last == "bob answer")
        expectReplays()
    }

    @Test(arguments: seeds(20))
    func `the order is that of the presses, whatever the network does`(_ seed: UInt64) throws {
        var random = SeededRandom(seed)
        let presses = (0..<12).map { ("p\($0)", at: random.below(100)) }
        let arrivals = presses.map { press in
            (press, at: press.at + random.below(30))
        }.sorted { $0.at < $1.at }
        fixture.advance(by: .milliseconds(1))
        var now = 0
        for (press, at) in arrivals {
            fixture.advance(by: .milliseconds(at - now))
            now = at
            try buzz(press.0, ageMs: at - press.at)
        }
        fixture.advance(by: .milliseconds(200))
        let first = presses.map(\.at).min()
        let winner = try #require(
            presses.first { outcomes.texts.first == "\($0.0) answer" })
        #expect(winner.at == first, "seed \(seed)")
        expectReplays()
    }
}
