public import GameFlow

/// Ask for what the app needs, one prompt at a time: written as a delegate that says which state may follow which, and
/// is asked by the wanted state.
///
/// A prompt that is not answered continues by itself, with the same effect as if it had been asked to.
public struct Permissions: DelegateFlow, DefaultFlow {
    public let delegate: Order
    public var prompt = Duration.seconds(60)
    public var settings: [FlowSetting<Permissions>] { [FlowSetting("prompt", \.prompt)] }

    public init() { self.init { _, _ in } }

    /// Creates a flow whose delegate passes on each transition that was made.
    public init(didTransition: @escaping (State, State) -> Void) { delegate = Order(didTransition) }

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

    private static let follows: [State: [State]] = [
        .initial: [.pushNotificationsAsk],
        .pushNotificationsAsk: [.pushNotificationsDisplay, .locationAsk],
        .pushNotificationsDisplay: [.locationAsk],
        .locationAsk: [.locationDisplay, .onboarded], .locationDisplay: [.onboarded],
    ]

    /// The delegate: the order of the screens.
    public final class Order: MachineDelegate {
        private let did: (State, State) -> Void
        init(_ did: @escaping (State, State) -> Void) { self.did = did }
        public func shouldTransition(from: State, to: State) -> Bool {
            follows[from]?.contains(to) ?? false
        }
        public func didTransition(from: State, to: State) { did(from, to) }
    }

    public func wanted(_ state: State, _ event: Event) -> State? {
        switch event {
        case .go(let to): to
        case .due: timers(state).isEmpty ? nil : Self.follows[state]?.first
        }
    }

    public func effect(from: State, to: State) -> Effect? { Self.effects[to] }

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
