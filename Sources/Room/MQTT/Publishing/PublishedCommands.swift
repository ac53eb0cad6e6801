import GameFlow
import Inputs
package import Parts
import RPC
package import Sessions
import Support

/// Executes the commands of Home Assistant's controls: sends events to sessions, and pauses their timers, with the rights of
/// `source:mqtt`. Every client of the broker that may publish to their topics can send them.
package final class PublishedCommands {
    private let sender: any DeviceEventSender
    /// The rights of `source:mqtt`.
    var rights = Rights.nothing
    private let count: (_ connection: String) -> RequestError?
    /// Logs the 1st, 2nd, 4th, 8th … occurrence of each sentence. Counts up to 256 different sentences.
    private var log = LogThrottle(limit: 256)

    /// `sender` sends the events. `count` counts a command that the connection of this name has received; it returns an error, which
    /// is logged already, if the connection has received too many.
    package init(
        _ sender: any DeviceEventSender, count: @escaping (_ connection: String) -> RequestError?
    ) {
        (self.sender, self.count) = (sender, count)
    }

    /// `sessions` are those of this process that may have the session; nil if another node has it. `device` is the session's.
    func execute(
        _ command: PublishedPrefix.Command, _ session: SessionName, _ message: MQTTMessage,
        _ sessions: Sessions?, _ device: HomeAssistantDevice?, _ connection: RoomConnection
    ) {
        if let error = count(connection.line.name) {
            connection.statistics.refused += 1
            connection.statistics.lastRefusal = "\(command.name): \(error.name)"
            return
        }
        let source = connection.source(message.topic, after: connection.origin(of: message))
        let payload = String(decoding: message.payload, as: UTF8.self)
        switch command {
        case .pause:
            switch payload {
            case "ON": pause(true, session, sessions, source, connection)
            case "OFF": pause(false, session, sessions, source, connection)
            default: refuse("paused", "expected ON or OFF", session, connection)
            }
        case .send(let event):
            guard rights.maySend(event, to: session) else {
                return refuse(event, "forbidden", session, connection)
            }
            let parameter = device?.entities.controls.first {
                $0.event.name.hasSameBytes(as: event)
            }?
            .argument?.name
            // A rule can bind the argument.
            guard
                let arguments = rights.arguments(
                    parameter.map { [Member($0, payload)] } ?? [], of: event, to: session,
                    declared: parameter.map { [$0] } ?? [])
            else { return refuse(event, "forbidden", session, connection) }
            guard !sender.isFull else {
                connection.statistics.dropped += 1
                return
            }
            sender.send(
                SentEvent(
                    session: session, choice: .named(event), arguments: arguments, source: source)
            ) { [weak self, weak connection] outcome in
                guard let self, let connection else { return }
                switch outcome {
                case .accepted: connection.statistics.accepted += 1
                case .refused(_, let refusal):
                    refuse(event, refusal.name + refusal.reason, session, connection)
                case .repeated, .notSent: break
                }
            }
        }
    }

    private func pause(
        _ isPaused: Bool, _ session: SessionName, _ sessions: Sessions?, _ source: Source,
        _ connection: RoomConnection
    ) {
        guard rights.has(.operate, in: session) else {
            return refuse("paused", "forbidden", session, connection)
        }
        do throws(RequestError) {
            guard let sessions else { throw .unknownSession(session.text, didYouMean: []) }
            try sessions.operate(
                TimerOperation(TimerOperation.all, isPaused ? .pause : .resume),
                on: try sessions.session(session), RequestContext(from: source))
            connection.statistics.accepted += 1
        } catch { refuse("paused", error.name.description, session, connection) }
    }

    private func refuse(
        _ name: String, _ why: String, _ session: SessionName, _ connection: RoomConnection
    ) {
        connection.statistics.refused += 1
        connection.statistics.lastRefusal = "\(name): \(why)"
        log.write(
            .warning, .link,
            "mqtt \(connection.line.name): a control of Home Assistant: \(name) to @\(session.text) was refused: \(why)"
        )
    }
}

extension PublishedPrefix.Command {
    /// What a refusal names.
    fileprivate var name: String {
        switch self {
        case .send(let event): event
        case .pause: "paused"
        }
    }
}
