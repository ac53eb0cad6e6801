package import Cluster
package import Outputs
import Parts
import RPC
import Sessions

/// Sends steps of other sessions to the owners of these sessions.
package final class StepSender: OutputSender {
    private let requests: NodeRequests
    /// Logs the 1st, 2nd, 4th, 8th … occurrence of each sentence. Counts up to 256 different sentences.
    private var log = LogThrottle(limit: 256)

    package init(_ requests: NodeRequests) { self.requests = requests }

    /// The error `storage` means that the owner did not record the step or cannot be reached: the attempt then fails, and is
    /// repeated. Each other answer, even a refusal, counts as delivered.
    package func send(
        _ content: StepContent, _ attempt: OutputAttempt,
        _ done: @escaping (DeliveryResult) -> Void
    ) {
        let step = content.step
        let request: RoutedRequest =
            switch step.action {
            case .open(let flow): .open(step.target, flow: flow, id: step.id)
            case .send(let event, let arguments):
                .send(event, arguments, to: step.target, id: step.id)
            }
        requests.enqueue(from: step.remoteSource, to: step.target, needsArgumentConversion: false) {
            client, sendNextRequest in
            client.ask(request, about: step.target) { [weak self] reply in
                switch reply {
                case .error(let error) where error.name == "storage":
                    done(.failed("the other session cannot be reached"))
                case .error(let error):
                    self?.report(error, content)
                    done(.delivered)
                case .result: done(.delivered)
                }
                sendNextRequest()
            }
        }
    }

    /// Logs that a session refused a step. To open a session that is open already is no failure.
    private func report(_ error: RelayedError, _ content: StepContent) {
        if case .open = content.step.action, error.name == "exists" { return }
        log.write(
            .warning, RoomLinks.refusalText(of: content.step, from: content.origin, error.name))
    }
}
