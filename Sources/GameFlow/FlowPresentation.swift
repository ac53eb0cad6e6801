/// How a flow is shown to people: titles instead of names, notes for the operator, and what players do not see. A
/// name without an entry is shown as it is.
public struct FlowPresentation: Sendable {
    /// The title and the note of a name.
    public struct Label: Equatable, Sendable {
        public var title: String?
        /// A note for the operator.
        public var note: String?
        /// Whether a peer that may only play or observe does not get it.
        public var isHidden: Bool

        public init(title: String? = nil, note: String? = nil, isHidden: Bool = false) {
            (self.title, self.note, self.isHidden) = (title, note, isHidden)
        }
    }

    /// How a state is shown.
    public struct State: Sendable {
        public var label = Label()
        /// By the names of the state's data on the wire.
        public var data: [String: Label] = [:]
        /// By the names of the state's timers.
        public var timers: [String: Label] = [:]
        /// The timer that the players' screen shows big.
        public var clock: String?
        /// The contents of the players' screen; the files are names in the host's media directory.
        public var text: String?
        public var picture: String?
        public var sound: String?

        public init() {}

        /// Whether some of its data or timers are hidden.
        public var hides: Bool {
            data.values.contains(where: \.isHidden) || timers.values.contains(where: \.isHidden)
        }
    }

    /// How an event is shown.
    public struct Event: Sendable {
        public var label = Label()
        /// By the names of the event's arguments on the wire.
        public var arguments: [String: Label] = [:]
        /// Texts that a form offers.
        public var suggestions: [String] = []

        public init() {}
    }

    public var flow = Label()
    public var states: [String: State] = [:]
    public var events: [String: Event] = [:]

    public init() {}

    /// Whether a peer that may only play or observe gets less than others.
    public var hides: Bool {
        states.values.contains { $0.hides || $0.label.isHidden }
            || events.values.contains { event in
                event.label.isHidden || event.arguments.values.contains(where: \.isHidden)
            }
    }
}
