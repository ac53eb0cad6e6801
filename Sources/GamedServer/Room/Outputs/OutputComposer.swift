import GameFlow
import Outputs
import RPC
import Sessions

/// Creates the outputs that `on` lines ask for. The same change leads to the same outputs, with the same ids, after a restart.
struct OutputComposer {
    private let onLines: OnLines
    private let instance: String
    private let journal: Int
    private let nodes: OutputNodes
    private let shardIfDifferent: (_ from: SessionName, _ to: SessionName) -> Int?
    var lines: [OutputLine] { onLines.outputs }

    /// `instance` is the name of the daemon's instance, with which the ids of outputs begin. `journal` is the number of the
    /// journal whose changes cause the outputs.
    ///
    /// `shardIfDifferent` returns the shard of the session `to` if it differs from that of `from`. A send to that session is
    /// then an output. If `shardIfDifferent` returns nil, `RoomLinks` makes the send.
    init(
        _ onLines: OnLines, instance: String, journal: Int, _ nodes: OutputNodes,
        shardIfDifferent: @escaping (_ from: SessionName, _ to: SessionName) -> Int?
    ) {
        (self.onLines, self.instance) = (onLines, instance)
        (self.journal, self.nodes, self.shardIfDifferent) = (journal, nodes, shardIfDifferent)
    }

    /// Whether the outputs can contain sends to other sessions.
    var hasSends: Bool { !onLines.links.isEmpty }

    /// The outputs of a change, in the order of the lines. The outputs of one line are in the order of the change's effects.
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

    /// The send to another session as an output; nil if `RoomLinks` makes the send, or if a value for it is missing.
    private func send(
        _ line: LinkLine, _ occasion: OutputOccasion, _ change: Change, _ id: String,
        _ origin: OutputOrigin
    ) -> Output<OutputMessage>? {
        guard let step = line.step(for: occasion, after: change, id: id),
            let shard = shardIfDifferent(origin.session, step.target)
        else { return nil }
        let content = OutputContent.session(step, origin: origin.session)
        return Output(
            id: id, target: "shard \(shard)", line: line.fingerprint, journal: journal,
            origin: origin, maxAge: Self.sendAge, timeout: OutputSenders.sendTimeout,
            content: OutputMessage(effect: occasion.effect ?? "", content: content))
    }

    /// The maximum age of a send to a session: practically unlimited.
    private static let sendAge = Duration.seconds(50 * 365 * 86_400)

    /// The outputs of a refusal. `refusalID` distinguishes the refusal from all others of this instance. Each output has only
    /// one attempt.
    func outputs(of refusal: OutputOccasion, refusalID: String) -> [Output<OutputMessage>] {
        let session = refusal.session.text
        let matching = lines.filter { $0.trigger == .refused && $0.session.matches(session) }
        return matching.enumerated().map { index, line in
            output(line, refusal, "\(instance):\(session):r\(refusalID):\(index + 1)", nil)
        }
    }

    /// The outputs about a session that is stuck in its present state.
    func outputs(ofStuck stuck: OutputOccasion) -> [Output<OutputMessage>] {
        let matching = lines.filter {
            $0.trigger == .stuck && $0.session.matches(stuck.session.text)
        }
        return matching.enumerated().map { index, line in
            let key = DeliveryRecord.Key(pos: stuck.entry, line: line.fingerprint, occasion: 0)
            let origin = OutputOrigin(stuck.session, seq: stuck.seq, key, number: index + 1)
            return output(ofStuck: stuck, origin, line)
        }
    }

    /// An output about a stuck session, which an earlier start of the daemon has accepted; nil if the line of the output was
    /// removed. If the session could not be restored, `stuck` is nil and the output has no content.
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
