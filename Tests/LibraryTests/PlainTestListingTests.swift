import GameFlow
import GameFlowTesting
import ShippedFlows
import Testing
import Timers

private enum Screen: Equatable { case login, createProfile, finished }
private enum Action { case next, timedOut }

/// A view that sends an event to a machine or to a spy; it does not know which.
private struct NextButton {
    func tap(_ machine: some MachineProtocol<Screen, Action>) {
        _ = try? machine.send(.next)
    }
}

/// Tests of machines that have no flow type.
@Suite struct PlainTestListingTests {
    private func newTest() -> PlainMachineTest<Screen, Action> {
        PlainMachineTest { clock in
            let machine = StateMachine<Screen, Action>(
                initial: .login, on: clock,
                reduce: { state, action in
                    switch (state, action) {
                    case (.login, .next): .createProfile
                    case (.createProfile, .next): .finished
                    case (.createProfile, .timedOut): .login
                    default: nil
                    }
                })
            machine.timers { state in
                state == .createProfile ? [.countdown(.seconds(30), sends: .timedOut)] : []
            }
            return machine
        }
    }

    @Test func `a machine without a flow type is tested in virtual time`() throws {
        let test = newTest()
        try test.send(.next)
        test.expect(.createProfile)
        test.expectTimers(1)
        test.after(.seconds(30))
        test.expect(.login)
        test.expectRefusal(.timedOut, .noTransition)
        try test.send(.next)
        try test.send(.next)
        test.expect("a state without timers") { $0 == .finished }
        test.expectTimers(0)
    }

    @Test func `a failed expectation prints the history`() throws {
        let test = newTest()
        try test.send(.next)
        withKnownIssue {
            test.expect(.finished)
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return text.contains("expected finished, found createProfile")
                && text.contains("send next") && text.contains("login → createProfile")
        }
        withKnownIssue { test.expectTimers(2) }
        withKnownIssue { test.expectRefusal(.next) }
        withKnownIssue { test.expectRefusal(.next, .stale) }
    }

    @Test func `a spy replaces a machine without a flow type`() {
        let spy = PlainSpyMachine(Screen.login, receiving: Action.self)
        NextButton().tap(spy)
        #expect(spy.received == [.next] && spy.state == .login)
        spy.refuse = { _ in .noTransition }
        #expect(!spy.can(.next))
        #expect(throws: Refusal<Screen, Action>.self) { try spy.send(.next) }
        spy.state = .finished
        #expect(spy.state == .finished)
    }

    @Test func `a flow has a short name for its refusals`() {
        let game = StateMachine(Game(), on: VirtualClock())
        do throws(Game.Refusal) {
            try game.send(.pause)
            Issue.record("accepted")
        } catch { #expect(error.reason == .noTransition) }
    }
}
