package import GameFlow
package import Outputs
package import Parts
import RPC
package import Sessions

/// Creates the outputs that `on` lines ask for. The same change leads to the same outputs, with the same ids, after a restart.
package struct OutputComposer {
    private let onLines: OnLines
    /// The name of the daemon's instance, with which the ids of outputs begin.
    private let instance: String
    /// The number of the journal whose changes cause the outputs: the shard, or 0.
    private let journal: Int
    /// Finds the node that sends an output.
    private let nodes: OutputNodes
    /// Returns the shard of a session. A step of a session of another shard is an output, called a send. `RoomLinks` makes the
    /// steps of sessions of the same shard.
    private let shardNumber: (SessionName) -> Int
    /// The lines that send outputs to devices and programs.
    package var lines: [OutputLine] { onLines.outputs }

    package init(
        _ onLines: OnLines, instance: String, journal: Int, _ nodes: OutputNodes,
        shardNumber: @escaping (SessionName) -> Int
    ) {
        (self.onLines, self.instance) = (onLines, instance)
        (self.journal, self.nodes, self.shardNumber) = (journal, nodes, shardNumber)
    }

    /// Whether the outputs can contain sends.
    var hasSends: Bool { !onLines.links.isEmpty }

    /// The outputs of a change, in the order of the lines. The outputs of one line are in the order of the change's effects.
    /// `flow` is the name of the session's flow.
    package func outputs(of change: Change, flow: String, labels: [Member]) -> [Output<
        OutputMessage
    >] {
        var outputs: [Output<OutputMessage>] = []
        let steps = onLines.steps(after: change, flow: flow, labels: labels)
        let linkCount = OnLines.linkCount(steps)
        for step in steps {
            let key = DeliveryRecord.Key(
                pos: change.pos, line: step.line.fingerprint, occasion: step.index)
            let origin = OutputOrigin(change.session, seq: change.seq, key, number: step.number)
            let id = OnLines.id(of: step, after: change, instance: instance)
            switch step.line {
            case .output(let line):
                outputs.append(
                    output(
                        line, step.occasion, of: change.session, id, origin,
                        linkedSteps: change.step.source.linkedSteps))
            case .link(let line):
                let send = send(line, step.occasion, change, id, origin, count: linkCount)
                if let send { outputs.append(send) }
            }
        }
        return outputs
    }

    /// The step of another session as an output; nil if `RoomLinks` makes the step, or if a value for the step is missing.
    private func send(
        _ line: LinkLine, _ occasion: OutputOccasion, _ change: Change, _ id: String,
        _ origin: OutputOrigin, count: Int
    ) -> Output<OutputMessage>? {
        guard let step = try? line.step(for: occasion, after: change, id: id, count: count),
            case let shard = shardNumber(step.target), shard != journal
        else { return nil }
        let content = StepContent(step: step, origin: origin.session)
        let target = "shard \(shard)"
        return Output(
            id: id, target: target, line: line.fingerprint, journal: journal,
            origin: origin, maxAge: Self.sendAge, timeout: StepContent.timeout,
            content: OutputMessage(
                effect: occasion.effect ?? "", destination: target, result: .success(content)))
    }

    /// The maximum age of a send: practically unlimited, because no step may be lost.
    private static let sendAge = Duration.seconds(50 * 365 * 86_400)

    /// The outputs of a refusal. `refusalID` distinguishes the refusal from all others of this instance. Only one attempt is
    /// made for each output. The output's id is `INSTANCE:SESSION:rREFUSALID:N`.
    /// `linkedSteps` is the length of the chain of steps that led to the refused event.
    package func outputs(of refusal: OutputOccasion, refusalID: String, linkedSteps: Int)
        -> [Output<OutputMessage>]
    {
        let session = refusal.session?.text ?? ""
        let matching = lines.filter { $0.trigger == .refused && $0.session.matches(session) }
        return matching.enumerated().map { index, line in
            output(
                line, refusal, of: refusal.session,
                "\(instance):\(session):r\(refusalID):\(index + 1)", nil,
                linkedSteps: linkedSteps)
        }
    }

    /// The outputs of these lines about an alert. `alertID` distinguishes the alert from all others of this instance. An output's id
    /// is `INSTANCE:SESSION:aALERTID:N`, without a session if the alert is about none. No journal records it.
    package func outputs(of alert: Alert, _ lines: [OutputLine], alertID: String) -> [Output<
        OutputMessage
    >] {
        lines.enumerated().map { index, line in
            output(
                line, OutputOccasion(alert), of: alert.session,
                "\(instance):\(alert.session?.text ?? ""):a\(alertID):\(index + 1)", nil)
        }
    }

    /// The outputs about a session that is stuck in its present state.
    package func outputs(ofStuck occasion: OutputOccasion) -> [Output<OutputMessage>] {
        guard let session = occasion.session else { return [] }
        let matching = lines.filter {
            $0.trigger == .stuck && $0.session.matches(session.text)
        }
        return matching.enumerated().map { index, line in
            let key = DeliveryRecord.Key(pos: occasion.entry, line: line.fingerprint, occasion: 0)
            let origin = OutputOrigin(session, seq: occasion.seq, key, number: index + 1)
            return output(ofStuck: occasion, origin, line)
        }
    }

    /// An earlier run of the daemon accepted an output about a stuck session, and wrote `record`. Returns this output; nil if
    /// the output's line was removed. If the session could not be restored, `occasion` is nil and the output has no content.
    package func output(ofStuck occasion: OutputOccasion?, acceptedIn record: DeliveryRecord)
        -> Output<OutputMessage>?
    {
        guard let session = record.session,
            let line = lines.first(where: {
                $0.fingerprint == record.key.line && $0.trigger == .stuck
            })
        else { return nil }
        let origin = OutputOrigin(
            session, seq: occasion?.seq ?? 0, record.key, number: record.number)
        return output(ofStuck: occasion, origin, line)
    }

    /// The output about a stuck session, with the id `INSTANCE:SESSION:sENTRY:N`.
    private func output(
        ofStuck occasion: OutputOccasion?, _ origin: OutputOrigin, _ line: OutputLine
    ) -> Output<OutputMessage> {
        let (session, entry) = (origin.session.text, origin.key.pos)
        return output(
            line, occasion, of: origin.session,
            "\(instance):\(session):s\(entry):\(origin.number)", origin)
    }

    private func output(
        _ line: OutputLine, _ occasion: OutputOccasion?, of session: SessionName?, _ id: String,
        _ origin: OutputOrigin?, linkedSteps: Int = 0
    ) -> Output<OutputMessage> {
        let content = Result { () throws(ContentError) -> any OutputContent in
            guard let occasion else { throw ContentError("its session could not be restored") }
            return try line.target.content(of: occasion, id: id)
        }
        let message = OutputMessage(
            effect: occasion?.effect ?? "", destination: line.target.name, result: content,
            node: nodes.sender(of: line), linkedSteps: linkedSteps)
        // Players can cause any number of refusals. So the outputs of refusals must not displace other outputs.
        let isRefusal = line.trigger == .refused
        return Output(
            id: id, target: line.targetName(for: session), line: line.fingerprint, journal: journal,
            origin: origin,
            maxAge: line.maxAge, timeout: line.timeout, isOnce: line.isOnce || isRefusal,
            isMinor: isRefusal, content: message)
    }
}
