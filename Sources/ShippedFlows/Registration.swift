public import GameFlow
internal import Timers

/// Screens in an order that depends on the user: written as a table, assigned by subscript.
///
/// `back` needs no history: the screen that can be reached in two ways says which one it was, and so
/// there is a row for each. Every screen behind the login ends with the session's quarter of an hour.
public struct Registration: TableFlow {
    public static let name = "registration"
    public static let initial = StateName.login
    public static let finals = [StateName.finished]

    public init() {}

    static let sessionTime = Duration.seconds(900)

    public enum StateName: String, CaseIterable, Sendable {
        case login, createProfile, facebookProfile, selectAvatar, termsAndConditions, finished
    }

    /// The screens that lead to the avatar.
    public enum Profile: String, CaseIterable, Argument, Sendable {
        case createProfile, facebookProfile
    }

    public enum State: Hashable, Sendable {
        /// → createProfile, finished
        case login
        /// → selectAvatar, facebookProfile, termsAndConditions, login
        case createProfile
        /// → selectAvatar, termsAndConditions, login
        case facebookProfile
        /// → termsAndConditions, createProfile, facebookProfile, login
        case selectAvatar(from: Profile)
        /// → finished, login
        case termsAndConditions
        /// The end.
        case finished
    }

    public enum Event: FlowEvent, Hashable, Sendable {
        case next, login, facebookRegister, registerLater, back
        case due(Signal)
    }

    public enum Signal: UInt8, CaseIterable, Sendable { case sessionExpired }

    public enum Effect: FlowEffect {
        case show(StateName)
        public var name: String { "show" }
        public var arguments: [Member] {
            switch self {
            case .show(let screen): [Member("state", screen.rawValue)]
            }
        }
    }

    public static let machine = {
        let expired = Event.due(.sessionExpired)
        var machine = TransitionTable<State, Event>()
        machine[.login] = [.next: .createProfile, .login: .finished]
        machine[.createProfile] = [
            .next: .selectAvatar(from: .createProfile), .facebookRegister: .facebookProfile,
            .registerLater: .termsAndConditions, expired: .login,
        ]
        machine[.facebookProfile] = [
            .next: .selectAvatar(from: .facebookProfile), .registerLater: .termsAndConditions,
            expired: .login,
        ]
        machine[.selectAvatar(from: .createProfile)] = [
            .next: .termsAndConditions, .back: .createProfile, expired: .login,
        ]
        machine[.selectAvatar(from: .facebookProfile)] = [
            .next: .termsAndConditions, .back: .facebookProfile, expired: .login,
        ]
        machine[.termsAndConditions] = [.next: .finished, expired: .login]
        return machine
    }()

    public static var events: [EventSchema<Event>] {
        [
            EventSchema(.next), EventSchema(.login), EventSchema(.facebookRegister),
            EventSchema(.registerLater), EventSchema(.back),
        ]
    }

    public func effect(entering state: State) -> Effect? { .show(scene(state).name) }

    public func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        switch state {
        case .createProfile, .facebookProfile, .selectAvatar, .termsAndConditions:
            [.countdown(Self.sessionTime, .sessionExpired)]
        case .login, .finished: []
        }
    }

    public func scene(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .login: StateDescription(.login)
        case .createProfile: StateDescription(.createProfile)
        case .facebookProfile: StateDescription(.facebookProfile)
        case .selectAvatar(let from):
            StateDescription(.selectAvatar, [Member("from", from.rawValue)])
        case .termsAndConditions: StateDescription(.termsAndConditions)
        case .finished: StateDescription(.finished)
        }
    }

    public func entering(_ name: StateName, _ data: Arguments) throws(Reason)
        -> Transition<Registration>
    {
        switch name {
        case .login: enter(nil, .login)
        case .createProfile: enter(nil, .createProfile)
        case .facebookProfile: enter(nil, .facebookProfile)
        case .selectAvatar: enter(nil, .selectAvatar(from: try data("from")))
        case .termsAndConditions: enter(nil, .termsAndConditions)
        case .finished: enter(nil, .finished)
        }
    }
}
