import GameFlow
package import Parts
import RPC
package import Sessions
package import Shards

/// Applies the link lines: the `on` lines that open other sessions, and the `on` lines that send events to other sessions.
package final class RoomLinks {
    /// All `on` lines. Those that send outputs are needed too, because outputs and steps are numbered together.
    private var lines = OnLines()
    /// The name of the daemon's instance, with which the ids of steps begin.
    private let instance: String
    /// Returns the shard of a session. `RoomOutputs` sends the steps whose two sessions are in different shards.
    private let shardNumber: (SessionName) -> Int
    // Not weak: a weak reference would make each retain of the sessions slower, and each request retains them.
    private var attachedSessions: [Sessions] = []
    /// Logs the 1st, 2nd, 4th, 8th … occurrence of each sentence. Counts up to 256 different sentences.
    private var log = LogThrottle(limit: 256)

    package init(
        _ options: Options, instance: String, shardNumber: @escaping (SessionName) -> Int
    ) {
        (self.instance, self.shardNumber) = (instance, shardNumber)
        reload(options)
    }

    /// Applies the lines to the changes of these sessions from now on. Without lines about other sessions, the sessions do not
    /// call this object.
    func attach(_ sessions: Sessions) {
        attachedSessions.append(sessions)
        sessions.links = lines.links.isEmpty ? nil : self
    }

    /// The log line about a step that the other session refused.
    static func refusalText(of step: LinkedStep, from origin: SessionName, _ error: String)
        -> String
    {
        let actionText =
            switch step.action {
            case .open: "open session"
            case .send(let event, _): "send \(event) to session"
            }
        return "session \(origin.text) could not \(actionText) \(step.target.text): \(error)"
    }
}

extension RoomLinks: ShardFollower {
    package func shardWasRestored(_ shard: Shard, _ rows: RestoredRows) { attach(shard.sessions) }

    package func shardHasEnded(_ shard: Shard) {
        attachedSessions.removeAll { $0 === shard.sessions }
        shard.sessions.links = nil
    }
}

extension RoomLinks: SessionLinks {
    package func steps(after change: Change, of session: Session) -> [LinkedStep] {
        var steps: [LinkedStep] = []
        let lineSteps = lines.steps(
            after: change, flow: session.flow.name, labels: session.labels)
        let count = OnLines.linkCount(lineSteps)
        for lineStep in lineSteps {
            guard case .link(let line) = lineStep.line else { continue }
            let id = OnLines.id(of: lineStep, after: change, instance: instance)
            do throws(ContentError) {
                let step = try line.step(
                    for: lineStep.occasion, after: change, id: id, count: count)
                if shardNumber(change.session) == shardNumber(step.target) { steps.append(step) }
            } catch {
                log.write(
                    .warning, .link,
                    "session \(change.session.text): nothing is sent to another session: \(error.why)"
                )
            }
        }
        return steps
    }

    package func refused(_ step: LinkedStep, from session: SessionName, _ error: RequestError) {
        log.write(
            .warning, .link, Self.refusalText(of: step, from: session, error.name.description))
    }
}

extension RoomLinks: Part {
    package func reload(_ options: Options) {
        lines = options.room.onLines
        for sessions in attachedSessions { sessions.links = lines.links.isEmpty ? nil : self }
    }

}
