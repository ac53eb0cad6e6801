public import GameFlow

/// Ask for the permissions that an app needs, one prompt at a time. The flow is written as a delegate, which decides which
/// state may follow which. The event names the wanted state.
///
/// If a prompt is not answered in time, the usual next state follows. The effect is the same as if a client had requested that
/// state.
public struct Permissions: DelegateFlow, DefaultFlow {
    public let delegate: Order
    /// How long a prompt of the system waits for an answer.
    public var prompt = Duration.seconds(60)
    public var settings: [FlowSetting<Permissions>] { [FlowSetting("prompt", \.prompt)] }

    public init() { self.init { _, _ in } }

    /// Creates a flow whose delegate calls `didTransition` after each transition.
    public init(didTransition: @escaping (State, State) -> Void) { delegate = Order(didTransition) }

    /// The states: `…Ask` is a screen of the app, and `…Display` the system's prompt. `→` lists the states that may follow.
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

    public enum Event: FlowEvent, Equatable, Sendable {
        case go(to: StateName)
        case due(Signal)

        public enum Signal: UInt8, CaseIterable, Sendable { case promptTimedOut }

        public enum Effect: String, FlowEffect, Sendable {
            case showPushNotificationScreen, requestNotificationPermissions
            case showLocationScreen, requestLocationPermissions, showOnboarded
        }
    }

    public var finals: [StateName] { [.onboarded] }
    public var events: [EventSchema<Event>] { [EventSchema(Event.go)] }

    /// The states that may follow a state, the usual one first.
    private static let successors: [State: [State]] = [
        .initial: [.pushNotificationsAsk],
        .pushNotificationsAsk: [.pushNotificationsDisplay, .locationAsk],
        .pushNotificationsDisplay: [.locationAsk],
        .locationAsk: [.locationDisplay, .onboarded], .locationDisplay: [.onboarded],
    ]

    /// The delegate: the order of the screens.
    public final class Order: MachineDelegate {
        private let onTransition: (State, State) -> Void
        init(_ onTransition: @escaping (State, State) -> Void) { self.onTransition = onTransition }
        public func shouldTransition(from: State, to: State) -> Bool {
            successors[from]?.contains(to) ?? false
        }
        public func didTransition(from: State, to: State) { onTransition(from, to) }
    }

    public func wanted(_ state: State, _ event: Event) -> State? {
        switch event {
        case .go(let to): to
        // A state without a prompt has no timer, and refuses the signal.
        case .due: timers(state).isEmpty ? nil : Self.successors[state]?.first
        }
    }

    public func effect(from: State, to: State) -> Effect? { Self.effects[to] }

    /// The effect of entering each state.
    private static let effects: [State: Effect] = [
        .pushNotificationsAsk: .showPushNotificationScreen,
        .pushNotificationsDisplay: .requestNotificationPermissions,
        .locationAsk: .showLocationScreen, .locationDisplay: .requestLocationPermissions,
        .onboarded: .showOnboarded,
    ]

    public func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        guard state == .pushNotificationsDisplay || state == .locationDisplay else { return [] }
        return [.countdown(prompt, sends: .promptTimedOut)]
    }
}
