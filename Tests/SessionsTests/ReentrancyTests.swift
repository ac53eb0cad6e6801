import GameFlow
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

/// Calls of `Sessions` and of machines from inside their own callbacks.
@Suite struct ReentrancyTests {
    /// A watcher that calls a closure for each change.
    private final class CallbackWatcher: Watcher {
        private(set) var kinds: [String] = []
        private let onChange: (Change) -> Void

        init(_ onChange: @escaping (Change) -> Void) { self.onChange = onChange }

        func notify(_ notification: Notification) {
            guard case .change(let change) = notification.content else { return }
            kinds.append("\(change.seq) \(change.kind.name)")
            onChange(change)
        }

        func ended(_ session: SessionName) {}
    }

    @Test func `an event sent by a watcher during a notification makes a later change`() throws {
        let fixture = SessionsFixture()
        try fixture.open()
        var refusals = 0
        let watcher = CallbackWatcher { change in
            guard change.seq == 2 else { return }
            do { try fixture.send("dismissHelp") } catch { refusals += 1 }
        }
        let secondWatcher = CallbackWatcher { _ in }
        _ = try fixture.sessions.watch(.session(.main), by: watcher)
        _ = try fixture.sessions.watch(.session(.main), by: secondWatcher)
        try fixture.send("displayHelp")
        #expect(refusals == 0)
        #expect(watcher.kinds == ["2 enter", "3 enter"])
        #expect(secondWatcher.kinds == ["2 enter", "3 enter"], "the watchers got different orders")
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a watcher can close the session during a notification`() throws {
        let fixture = SessionsFixture()
        try fixture.open()
        let watcher = CallbackWatcher { change in
            guard change.kind == .enter, let session = try? fixture.session() else { return }
            _ = try? fixture.sessions.close(session, RequestContext(from: SessionsFixture.player))
        }
        _ = try fixture.sessions.watch(.session(.main), by: watcher)
        try fixture.send("displayHelp")
        #expect(watcher.kinds == ["2 enter", "3 close"])
        #expect(fixture.sessions.count == 0)
        fixture.closeAllAndExpectNoTimers()
    }

    /// An observer of the machine's state makes the calls, because the machine calls its observers during a step.
    @Test(arguments: ["send", "goto", "open", "close", "operate"])
    func `a call of Sessions during a step is refused with an error and never traps`(
        _ call: String
    ) throws {
        let fixture = SessionsFixture()
        let session = try fixture.open()
        var refusals: [RequestError] = []
        let context = RequestContext(from: SessionsFixture.player)
        let observation = try session.machine.observe(as: Game.self) { place in
            guard place.state == "help" else { return }
            do throws(RequestError) {
                switch call {
                case "send": try fixture.sessions.send("dismissHelp", to: session, context)
                case "goto": try fixture.sessions.goto("introduction", [], session, context)
                case "open": _ = try fixture.sessions.open(SessionName("b")!, fixture.flow, context)
                case "close": try fixture.sessions.close(session, context)
                default:
                    try fixture.sessions.operate(TimerOperation("x", .pause), on: session, context)
                }
            } catch { refusals.append(error) }
        }
        try fixture.send("displayHelp")
        #expect(refusals == [.limit(which: "nestedCalls", limit: 0)])
        #expect(session.machine.place.state == "help")
        #expect(fixture.sessions.count == 1)
        withExtendedLifetime(observation) {}
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `an event posted by an observer is processed after the step`() throws {
        let fixture = SessionsFixture()
        let session = try fixture.open()
        let observation = try session.machine.observe(as: Game.self) {
            [unowned machine = session.machine] place in
            guard place.state == "help" else { return }
            machine.post("dismissHelp", [], from: SessionsFixture.player)
        }
        let change = try fixture.send("displayHelp")
        #expect(change.seq == 2)
        #expect(session.seq == 3)
        #expect(session.machine.place.state == "introduction")
        withExtendedLifetime(observation) {}
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `an event posted outside of a call is processed immediately`() throws {
        let fixture = SessionsFixture()
        let session = try fixture.open()
        session.machine.post("displayHelp", [], from: SessionsFixture.player)
        #expect(session.seq == 2)
        #expect(session.machine.place.state == "help")
        fixture.closeAllAndExpectNoTimers()
    }
}
