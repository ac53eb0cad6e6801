public import GameFlow
internal import Timers

/// Load the account, welcome the user, identify the device. The flow is written as a handler: the function
/// `handle` assigns the next state to `current.state`.
///
/// Two things can happen in almost every state. The connection can be lost: the flow waits in `offline`, and returns to
/// the earlier state when the connection is restored. The access token can be revoked: this ends the flow.
public struct Onboarding: HandlerFlow, DefaultFlow {
    public var name: String { "onboarding" }
    public var initial: StateName { .accountLoader }
    public var finals: [StateName] { [.performDeviceChecks, .loggedOut] }

    public var times = Times()

    public init() {}

    /// How long the account loader may take, and the period of connection checks; see `settings`.
    public struct Times {
        public var loader = Duration.seconds(20)
        public var probe = Duration.seconds(5)
    }

    public var settings: [FlowSetting<Onboarding>] {
        [FlowSetting("loader", \.times.loader), FlowSetting("probe", period: \.times.probe)]
    }

    public enum StateName: String, CaseIterable, Sendable {
        case accountLoader, welcome, deviceIdentification, performDeviceChecks, error, offline
        case loggedOut
    }

    /// The states to which the flow can return when the connection is restored, as the data of `offline`.
    public enum Resumable: Equatable, Sendable {
        case accountLoader, welcome, deviceIdentification
        case error(message: String)
    }

    /// The states with their data. `→` lists the states that may follow.
    public enum State: Sendable {
        /// → welcome, error, offline, loggedOut
        case accountLoader
        /// → deviceIdentification, offline, loggedOut
        case welcome
        /// → performDeviceChecks, offline, loggedOut
        case deviceIdentification
        /// The end: the device is identified. `cmMac` is its hardware address.
        case performDeviceChecks(cmMac: String)
        /// → accountLoader, offline, loggedOut
        case error(message: String)
        /// → accountLoader, welcome, deviceIdentification, error, loggedOut
        case offline(resume: Resumable)
        /// The end.
        case loggedOut
    }

    public enum Event: FlowEvent, Equatable, Sendable {
        public typealias Effect = Onboarding.Effect
        case accountLoaderFinished, startFlowTapped
        case deviceWasIdentified(cmMac: String)
        case retry, connectivityLost, serversDown, connectivityRestored, accessTokenRevoked
        case due(Signal)
    }

    public enum Signal: UInt8, CaseIterable, Sendable { case loaderTimedOut, probe }

    public enum Effect: String, FlowEffect, Sendable { case checkConnection }

    public var events: [EventSchema<Event>] {
        [
            EventSchema(.accountLoaderFinished), EventSchema(.startFlowTapped),
            EventSchema(Event.deviceWasIdentified, samples: [Self.exampleMac]), EventSchema(.retry),
            EventSchema(.connectivityLost), EventSchema(.serversDown),
            EventSchema(.connectivityRestored), EventSchema(.accessTokenRevoked),
        ]
    }

    public func handle(_ event: Event, _ current: inout Current) throws(Reason) {
        switch (current.state, event) {
        case (_, .accessTokenRevoked): current.state = .loggedOut
        case (.accountLoader, .accountLoaderFinished): current.state = .welcome
        case (.accountLoader, .due(.loaderTimedOut)):
            current.state = .error(message: "account loader timed out")
        case (.welcome, .startFlowTapped): current.state = .deviceIdentification
        case (.deviceIdentification, .deviceWasIdentified(let cmMac)):
            current.state = .performDeviceChecks(cmMac: try Self.canonicalMac(cmMac))
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
        case .accountLoader: [.countdown(times.loader, sends: .loaderTimedOut)]
        case .offline: [.pendulum(times.probe, sends: .probe)]
        default: []
        }
    }

    /// Converts a state to a `Resumable`; nil for `offline` and the final states, to which the flow does not return.
    private func resumable(_ state: State) -> Resumable? {
        switch state {
        case .accountLoader: .accountLoader
        case .welcome: .welcome
        case .deviceIdentification: .deviceIdentification
        case .error(let message): .error(message: message)
        case .performDeviceChecks, .offline, .loggedOut: nil
        }
    }

    /// The state to enter when the connection is restored.
    private func state(_ resume: Resumable) -> State {
        switch resume {
        case .accountLoader: .accountLoader
        case .welcome: .welcome
        case .deviceIdentification: .deviceIdentification
        case .error(let message): .error(message: message)
        }
    }
}

extension Onboarding {
    /// An example of a device's hardware address, for tools such as lint, which try the flow with it.
    static let exampleMac = "00:1A:2B:3C:4D:5E"

    /// Returns a hardware address in upper case, with `:`. Throws unless the given address consists of six octets that are
    /// joined by `:` or by `-`.
    static func canonicalMac(_ cmMac: String) throws(Reason) -> String {
        let separator: Character = cmMac.contains("-") ? "-" : ":"
        let octets = cmMac.split(separator: separator, omittingEmptySubsequences: false)
        let isHex = octets.allSatisfy {
            $0.utf8.count == 2 && $0.allSatisfy { $0.isASCII && $0.isHexDigit }
        }
        guard octets.count == 6, isHex else {
            throw .invalid("cmMac", "not six hexadecimal octets joined by : or -")
        }
        return octets.map { $0.uppercased() }.joined(separator: ":")
    }

    /// The name of a state to which the flow can return: the value of `resume` in the data of `offline`.
    private enum ResumeName: String, CaseIterable, Argument {
        case accountLoader, welcome, deviceIdentification, error
    }

    public func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .accountLoader: StateDescription(.accountLoader)
        case .welcome: StateDescription(.welcome)
        case .deviceIdentification: StateDescription(.deviceIdentification)
        case .performDeviceChecks(let cmMac):
            StateDescription(.performDeviceChecks, [Member("cmMac", cmMac)])
        case .error(let message): StateDescription(.error, [Member("message", message)])
        case .offline(let resume): StateDescription(.offline, data(resume))
        case .loggedOut: StateDescription(.loggedOut)
        }
    }

    /// The data of the state `offline`.
    private func data(_ resume: Resumable) -> [Member] {
        switch resume {
        case .accountLoader: [Member("resume", ResumeName.accountLoader.value)]
        case .welcome: [Member("resume", ResumeName.welcome.value)]
        case .deviceIdentification: [Member("resume", ResumeName.deviceIdentification.value)]
        case .error(let message):
            [Member("resume", ResumeName.error.value), Member("message", message)]
        }
    }

    public func entering(_ name: StateName, _ data: Arguments) throws(Reason)
        -> Transition<Onboarding>
    {
        switch name {
        case .accountLoader: return enter(.accountLoader)
        case .welcome: return enter(.welcome)
        case .deviceIdentification: return enter(.deviceIdentification)
        case .performDeviceChecks:
            let cmMac: String = try data("cmMac", samples: [Self.exampleMac])
            return enter(.performDeviceChecks(cmMac: try Self.canonicalMac(cmMac)))
        case .error: return enter(.error(message: try data("message")))
        case .offline: return enter(.offline(resume: try resumable(data)))
        case .loggedOut: return enter(.loggedOut)
        }
    }

    /// Reads in the data of `offline` to which state the flow returns. `error` has a message, and no other state has one.
    private func resumable(_ data: Arguments) throws(Reason) -> Resumable {
        let resume: ResumeName = try data("resume")
        let message: String? = try data.optional("message")
        switch (resume, message) {
        case (.error, let message?): return .error(message: message)
        case (.error, nil): throw .invalid("message", "missing")
        case (_, .some): throw .invalid("message", "allowed only with an error")
        case (.accountLoader, nil): return .accountLoader
        case (.welcome, nil): return .welcome
        case (.deviceIdentification, nil): return .deviceIdentification
        }
    }
}
