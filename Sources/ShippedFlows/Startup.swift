public import GameFlow
internal import Timers

/// Launch, load the session, log in, be ready: written as a truth table, with its rules beside it.
///
/// It exists for the link that arrives too early: while nobody is ready, a `deepLink` waits, and is
/// offered again after each entry, before anything new. It is neither lost nor able to overtake.
/// Loading and logging in are done outside: the flow asks with an effect, a client answers with an
/// event. Nobody is ready without a user, for `ready` and `showing` have no room for that.
public struct Startup: ReducerFlow {
    public var name: String { "startup" }
    public var initial: StateName { .launching }

    public init() {}

    enum Times {
        static let launch = Duration.seconds(5)
        static let hydration = Duration.seconds(10)
        static let login = Duration.seconds(30)
        static let sync = Duration.seconds(60)
    }

    public enum StateName: String, CaseIterable, Sendable {
        case launching, hydrating, needsLogin, authenticating, ready, showing, error
    }

    public enum State: Equatable {
        /// → hydrating, error
        case launching
        /// → ready, needsLogin, error
        case hydrating
        /// → authenticating
        case needsLogin
        /// → ready, error
        case authenticating
        /// → showing, needsLogin
        case ready(userID: String)
        /// → showing, ready, needsLogin
        case showing(userID: String, link: String)
        /// → hydrating
        case error(message: String)
    }

    public enum Event: FlowEvent {
        public typealias Effect = Startup.Effect
        case didLaunch
        case hydrateSucceeded(hasSession: Bool)
        case loginRequested
        case loginSucceeded(userID: String)
        case loginFailed(message: String)
        case retry, logout
        case deepLink(link: String)
        case closeLink
        case due(Signal)
    }

    public enum Signal: UInt8, CaseIterable {
        case launchTimedOut, hydrateTimedOut, loginTimedOut, sync
    }

    public enum Effect: String, FlowEffect {
        case loadSession, authenticate, openLink, synchronize
    }

    public var events: [EventSchema<Event>] {
        [
            EventSchema(.didLaunch), EventSchema(Event.hydrateSucceeded),
            EventSchema(.loginRequested),
            EventSchema(Event.loginSucceeded), EventSchema(Event.loginFailed), EventSchema(.retry),
            EventSchema(.logout), EventSchema(Event.deepLink, samples: [Self.exampleLink]),
            EventSchema(.closeLink),
        ]
    }

    // swift-format-ignore: a table
    public func reduce(_ state: State, _ event: Event) -> State? {
        switch (state, event) {
        case (.launching, .didLaunch): .hydrating
        case (.launching, .due(.launchTimedOut)): .error(message: "launch timed out")
        case (.hydrating, .hydrateSucceeded(hasSession: true)): .ready(userID: "unknown-yet")
        case (.hydrating, .hydrateSucceeded(hasSession: false)): .needsLogin
        case (.hydrating, .due(.hydrateTimedOut)): .error(message: "hydration timed out")
        case (.needsLogin, .loginRequested): .authenticating
        case (.authenticating, .loginSucceeded(let userID)): .ready(userID: userID)
        case (.authenticating, .loginFailed(let message)): .error(message: message)
        case (.authenticating, .due(.loginTimedOut)): .error(message: "login timed out")
        case (.error, .retry): .hydrating
        case (.ready, .logout), (.showing, .logout): .needsLogin
        case (.ready(let userID), .deepLink(let link)): .showing(userID: userID, link: link)
        case (.showing(let userID, _), .deepLink(let link)): .showing(userID: userID, link: link)
        case (.showing(let userID, _), .closeLink): .ready(userID: userID)
        case (.ready, .due(.sync)), (.showing, .due(.sync)): state
        default: nil
        }
    }

    public func keeps(_ state: State, _ event: Event) -> Bool {
        if case .due(.sync) = event { true } else { false }
    }

    public func defers(_ state: State, _ event: Event) -> Bool {
        if case .deepLink = event { true } else { false }
    }

    public func effect(_ state: State, _ event: Event) -> Effect? {
        switch event {
        case .didLaunch, .retry: .loadSession
        case .loginRequested: .authenticate
        case .deepLink: .openLink
        case .due(.sync): .synchronize
        default: nil
        }
    }

    public func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        switch state {
        case .launching: [.countdown(Times.launch, sends: .launchTimedOut)]
        case .hydrating: [.countdown(Times.hydration, sends: .hydrateTimedOut)]
        case .authenticating: [.countdown(Times.login, sends: .loginTimedOut)]
        case .ready, .showing: [.pendulum(Times.sync, sends: .sync)]
        case .needsLogin, .error: []
        }
    }
}
