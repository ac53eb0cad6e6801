import GameFlow
import Outputs
import RPC
import Sessions

/// Composes the outputs that lines ask for. The same change has the same outputs after a restart.
struct OutputComposer {
    let lines: [OutputLine]
    let instance: String

    /// The outputs of a change, in the order of the lines, and of its effects for each line.
    func outputs(of change: Change, flow: String, labels: [Member]) -> [Output<OutputMessage>] {
        var outputs: [Output<OutputMessage>] = []
        for line in lines {
            let occasions = line.occasions(in: change, flow: flow, labels: labels)
            for (index, occasion) in occasions.enumerated() {
                let key = DeliveryRecord.Key(
                    pos: change.pos, line: line.fingerprint, occasion: index)
                let origin = OutputOrigin(
                    change.session, seq: change.seq, key, number: outputs.count + 1)
                let id = "\(instance):\(change.session.text):\(change.pos):\(outputs.count + 1)"
                outputs.append(output(line, occasion, id, origin))
            }
        }
        return outputs
    }

    /// The outputs of a refusal, which is the one with this number since the start.
    func outputs(of refusal: OutputOccasion, number: Int) -> [Output<OutputMessage>] {
        let session = refusal.session.text
        let meant = lines.filter { $0.trigger == .refused && $0.session.matches(session) }
        return meant.enumerated().map { index, line in
            output(line, refusal, "\(instance):\(session):r\(number):\(index + 1)", nil)
        }
    }

    /// The outputs of a session that is stuck in its present entry.
    func outputs(ofStuck stuck: OutputOccasion) -> [Output<OutputMessage>] {
        let session = stuck.session.text
        let meant = lines.filter { $0.trigger == .stuck && $0.session.matches(session) }
        return meant.enumerated().map { index, line in
            output(line, stuck, "\(instance):\(session):s\(stuck.entry):\(index + 1)", nil)
        }
    }

    private func output(
        _ line: OutputLine, _ occasion: OutputOccasion, _ id: String, _ origin: OutputOrigin?
    ) -> Output<OutputMessage> {
        let message = OutputMessage(
            effect: occasion.effect ?? "", content: line.target.content(of: occasion, id: id))
        let isRefusal = line.trigger == .refused
        return Output(
            id: id, target: line.target.name, line: line.fingerprint, origin: origin,
            maxAge: line.maxAge, timeout: line.timeout, isOnce: line.isOnce || isRefusal,
            isMinor: isRefusal, content: message)
    }
}
