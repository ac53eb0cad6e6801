import GameFlow
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

/// Code that calls the sessions, or sends to a machine, from where it is called itself.
@Suite struct ReentrancyTests {
    /// A watcher that does something when it is told of a change.
    private final class Answering: Watcher {
        private(set) var kinds: [String] = []
        private let answer: (Change) -> Void

        init(_ answer: @escaping (Change) -> Void) { self.answer = answer }

        func notify(_ notification: Notification) {
            guard case .change(let change) = notification.content else { return }
            kinds.append("\(change.seq) \(change.kind.rawValue)")
            answer(change)
        }

        func ended(_ session: SessionName) {}
    }

    @Test func `an event sent by a subscriber during a notification is a later change`() throws {
        let house = SessionsFixture()
        try house.open()
        var refusals = 0
        let watcher = Answering { change in
            guard change.seq == 2 else { return }
            do { try house.send("dismissHelp") } catch { refusals += 1 }
        }
        let later = Answering { _ in }
        _ = try house.sessions.watch(.session(.main), by: watcher)
        _ = try house.sessions.watch(.session(.main), by: later)
        try house.send("displayHelp")
        #expect(refusals == 0)
        #expect(watcher.kinds == ["2 enter", "3 enter"])
        #expect(later.kinds == ["2 enter", "3 enter"], "everybody is told in the same order")
        house.expectNothingLeft()
    }

    @Test func `a subscriber can close the session during a notification`() throws {
        let house = SessionsFixture()
        try house.open()
        let watcher = Answering { change in
            guard change.kind == .enter, let session = try? house.session() else { return }
            _ = try? house.sessions.close(session, RequestContext(from: SessionsFixture.player))
        }
        _ = try house.sessions.watch(.session(.main), by: watcher)
        try house.send("displayHelp")
        #expect(watcher.kinds == ["2 enter", "3 close"])
        #expect(house.sessions.count == 0)
        house.expectNothingLeft()
    }

    /// Calls the sessions from inside a step: from the delegate of a machine's published state.
    @Test(arguments: ["send", "goto", "open", "close", "operate"])
    func `a call during a step is an error with a name and never traps`(_ call: String) throws {
        let house = SessionsFixture()
        let session = try house.open()
        var refusals: [RequestError] = []
        let context = RequestContext(from: SessionsFixture.player)
        let observation = try session.machine.observe(as: Game.self) { place in
            guard place.state == "help" else { return }
            do throws(RequestError) {
                switch call {
                case "send": try house.sessions.send("dismissHelp", to: session, context)
                case "goto": try house.sessions.goto("introduction", [], session, context)
                case "open": _ = try house.sessions.open(SessionName("b")!, house.flow, context)
                case "close": try house.sessions.close(session, context)
                default:
                    try house.sessions.operate(TimerOperation("x", .pause), on: session, context)
                }
            } catch { refusals.append(error) }
        }
        try house.send("displayHelp")
        #expect(refusals == [.limit(which: "nestedCalls", limit: 0)])
        #expect(session.machine.place.state == "help")
        #expect(house.sessions.count == 1)
        withExtendedLifetime(observation) {}
        house.expectNothingLeft()
    }

    @Test func `an event posted by an observer is processed after the step`() throws {
        let house = SessionsFixture()
        let session = try house.open()
        let observation = try session.machine.observe(as: Game.self) {
            [unowned machine = session.machine] place in
            guard place.state == "help" else { return }
            machine.post("dismissHelp", [], from: SessionsFixture.player)
        }
        let change = try house.send("displayHelp")
        #expect(change.seq == 2)
        #expect(session.seq == 3)
        #expect(session.machine.place.state == "introduction")
        withExtendedLifetime(observation) {}
        house.expectNothingLeft()
    }

    @Test func `an event posted outside of a call is processed immediately`() throws {
        let house = SessionsFixture()
        let session = try house.open()
        session.machine.post("displayHelp", [], from: SessionsFixture.player)
        #expect(session.seq == 2)
        #expect(session.machine.place.state == "help")
        house.expectNothingLeft()
    }
}
