/// How a flow is shown to people: the titles of names, notes for operators, and which names are hidden from players. A
/// name without an entry here is shown as it is.
public struct FlowPresentation: Sendable {
    /// How one name is shown: a title in place of the name, a note, and whether the name is hidden.
    public struct Label: Equatable, Sendable {
        /// The title; nil if the name itself is shown.
        public var title: String?
        /// A note for operators; nil if there is none.
        public var note: String?
        /// Whether only operators see the name and its value.
        public var isHidden: Bool

        public init(title: String? = nil, note: String? = nil, isHidden: Bool = false) {
            (self.title, self.note, self.isHidden) = (title, note, isHidden)
        }
    }

    /// How a state is shown.
    public struct State: Sendable {
        public var label = Label()
        /// The labels of the state's data, by the data's names on the wire.
        public var data: [String: Label] = [:]
        /// The labels of the state's timers, by the timers' names. If the state itself is hidden, all its timers are hidden.
        /// The signal of a hidden timer is hidden only if the timer has a label here.
        public var timers: [String: Label] = [:]
        /// The name of the timer that the players' screen shows in large digits; nil if it shows none.
        public var clock: String?
        /// Whether this timer is the subject of the screen, rather than one part of it.
        public var isClockBig = false
        /// The names of the data and timers that the players' screen draws, in this order; nil if the state does not choose
        /// them. The screen then draws all data that players may see, and the timers that have titles.
        public var drawnNames: [String]?
        /// The title on the players' screen; nil if it is the state's title.
        public var screenTitle: String?
        /// The text on the players' screen.
        public var text: String?
        /// The picture on the players' screen: the name of a file in the daemon's media directory.
        public var picture: String?
        /// The sound that the players' screen plays: the name of a file in the daemon's media directory.
        public var sound: String?
        /// The video that the players' screen plays once in a visit: the name of a file in the daemon's media directory.
        public var video: String?
        /// The event that a screen sends when it has played the video; nil if it sends none. The event has no arguments.
        public var ended: String?
        /// Whether the players' screen shows a link, a QR code and a code with which people join as players.
        public var invites = false

        public init() {}

        /// Whether some of the state's data or timers are hidden.
        public var hides: Bool {
            data.values.contains(where: \.isHidden) || timers.values.contains(where: \.isHidden)
        }
    }

    /// How an event is shown.
    public struct Event: Sendable {
        public var label = Label()
        /// The labels of the event's arguments, by the arguments' names on the wire.
        public var arguments: [String: Label] = [:]
        /// Texts that a form offers as values of the event's first text argument.
        public var suggestions: [String] = []
        /// How the screens offer the event.
        public var offer = Offer()

        public init() {}
    }

    /// How the screens offer an event to people.
    public struct Offer: Equatable, Sendable {
        /// Whether a screen asks before it sends the event.
        public var needsConfirmation = false
        /// Whether the button is apart from others and has the colour of a warning.
        public var isDangerous = false
        /// Whether the event counts as a hint in the statistics.
        public var isHint = false
        /// Whether a player's phone shows only one button, for this event, while the state accepts the event.
        public var isBuzzer = false
        /// The checklist whose items the event ticks; nil for any other event.
        public var ticks: String?
        /// The key of the desk's keyboard that presses the button; nil if no key does.
        public var key: String?

        public init() {}
    }

    /// A picture, sound or video of the media directory that the flow can show or play.
    public struct File: Hashable, Sendable {
        /// The path in the media directory.
        public var name: String
        /// What the flow does with the file, after "the flow …" in a sentence.
        public var place: String

        public init(name: String, place: String) { (self.name, self.place) = (name, place) }

        /// Whether the name is that of a video. A daemon reads videos from the disk in pieces, and keeps all other files in memory.
        package static func isVideo(_ name: String) -> Bool {
            [".mp4", ".webm"].contains { name.lowercased().hasSuffix($0) }
        }
    }

    /// The pictures, sounds and videos that the flow can show or play, as far as they are known, so that a missing one is found before
    /// a game.
    public var files: [File] = []
    /// The languages in which the flow has its texts; empty if it does not name any.
    public var languages: [String] = []
    /// The title and the note of the flow itself.
    public var flow = Label()
    /// The labels of the flow's settings, by the settings' names.
    public var settings: [String: Label] = [:]
    /// How each state is shown, by the state's name.
    public var states: [String: State] = [:]
    /// How each event is shown, by the event's name.
    public var events: [String: Event] = [:]

    public init() {}

    /// Whether the players' screen lets people join in some state.
    package var invites: Bool { states.values.contains(where: \.invites) }

    /// Whether anything is hidden from callers that may only play or observe.
    public var hides: Bool {
        states.values.contains { $0.hides || $0.label.isHidden }
            || events.values.contains { event in
                event.label.isHidden || event.arguments.values.contains(where: \.isHidden)
            }
    }
}
