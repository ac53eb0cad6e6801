import GameFlow
import Outputs
import RPC
import Sessions

/// Composes the outputs that lines ask for. The same change has the same outputs after a restart.
struct OutputComposer {
    private let onLines: OnLines
    private let instance: String
    private let journal: Int
    private let nodes: OutputNodes
    private let remoteShard: (_ from: SessionName, _ to: SessionName) -> Int?
    var lines: [OutputLine] { onLines.outputs }

    /// `remoteShard` is the shard of the other session if a send to it is an output; without it, the sessions carry it out.
    init(
        _ onLines: OnLines, instance: String, journal: Int, _ nodes: OutputNodes,
        remoteShard: @escaping (_ from: SessionName, _ to: SessionName) -> Int?
    ) {
        (self.onLines, self.instance) = (onLines, instance)
        (self.journal, self.nodes, self.remoteShard) = (journal, nodes, remoteShard)
    }

    /// Whether sends to other sessions can be among the outputs.
    var hasSends: Bool { !onLines.links.isEmpty }

    /// The outputs of a change, in the order of the lines, and of its effects for each line.
    func outputs(of change: Change, flow: String, labels: [Member]) -> [Output<OutputMessage>] {
        var outputs: [Output<OutputMessage>] = []
        for step in onLines.steps(after: change, flow: flow, labels: labels) {
            let key = DeliveryRecord.Key(
                pos: change.pos, line: step.line.fingerprint, occasion: step.index)
            let origin = OutputOrigin(change.session, seq: change.seq, key, number: step.number)
            let id = OnLines.id(of: step, after: change, instance: instance)
            switch step.line {
            case .output(let line): outputs.append(output(line, step.occasion, id, origin))
            case .link(let line):
                if let send = send(line, step.occasion, change, id, origin) { outputs.append(send) }
            }
        }
        return outputs
    }

    /// The send to a session that may be on another node; nil if it is not an output.
    private func send(
        _ line: LinkLine, _ occasion: OutputOccasion, _ change: Change, _ id: String,
        _ origin: OutputOrigin
    ) -> Output<OutputMessage>? {
        guard let step = line.step(for: occasion, after: change, id: id),
            let shard = remoteShard(origin.session, step.target)
        else { return nil }
        let content = OutputContent.session(step, origin: origin.session)
        return Output(
            id: id, target: "shard \(shard)", line: line.fingerprint, journal: journal,
            origin: origin, maxAge: Self.sendAge, timeout: OutputSenders.sendTimeout,
            content: OutputMessage(effect: occasion.effect ?? "", content: content))
    }

    /// A send to a session is never too old.
    private static let sendAge = Duration.seconds(50 * 365 * 86_400)

    /// The outputs of a refusal; `number` tells it apart from all others of this instance.
    func outputs(of refusal: OutputOccasion, number: String) -> [Output<OutputMessage>] {
        let session = refusal.session.text
        let meant = lines.filter { $0.trigger == .refused && $0.session.matches(session) }
        return meant.enumerated().map { index, line in
            output(line, refusal, "\(instance):\(session):r\(number):\(index + 1)", nil)
        }
    }

    /// The outputs of a session that is stuck in its present entry.
    func outputs(ofStuck stuck: OutputOccasion) -> [Output<OutputMessage>] {
        let meant = lines.filter { $0.trigger == .stuck && $0.session.matches(stuck.session.text) }
        return meant.enumerated().map { index, line in
            let key = DeliveryRecord.Key(pos: stuck.entry, line: line.fingerprint, occasion: 0)
            let origin = OutputOrigin(stuck.session, seq: stuck.seq, key, number: index + 1)
            return output(ofStuck: stuck, origin, line)
        }
    }

    /// An output of a stuck session that an earlier start has accepted; nil if its line is gone. Without the occasion,
    /// which cannot be restored, the output has no content.
    func output(ofStuck stuck: OutputOccasion?, acceptedIn record: DeliveryRecord)
        -> Output<OutputMessage>?
    {
        guard let session = record.session,
            let line = lines.first(where: {
                $0.fingerprint == record.key.line && $0.trigger == .stuck
            })
        else { return nil }
        let origin = OutputOrigin(
            session, seq: stuck?.seq ?? 0, record.key, number: record.number)
        return output(ofStuck: stuck, origin, line)
    }

    private func output(ofStuck stuck: OutputOccasion?, _ origin: OutputOrigin, _ line: OutputLine)
        -> Output<OutputMessage>
    {
        let (session, entry) = (origin.session.text, origin.key.pos)
        return output(line, stuck, "\(instance):\(session):s\(entry):\(origin.number)", origin)
    }

    private func output(
        _ line: OutputLine, _ occasion: OutputOccasion?, _ id: String, _ origin: OutputOrigin?
    ) -> Output<OutputMessage> {
        let message = OutputMessage(
            effect: occasion?.effect ?? "",
            content: occasion.flatMap { line.target.content(of: $0, id: id) },
            node: nodes.sender(of: line))
        let isRefusal = line.trigger == .refused
        return Output(
            id: id, target: line.target.name, line: line.fingerprint, journal: journal,
            origin: origin,
            maxAge: line.maxAge, timeout: line.timeout, isOnce: line.isOnce || isRefusal,
            isMinor: isRefusal, content: message)
    }
}
