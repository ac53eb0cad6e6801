public import GameFlow
internal import Timers

/// Launch, load the session, log in, be ready. The flow is written as a truth table, with functions for effects,
/// validation and deferred events.
///
/// The flow shows how to handle a link that arrives too early. Only `ready` and `showing` take a `deepLink`; other states
/// defer the event. Whenever a state is entered, the state gets the deferred event before any new event. The link is
/// therefore not lost, and no later event overtakes it.
///
/// Clients load, validate, log in and synchronize: the flow requests the work with an effect, and a client answers with
/// an event. There is no ready state without a user.
public struct Startup: ReducerFlow, DefaultFlow {
    public var name: String { "startup" }
    public var initial: StateName { .launching }

    public var times = Times()

    public init() {}

    /// The times of the states' timers, and the period of synchronization. `hydrate` is the time to load the user's session of
    /// the app. The constants are not settings.
    public struct Times {
        public var launch = Duration.seconds(5)
        public var hydrate = Duration.seconds(10)
        public var login = Duration.seconds(30)
        public var sync = Duration.seconds(60)
        static let validation = Duration.seconds(10)
        static let acknowledgement = Duration.seconds(30)
    }

    public var settings: [FlowSetting<Startup>] {
        [
            FlowSetting("launch", \.times.launch), FlowSetting("hydrate", \.times.hydrate),
            FlowSetting("login", \.times.login), FlowSetting("sync", period: \.times.sync),
        ]
    }

    public enum StateName: String, CaseIterable, Sendable {
        case launching, hydrating, needsLogin, authenticating, ready, showing, error
        case validating, syncing
    }

    /// The states with their data. `→` lists the states that may follow.
    public enum State: Equatable, Sendable {
        /// → hydrating, error
        case launching
        /// The user's session of the app is being loaded.
        /// → ready, needsLogin, validating, error
        case hydrating
        /// → authenticating
        case needsLogin
        /// A client logs the user in.
        /// → ready, error
        case authenticating
        /// → showing, syncing, needsLogin
        case ready(userID: String)
        /// The screen to which a link leads is shown.
        /// → showing, ready, needsLogin
        case showing(userID: String, link: String)
        /// → hydrating
        case error(message: String)
        /// A token was found, and is being checked.
        /// → ready, error
        case validating
        /// A synchronization was requested and waits for its acknowledgement.
        /// → ready, needsLogin, error
        case syncing(userID: String)
    }

    public enum Event: FlowEvent, Equatable, Sendable {
        public typealias Effect = Startup.Effect
        case didLaunch
        case hydrateSucceeded(hasSession: Bool)
        case loginRequested
        case loginSucceeded(userID: String)
        case loginFailed(message: String)
        case retry, logout
        case deepLink(link: String)
        case closeLink
        case tokenFound
        case tokenAccepted(userID: String)
        case tokenRejected(message: String)
        case syncRequested, syncAcknowledged
        case syncFailed(message: String)
        case due(Signal)
    }

    public enum Signal: UInt8, CaseIterable, Sendable {
        case launchTimedOut, hydrateTimedOut, loginTimedOut, sync, validationTimedOut, syncTimedOut
    }

    public enum Effect: String, FlowEffect, Sendable {
        case loadSession, authenticate, openLink, synchronize, validateToken
    }

    public var events: [EventSchema<Event>] {
        [
            EventSchema(.didLaunch), EventSchema(Event.hydrateSucceeded),
            EventSchema(.loginRequested),
            EventSchema(Event.loginSucceeded), EventSchema(Event.loginFailed), EventSchema(.retry),
            EventSchema(.logout), EventSchema(Event.deepLink, samples: [Self.exampleLink]),
            EventSchema(.closeLink), EventSchema(.tokenFound), EventSchema(Event.tokenAccepted),
            EventSchema(Event.tokenRejected), EventSchema(.syncRequested),
            EventSchema(.syncAcknowledged), EventSchema(Event.syncFailed),
        ]
    }

    // A loaded session does not tell who the user is, so `ready` then has the user `unknown-yet`.
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
        case (.hydrating, .tokenFound): .validating
        case (.validating, .tokenAccepted(let userID)): .ready(userID: userID)
        case (.validating, .tokenRejected(let message)): .error(message: message)
        case (.validating, .due(.validationTimedOut)): .error(message: "token validation timed out")
        case (.ready(let userID), .syncRequested): .syncing(userID: userID)
        case (.syncing(let userID), .syncAcknowledged): .ready(userID: userID)
        case (.syncing, .syncFailed(let message)): .error(message: message)
        case (.syncing, .due(.syncTimedOut)): .error(message: "sync timed out")
        case (.syncing, .logout): .needsLogin
        default: nil
        }
    }

    public var invariants: [Invariant<State>] {
        [
            Invariant("a user is known in ready, showing and syncing") { state in
                switch state {
                case .ready(let userID), .showing(let userID, _), .syncing(let userID):
                    !userID.isEmpty
                default: true
                }
            }
        ]
    }

    /// The request to synchronize keeps the state, so that its pendulum runs on.
    public func keeps(_ state: State, _ event: Event) -> Bool {
        if case .due(.sync) = event { true } else { false }
    }

    /// Called only for an event that `reduce` does not take.
    public func defers(_ state: State, _ event: Event) -> Bool {
        if case .deepLink = event { true } else { false }
    }

    public func effect(_ state: State, _ event: Event) -> Effect? {
        switch event {
        case .didLaunch, .retry: .loadSession
        case .loginRequested: .authenticate
        case .deepLink: .openLink
        case .due(.sync), .syncRequested: .synchronize
        case .tokenFound: .validateToken
        default: nil
        }
    }

    public func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        switch state {
        case .launching: [.countdown(times.launch, sends: .launchTimedOut)]
        case .hydrating: [.countdown(times.hydrate, sends: .hydrateTimedOut)]
        case .authenticating: [.countdown(times.login, sends: .loginTimedOut)]
        case .ready, .showing: [.pendulum(times.sync, sends: .sync)]
        case .validating: [.countdown(Times.validation, sends: .validationTimedOut)]
        case .syncing: [.countdown(Times.acknowledgement, sends: .syncTimedOut)]
        case .needsLogin, .error: []
        }
    }
}

extension Startup {
    // MARK: validators

    public func validate(_ event: Event) throws(Reason) {
        switch event {
        case .loginSucceeded(let userID), .tokenAccepted(let userID): try check(userID: userID)
        case .deepLink(let link): try check(link: link)
        default: break
        }
    }

    private func check(userID: String) throws(Reason) {
        guard 1...64 ~= userID.unicodeScalars.count else {
            throw .invalid("userID", "expected 1…64 characters")
        }
    }

    /// An example of a link, for tools such as lint, which try the flow with it.
    static let exampleLink = "app://home"

    /// Throws unless the link is a scheme of RFC 3986, `://` and at least one more character, without white space.
    private func check(link: String) throws(Reason) {
        let scalars = link.unicodeScalars
        let scheme = scalars.prefix { $0 != ":" }
        let afterScheme = scalars.dropFirst(scheme.count)
        guard let first = scheme.first, "a"..."z" ~= first || "A"..."Z" ~= first,
            scheme.allSatisfy({
                $0.isASCII && ($0.properties.isAlphabetic || Self.isDigitOrSign($0))
            }),
            afterScheme.starts(with: "://".unicodeScalars), afterScheme.count > 3,
            !scalars.contains(where: \.properties.isWhitespace)
        else {
            throw .invalid("link", "not a link of the form SCHEME://TEXT without blanks")
        }
    }

    /// Whether the character is one of those that a scheme may contain in addition to letters.
    private static func isDigitOrSign(_ scalar: Unicode.Scalar) -> Bool {
        "0"..."9" ~= scalar || scalar == "+" || scalar == "-" || scalar == "."
    }

    // MARK: names and data

    public func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .launching: StateDescription(.launching)
        case .hydrating: StateDescription(.hydrating)
        case .needsLogin: StateDescription(.needsLogin)
        case .authenticating: StateDescription(.authenticating)
        case .ready(let userID): StateDescription(.ready, [Member("userID", userID)])
        case .showing(let userID, let link):
            StateDescription(.showing, [Member("userID", userID), Member("link", link)])
        case .error(let message): StateDescription(.error, [Member("message", message)])
        case .validating: StateDescription(.validating)
        case .syncing(let userID): StateDescription(.syncing, [Member("userID", userID)])
        }
    }

    public func entering(_ name: StateName, _ data: Arguments) throws(Reason)
        -> Transition<Startup>
    {
        switch name {
        case .launching: return enter(.launching)
        case .hydrating: return enter(.hydrating)
        case .needsLogin: return enter(.needsLogin)
        case .authenticating: return enter(.authenticating)
        case .error: return enter(.error(message: try data("message")))
        case .validating: return enter(.validating)
        case .syncing:
            let userID: String = try data("userID")
            try check(userID: userID)
            return enter(.syncing(userID: userID))
        case .ready:
            let userID: String = try data("userID")
            try check(userID: userID)
            return enter(.ready(userID: userID))
        case .showing:
            let userID: String = try data("userID")
            let link: String = try data("link", samples: [Self.exampleLink])
            try check(userID: userID)
            try check(link: link)
            return enter(.showing(userID: userID, link: link))
        }
    }
}
