import GameFlow
import Outputs
import RPC
import Sessions

/// The event by which a flow learns that an output was given up.
extension OutputJournal {
    /// Sends the event `outputFailed` to the session that asked for an output, if the session's flow has that event. The event
    /// gets the arguments `effect` and `why` only if the flow declares them.
    func sendFailureEvent(of output: Output<OutputMessage>, _ why: String) {
        guard let origin = output.origin, maySend(),
            let session = try? sessions.session(origin.session),
            let schema = session.flow.events.first(where: { $0.name == Self.failureEvent })
        else { return }
        let allArguments = [
            Member("effect", output.content.effect),
            Member("why", String(why.prefix(Self.longestWhy))),
        ]
        let arguments = allArguments.filter { member in
            schema.parameters.contains { $0.name == member.name }
        }
        // The session may refuse the event.
        _ = try? sessions.send(
            Self.failureEvent, arguments, to: session,
            RequestContext(from: Source(.output, peer: .device(output.content.destination))))
    }

    /// The name of the event that tells a flow that an output was given up.
    static let failureEvent = "outputFailed"
    /// The maximum number of characters in the argument `why`.
    private static let longestWhy = 200
}
