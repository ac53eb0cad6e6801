import GameFlow
package import RPC
import Sessions
import Support
import Timers

/// An `on` line that sends an output. The cause is that a session asks for an effect, enters or leaves a state, refuses an
/// event, or is stuck, or that an alert begins.
package struct OutputLine: Equatable {
    package enum Trigger: Equatable {
        /// A session asks for an effect whose name matches.
        case effect(Glob)
        /// A session enters a state whose name matches.
        case enter(Glob)
        /// A session leaves a state whose name matches, or is closed in it.
        case leave(Glob)
        case refused
        case stuck
        /// An alert begins whose kind matches.
        case alert(Glob)
    }

    /// The text of the line, which may contain secrets.
    package let text: String
    /// The text of the line without secrets, as an operator sees it.
    package let listedText: String
    package let trigger: Trigger
    /// The sessions that the line is about.
    package let session: Glob
    package let target: any OutputTarget
    /// The NAME of `target=NAME`: the outputs of all lines with this name are delivered in order, one at a time. Nil without
    /// it.
    let sharedTarget: String?
    /// The age after which the output is given up.
    let maxAge: Duration
    /// Whether the output is attempted only once.
    package let isOnce: Bool
    /// The node that the line names by `node=`; nil without it.
    package let node: String?

    /// A hash of the text, which identifies the line in the journal. The hash is stored, and not computed when it is needed,
    /// because each output is compared with the lines.
    package let fingerprint: UInt64

    package init(
        text: String, listedText: String? = nil, trigger: Trigger, session: Glob,
        target: any OutputTarget,
        sharedTarget: String? = nil, maxAge: Duration, isOnce: Bool, node: String? = nil
    ) {
        (self.text, self.trigger, self.session, self.target) = (text, trigger, session, target)
        self.listedText = listedText ?? text
        self.sharedTarget = sharedTarget
        (self.maxAge, self.isOnce, self.node) = (maxAge, isOnce, node)
        fingerprint = Self.fingerprint(of: text)
    }

    /// The text says everything but what the files contain that it names, and the paths that its relative paths stand for.
    package static func == (one: OutputLine, other: OutputLine) -> Bool {
        one.text.hasSameBytes(as: other.text) && one.target.isEqual(to: other.target)
    }

    /// The hash of a text: FNV-1a with 64 bits.
    package static func fingerprint(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// The name of the target of the outputs for a session; outputs with the same name are delivered in order, one at a time.
    /// `session` is nil for an output that is about no session.
    func targetName(for session: SessionName?) -> String {
        sharedTarget.map { "target \($0)" } ?? session.map { target.name(for: $0) } ?? target.name
    }

    /// Whether an output of the other line for the same session waits until an output of this line has been delivered.
    package func delays(_ other: OutputLine) -> Bool {
        // All sessions give the same answer.
        targetName(for: .main) == other.targetName(for: .main)
    }

    /// How long one attempt may take.
    package var timeout: Duration { target.timeout(maxAge: maxAge) }
}

extension OutputLine.Trigger {
    /// The keys of the words that say with a pattern of names what causes an output.
    static let keys = ["effect", "enter", "leave"]

    /// The trigger of the word `KEY=PATTERN`; nil if the key is not one of `keys`.
    init?(key: String, pattern: String) {
        let names = Glob(pattern)
        switch key {
        case "effect": self = .effect(names)
        case "enter": self = .enter(names)
        case "leave": self = .leave(names)
        default: return nil
        }
    }

    /// The occasions for outputs in a change: the effects of the change, its entry, or the end of a visit, that match the
    /// trigger.
    func occasions(in change: Change, flow: String, labels: [Member]) -> [OutputOccasion] {
        switch self {
        case .effect(let glob):
            return change.step.effects.filter { glob.matches($0.name) }.map {
                OutputOccasion(.effect($0), change, flow: flow, labels: labels)
            }
        case .enter(let glob):
            guard change.kind.isEntry, let state = change.step.to?.state, glob.matches(state)
            else { return [] }
            return [OutputOccasion(.enter, change, flow: flow, labels: labels)]
        case .leave(let glob):
            // A change that enters a state leaves the state of before, even if it is the same.
            guard change.kind.isEntry || change.kind == .close, let state = change.step.from?.state,
                glob.matches(state)
            else { return [] }
            return [OutputOccasion(.leave, change, flow: flow, labels: labels)]
        // These occasions are not changes.
        case .refused, .stuck, .alert: return []
        }
    }
}
