public import GameFlow

/// Screens in an order that depends on the user. The flow is written as a table, whose rows are assigned by subscript.
///
/// Two screens lead to the screen `selectAvatar`. For each of these two screens, the flow has a state `selectAvatar` of its
/// own, with a row of its own. `back` therefore needs no history. A user who stays on one screen after `login` for a quarter of
/// an hour has to log in again.
public struct Registration: TableFlow, DefaultFlow, TabledStates {
    /// How long a user may stay on one screen, except on `login` and `finished`.
    public var session = Duration.seconds(900)
    public var settings: [FlowSetting<Registration>] { [FlowSetting("session", \.session)] }

    public init() {}

    public enum StateName: String, CaseIterable, Sendable {
        case login, createProfile, facebookProfile, selectAvatar, termsAndConditions, finished
    }

    /// The screens that lead to the avatar.
    public enum Profile: String, CaseIterable, Argument { case createProfile, facebookProfile }

    /// The screens. `→` lists the screens that may follow.
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

    /// `login` is for users with an account; with `next`, other users create one. `registerLater` omits the avatar.
    public enum Event: FlowEvent, Hashable, Sendable {
        case next, login, facebookRegister, registerLater, back
        case due(Signal)

        public enum Signal: UInt8, CaseIterable, Sendable { case sessionExpired }

        /// Shows a screen.
        public struct Effect: FlowEffect {
            let screen: StateName
            public var name: String { "show" }
            public var arguments: [Member] { [Member("state", screen.rawValue)] }
        }
    }

    /// All states. `TabledStates` derives their names and data from this table.
    public static let states = StateTable<State>(
        .login, .createProfile, .facebookProfile, .selectAvatar(from: .createProfile),
        .selectAvatar(from: .facebookProfile), .termsAndConditions, .finished)

    public static let machine = {
        var machine = TransitionTable<State, Event>()
        machine[.login] = [.next: .createProfile, .login: .finished]
        machine[.createProfile] = [
            .next: .selectAvatar(from: .createProfile), .facebookRegister: .facebookProfile,
            .registerLater: .termsAndConditions, .due(.sessionExpired): .login,
        ]
        machine[.facebookProfile] = [
            .next: .selectAvatar(from: .facebookProfile), .registerLater: .termsAndConditions,
            .due(.sessionExpired): .login,
        ]
        machine[.selectAvatar(from: .createProfile)] = [
            .next: .termsAndConditions, .back: .createProfile, .due(.sessionExpired): .login,
        ]
        machine[.selectAvatar(from: .facebookProfile)] = [
            .next: .termsAndConditions, .back: .facebookProfile, .due(.sessionExpired): .login,
        ]
        machine[.termsAndConditions] = [.next: .finished, .due(.sessionExpired): .login]
        return machine
    }()

    public var finals: [StateName] { [.finished] }
    public var events: [EventSchema<Event>] {
        EventSchema.plain(.next, .login, .facebookRegister, .registerLater, .back)
    }

    public func effect(entering state: State) -> Effect? { Effect(screen: describe(state).name) }

    public func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        [.login, .finished].contains(state) ? [] : [.countdown(session, sends: .sessionExpired)]
    }
}
