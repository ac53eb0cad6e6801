public import GameFlow
internal import Timers

/// Ask for what the app needs, one prompt at a time: written as a delegate that says which state may
/// follow which, and is asked by the wanted state.
///
/// A prompt that nobody answers goes on by itself, with the same effect as if it had been asked to.
public struct Permissions: DelegateFlow {
    public static let name = "permissions"
    public static let initial = StateName.initial
    public static let finals = [StateName.onboarded]

    public let delegate: Order

    /// A flow whose delegate passes on each transition that was made.
    public init(told: @escaping (StateName, StateName) -> Void = { _, _ in }) {
        delegate = Order(told: told)
    }

    static let promptTime = Duration.seconds(60)

    public enum StateName: String, CaseIterable, Argument, Sendable {
        /// → pushNotificationsAsk
        case initial
        /// → pushNotificationsDisplay, locationAsk
        case pushNotificationsAsk
        /// → locationAsk
        case pushNotificationsDisplay
        /// → locationDisplay, onboarded
        case locationAsk
        /// → onboarded
        case locationDisplay
        /// The end.
        case onboarded
    }

    public typealias State = StateName

    public enum Event: FlowEvent {
        case go(to: StateName)
        case due(Signal)
    }

    public enum Signal: UInt8, CaseIterable { case promptTimedOut }

    public enum Effect: String, FlowEffect {
        case showPushNotificationScreen, requestNotificationPermissions
        case showLocationScreen, requestLocationPermissions, showOnboarded
    }

    public static var events: [EventSchema<Event>] { [EventSchema(Event.go)] }

    /// The delegate: the order of the screens.
    public struct Order: TransitionDelegate {
        let told: (StateName, StateName) -> Void

        public func shouldTransition(from: StateName, to: StateName) -> Bool {
            switch (from, to) {
            case (.initial, .pushNotificationsAsk),
                (.pushNotificationsAsk, .pushNotificationsDisplay),
                (.pushNotificationsAsk, .locationAsk), (.pushNotificationsDisplay, .locationAsk),
                (.locationAsk, .locationDisplay),
                (.locationAsk, .onboarded), (.locationDisplay, .onboarded):
                true
            default: false
            }
        }

        public func didTransition(from: StateName, to: StateName) { told(from, to) }
    }

    public func wanted(_ state: State, _ event: Event) -> State? {
        switch (state, event) {
        case (_, .go(let to)): to
        case (.pushNotificationsDisplay, .due(.promptTimedOut)): .locationAsk
        case (.locationDisplay, .due(.promptTimedOut)): .onboarded
        default: nil
        }
    }

    public func effect(from: State, to: State) -> Effect? {
        switch to {
        case .pushNotificationsAsk: .showPushNotificationScreen
        case .pushNotificationsDisplay: .requestNotificationPermissions
        case .locationAsk: .showLocationScreen
        case .locationDisplay: .requestLocationPermissions
        case .onboarded: .showOnboarded
        case .initial: nil
        }
    }

    public func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        switch state {
        case .pushNotificationsDisplay, .locationDisplay:
            [.countdown(Self.promptTime, .promptTimedOut)]
        default: []
        }
    }
}
