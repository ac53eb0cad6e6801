public import GameFlow
internal import Timers

/// Load the account, welcome, identify the device: written as a handler against the published current
/// state, which whoever observes a machine gets first, and then each change of it.
///
/// Two things may happen almost anywhere: the connection is lost, and comes back to where it was lost;
/// and the access token is revoked, which ends all.
public struct Onboarding: HandlerFlow {
    public var name: String { "onboarding" }
    public var initial: StateName { .accountLoader }
    public var finals: [StateName] { [.performDeviceChecks, .loggedOut] }

    public init() {}

    enum Times {
        static let loader = Duration.seconds(20)
        static let probe = Duration.seconds(5)
    }

    public enum StateName: String, CaseIterable, Sendable {
        case accountLoader, welcome, deviceIdentification, performDeviceChecks, error, offline
        case loggedOut
    }

    /// The states that can be gone back to when the connection is there again.
    public enum Resumable: Equatable, Sendable {
        case accountLoader, welcome, deviceIdentification
        case error(message: String)
    }

    public enum State {
        /// → welcome, error, offline, loggedOut
        case accountLoader
        /// → deviceIdentification, offline, loggedOut
        case welcome
        /// → performDeviceChecks, offline, loggedOut
        case deviceIdentification
        /// The end: what the device is, is known.
        case performDeviceChecks(cmMac: String)
        /// → accountLoader, offline, loggedOut
        case error(message: String)
        /// → accountLoader, welcome, deviceIdentification, error, loggedOut
        case offline(resume: Resumable)
        /// The end.
        case loggedOut
    }

    public enum Event: FlowEvent {
        public typealias Effect = Onboarding.Effect
        case accountLoaderFinished, startFlowTapped
        case deviceWasIdentified(cmMac: String)
        case retry, connectivityLost, serversDown, connectivityRestored, accessTokenRevoked
        case due(Signal)
    }

    public enum Signal: UInt8, CaseIterable { case loaderTimedOut, probe }

    public enum Effect: String, FlowEffect { case checkConnection }

    public var events: [EventSchema<Event>] {
        [
            EventSchema(.accountLoaderFinished), EventSchema(.startFlowTapped),
            EventSchema(Event.deviceWasIdentified, samples: [Self.exampleMac]), EventSchema(.retry),
            EventSchema(.connectivityLost), EventSchema(.serversDown),
            EventSchema(.connectivityRestored), EventSchema(.accessTokenRevoked),
        ]
    }

    public func handle(_ event: Event, _ current: inout Published<Onboarding>) throws(Reason) {
        switch (current.state, event) {
        case (_, .accessTokenRevoked): current.state = .loggedOut
        case (.accountLoader, .accountLoaderFinished): current.state = .welcome
        case (.accountLoader, .due(.loaderTimedOut)):
            current.state = .error(message: "account loader timed out")
        case (.welcome, .startFlowTapped): current.state = .deviceIdentification
        case (.deviceIdentification, .deviceWasIdentified(let cmMac)):
            current.state = .performDeviceChecks(cmMac: try Self.canonical(cmMac))
        case (.error, .retry): current.state = .accountLoader
        case (.offline(let resume), .connectivityRestored): current.state = state(resume)
        case (.offline, .due(.probe)): current.ask(.checkConnection)
        case (let state, .connectivityLost), (let state, .serversDown):
            guard let resume = resumable(state) else { throw .noTransition }
            current.state = .offline(resume: resume)
        default: throw .noTransition
        }
    }

    public func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        switch state {
        case .accountLoader: [.countdown(Times.loader, sends: .loaderTimedOut)]
        case .offline: [.pendulum(Times.probe, sends: .probe)]
        default: []
        }
    }

    private func resumable(_ state: State) -> Resumable? {
        switch state {
        case .accountLoader: .accountLoader
        case .welcome: .welcome
        case .deviceIdentification: .deviceIdentification
        case .error(let message): .error(message: message)
        case .performDeviceChecks, .offline, .loggedOut: nil
        }
    }

    private func state(_ resume: Resumable) -> State {
        switch resume {
        case .accountLoader: .accountLoader
        case .welcome: .welcome
        case .deviceIdentification: .deviceIdentification
        case .error(let message): .error(message: message)
        }
    }
}
