import GameFlow
import Testing
import Timers

private enum AppState: Equatable {
    case launching, hydrating, failed
    case ready(userID: String)
}
private enum AppEvent {
    case didLaunch, hydrateTimedOut
    case done(String)
}
private enum Screen { case login, createProfile, finished }
private enum Action { case next, login }
private enum Onboarding { case accountLoader, welcome, deviceIdentification }
private enum OnboardingEvent { case accountLoaderFinished }
private enum Prompt: CaseIterable { case initial, locationAsk, granted }

private final class Delegate: MachineDelegate {
    var entered: [Prompt] = []
    func shouldTransition(from: Prompt, to: Prompt) -> Bool { to != .granted }
    func didTransition(from: Prompt, to: Prompt) { entered.append(to) }
}

/// Machines without a flow type, which are made of a reducer, a table, a handler or a delegate.
@Suite struct ConstructorListingTests {
    private let clock = VirtualClock()

    private final class Log { var lines: [String] = [] }

    private func startup(_ log: Log, unhandled: UnhandledEventPolicy = .ignore)
        -> StateMachine<AppState, AppEvent>
    {
        StateMachine(
            initial: AppState.launching, on: clock,
            reduce: { (state: AppState, event: AppEvent) -> AppState? in
                switch (state, event) {
                case (.launching, .didLaunch): .hydrating
                case (.hydrating, .hydrateTimedOut): .failed
                case (.hydrating, .done(let id)): .ready(userID: id)
                default: nil
                }
            },
            validators: [{ from, event, to in to != .ready(userID: "") }],
            hooks: [
                Hook(
                    will: { from, event, to in
                        if to == .ready(userID: "root") { throw .hookRefused("no root") }
                    }, did: { from, event, to in log.lines.append("\(from) \(event) \(to)") })
            ],
            unhandled: unhandled)
    }

    @Test func `a machine with a reducer can have validators, hooks, a policy and timers`() throws {
        let log = Log()
        let startup = startup(log)
        startup.timers { state in
            state == .hydrating ? [.countdown(.seconds(10), sends: .hydrateTimedOut)] : []
        }
        try startup.send(.done("x"))
        #expect(startup.state == .launching)
        try startup.send(.didLaunch)
        #expect(startup.timers.map(\.remaining) == [.seconds(10)])
        #expect(!startup.can(.done("")))
        do { try startup.send(.done("")) } catch { #expect(error.reason.code == .invalid) }
        do { try startup.send(.done("root")) } catch {
            #expect(error.reason == .hookRefused("no root"))
        }
        #expect(startup.state == .hydrating)
        #expect(startup.timers.map(\.remaining) == [.seconds(10)])
        clock.advance(by: .seconds(10))
        #expect(startup.state == .failed)
        #expect(log.lines == ["launching didLaunch hydrating", "hydrating hydrateTimedOut failed"])
        #expect(clock.pending.isEmpty)
    }

    @Test func `with the policy throw, nil from the reducer is an error`() throws {
        let startup = startup(Log(), unhandled: .throw)
        do {
            try startup.send(.done("x"))
            Issue.record("taken")
        } catch { #expect(error.reason == .noTransition) }
        #expect(clock.pending.isEmpty)
    }

    @Test func `a timer of a state that was left does not fire, and a new entry has a new timer`()
        throws
    {
        let startup = startup(Log())
        startup.timers { state in
            state == .hydrating ? [.pendulum(.seconds(10), sends: .hydrateTimedOut)] : []
        }
        startup.start(at: .hydrating)
        clock.advance(by: .seconds(9))
        startup.start(at: .hydrating)
        clock.advance(by: .seconds(9))
        #expect(startup.state == .hydrating)
        startup.start(at: .launching)
        #expect(clock.pending.isEmpty)
    }

    @Test func `a table is filled by subscript`() {
        let registration = StateMachine<Screen, Action>(initial: .login, on: clock)
        registration[.login] = [.next: .createProfile, .login: .finished]
        #expect(registration[.login][.next] == .createProfile)
        #expect(registration[.finished].isEmpty)
        #expect(registration.transition(.next) == .createProfile)
        #expect(registration.transition(.next) == nil)
        #expect(registration.state == .createProfile)
        #expect(clock.pending.isEmpty)
    }

    @Test func `a handler assigns the state, and its machine can start at any state`() throws {
        let onboarding = StateMachine<Onboarding, OnboardingEvent>(
            initial: .accountLoader, on: clock
        ) { state, event in
            switch (state, event) {
            case (.accountLoader, .accountLoaderFinished): state = .welcome
            default: throw .noTransition
            }
        }
        try onboarding.send(.accountLoaderFinished)
        #expect(onboarding.state == .welcome)
        do {
            try onboarding.send(.accountLoaderFinished)
            Issue.record("taken")
        } catch {
            #expect(error.reason == .noTransition)
            #expect(error.state == .welcome)
        }
        onboarding.start(at: .deviceIdentification)
        #expect(onboarding.state == .deviceIdentification)
        #expect(clock.pending.isEmpty)
    }

    @Test func `a delegate is called and held weakly, and after its release everything is refused`()
        throws
    {
        var delegate: Delegate? = Delegate()
        let permissions = StateMachine(
            initial: Prompt.initial, delegate: try #require(delegate), on: clock)
        permissions.state = .granted
        #expect(permissions.state == .initial)
        permissions.state = .locationAsk
        #expect(permissions.state == .locationAsk)
        #expect(delegate?.entered == [.locationAsk])
        do {
            try permissions.enter(.granted)
            Issue.record("entered")
        } catch { #expect(error.event == .granted) }
        #expect(permissions.mayFollow == [.initial, .locationAsk])
        delegate = nil
        #expect(permissions.mayFollow.isEmpty)
        permissions.state = .initial
        #expect(permissions.state == .locationAsk)
        #expect(clock.pending.isEmpty)
    }

    @Test func `a hook can send an event to another machine`() throws {
        let otherMachine = StateMachine<Int, Int>(initial: 0, on: clock) { state, event in
            state += event
        }
        var isAccepted = false
        let machineWithHook = StateMachine<Int, Int>(
            initial: 0, on: clock, reduce: { state, event in state + event },
            hooks: [
                Hook(did: { _, _, to in
                    if to == 1 { isAccepted = (try? otherMachine.send(5)) != nil }
                })
            ])
        try machineWithHook.send(1)
        #expect(isAccepted)
        #expect(otherMachine.state == 5)
        #expect(clock.pending.isEmpty)
    }
}
