package import GameFlow
import RPC
package import Sessions

/// An `on` line: a line that sends an output, or a link line. A link line opens another session, or sends an event to another
/// session.
package enum OnLine: Equatable {
    case output(OutputLine)
    case link(LinkLine)

    fileprivate var trigger: OutputLine.Trigger {
        switch self {
        case .output(let line): line.trigger
        case .link(let line): line.trigger
        }
    }

    /// A hash of the line's text.
    package var fingerprint: UInt64 {
        switch self {
        case .output(let line): line.fingerprint
        case .link(let line): line.fingerprint
        }
    }

    /// The sessions that the line is about.
    fileprivate var session: Glob {
        switch self {
        case .output(let line): line.session
        case .link(let line): line.session
        }
    }
}

/// All `on` lines, in the order of the configuration.
///
/// After one change, the lines can ask for several outputs, and for several steps of other sessions. The function `steps`
/// numbers them together. The id of an output or of a step contains its number. So the id is unique, and a restart does not
/// change it.
package struct OnLines: Equatable {
    package private(set) var all: [OnLine] = []
    /// The lines that send outputs.
    package private(set) var outputs: [OutputLine] = []
    /// The lines about other sessions.
    package private(set) var links: [LinkLine] = []

    package var isEmpty: Bool { all.isEmpty }

    /// The hashes of the lines' texts.
    var fingerprints: Set<UInt64> { Set(all.map(\.fingerprint)) }

    /// The hashes of the texts of the lines about other sessions.
    package var linkFingerprints: Set<UInt64> { Set(links.map(\.fingerprint)) }

    /// Whether a line reacts to an effect of this name.
    func react(toEffect name: String) -> Bool {
        (outputs.map(\.trigger) + links.map(\.trigger)).contains { trigger in
            if case .effect(let glob) = trigger { glob.matches(name) } else { false }
        }
    }

    /// Whether a line acts when a state is left, so also when a session is closed.
    var reactToLeaving: Bool {
        all.contains { if case .leave = $0.trigger { true } else { false } }
    }

    package mutating func append(_ line: OnLine) {
        all.append(line)
        switch line {
        case .output(let line): outputs.append(line)
        case .link(let line): links.append(line)
        }
    }

    /// An output, or a step of another session, that a line asks for after a change.
    package struct LineStep {
        package let line: OnLine
        package let occasion: OutputOccasion
        /// The number of the occasion among the occasions that the change gives to this line, from 0.
        package let index: Int
        /// The number of the step among the steps that the change causes in all lines, from 1.
        package let number: Int
    }

    /// The outputs that the lines ask for after a change, and the steps of other sessions, in the order of the lines. The
    /// outputs or steps of one line are in the order of the change's effects. `flow` and `labels` are the flow and the labels
    /// of the session that has changed.
    package func steps(after change: Change, flow: String, labels: [Member]) -> [LineStep] {
        var steps: [LineStep] = []
        for line in all where line.session.matches(change.session.text) {
            let occasions = line.trigger.occasions(in: change, flow: flow, labels: labels)
            for (index, occasion) in occasions.enumerated() {
                steps.append(
                    LineStep(line: line, occasion: occasion, index: index, number: steps.count + 1))
            }
        }
        return steps
    }

    /// How many of the steps are about other sessions.
    package static func linkCount(_ steps: [LineStep]) -> Int {
        steps.count { if case .link = $0.line { true } else { false } }
    }

    /// The id of an output or of another session's step: `INSTANCE:SESSION:POS:N`, in which `POS` is the `pos` of the change.
    package static func id(of step: LineStep, after change: Change, instance: String) -> String {
        "\(instance):\(change.session.text):\(change.pos):\(step.number)"
    }
}
