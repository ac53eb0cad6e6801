import GameFlow
import Testing
import Timers

/// The listings of the page "From GKStateMachine", in the order of the page.
@Suite struct MigrationListingTests {
    fileprivate enum Guard { case patrolling, chasing, hurt }

    fileprivate final class Rules: MachineDelegate {
        func shouldTransition(from old: Guard, to new: Guard) -> Bool {
            switch (old, new) {
            case (.patrolling, .chasing), (.chasing, .patrolling), (.chasing, .hurt): true
            default: false
            }
        }
    }

    private enum Sight: Equatable { case playerSeen, playerLost }
    private enum Alert {
        case patrolling
        case chasing(Countdown)
    }

    @Test func `a delegate says which state may follow`() {
        let rules = Rules()
        let guardian = StateMachine(initial: Guard.patrolling, delegate: rules)
        guardian.state = .hurt
        #expect(guardian.state == .patrolling)
        guardian.state = .chasing
        #expect(guardian.state == .chasing)
    }

    @Test func `a countdown in the state replaces a count of frames`() throws {
        let clock = VirtualClock()
        // swift-format-ignore: OnlyOneTrailingClosureArgument
        let guardian = StateMachine<Alert, Sight>(initial: { _ in .patrolling }, on: clock) {
            state, event, entry throws(Reason) in
            switch (state, event) {
            case (.patrolling, .playerSeen):
                .enter(.chasing(entry.countdown(.seconds(5), sends: .playerLost)))
            case (.chasing, .playerLost): .enter(.patrolling)
            default: throw .noTransition
            }
        }
        try guardian.send(.playerSeen)
        // A frame of a scene.
        for _ in 0..<300 { clock.advance(by: .milliseconds(17)) }
        guard case .patrolling = guardian.state else {
            Issue.record("\(guardian.state)")
            return
        }
        #expect(clock.pending.isEmpty)
    }

    private enum AppState: Equatable {
        case launching
        case ready(userID: String)

        static func reduce(_ state: AppState, _ event: AppEvent) -> AppState? {
            switch (state, event) {
            case (.launching, .loaded(let userID)): .ready(userID: userID)
            default: nil
            }
        }
    }
    private enum AppEvent {
        case loaded(userID: String)
        case logout
    }

    @Test func `the reducer of an article moves as it is`() throws {
        let clock = VirtualClock()
        let startup = StateMachine(
            initial: AppState.launching, on: clock, reduce: AppState.reduce,
            validators: [{ _, _, to in to != .ready(userID: "") }], unhandled: .ignore)
        #expect(try startup.send(.logout) == .launching)
        #expect(throws: (any Error).self) { try startup.send(.loaded(userID: "")) }
        #expect(try startup.send(.loaded(userID: "ann")) == .ready(userID: "ann"))
    }

    private enum Page: Hashable { case login, createProfile, finished }
    private enum Tap: Hashable { case next, login }

    @Test func `the table of an article moves as it is`() {
        let registration = StateMachine<Page, Tap>(initial: .login)
        registration[.login] = [.next: .createProfile, .login: .finished]
        #expect(registration.transition(.next) == .createProfile)
    }
}
