package import Cluster
package import Outputs
import Parts
import RPC
import Sessions
import Shards

/// Sends steps of other sessions to the owners of these sessions.
package final class StepSender: OutputSender {
    private let requests: NodeRequests
    /// Logs the 1st, 2nd, 4th, 8th … occurrence of each sentence. Counts up to 256 different sentences.
    private var log = LogThrottle(limit: 256)

    package init(_ requests: NodeRequests) { self.requests = requests }

    package func send(
        _ content: StepContent, _ attempt: OutputAttempt,
        _ done: @escaping (DeliveryResult) -> Void
    ) {
        requests.enqueue(to: content.step.target) { [self] sendNext in
            make(content.step) { [self] error in
                done(result(of: content, error))
                sendNext()
            }
        }
    }

    /// The name of the error with which a step was refused; nil if it was made.
    private typealias StepError = String?

    /// Makes a step in a shard of this node, or lets the owner of the session make it. Calls `done` with the name of the error;
    /// nil if the step was made.
    private func make(_ step: LinkedStep, _ done: @escaping (_ error: String?) -> Void) {
        guard let shard = requests.router.shards[of: step.target] else { return ask(step, done) }
        shard.call(about: step.target) { (sessions, made: (StepError?) -> Void) in
            do throws(RequestError) { try sessions.make(step, from: step.remoteSource) } catch {
                return made(.some(error.name.description))
            }
            made(.some(nil))
        } ended: { [self] end in
            switch end {
            case .durable(let error): done(error)
            case .failed(let error, _): done(error.name.description)
            case .lost: ask(step, done)
            }
        }
    }

    /// Lets the owner of the session make a step.
    private func ask(_ step: LinkedStep, _ done: @escaping (_ error: String?) -> Void) {
        let request: RoutedRequest =
            switch step.action {
            case .open(let flow): .open(step.target, flow: flow, id: step.id)
            case .send(let event, let arguments):
                .send(event, arguments, to: step.target, id: step.id)
            }
        let client = requests.client(
            for: step.target, from: step.remoteSource, needsArgumentConversion: false)
        client.ask(request, about: step.target) { reply in
            if case .error(let error) = reply { done(error.name) } else { done(nil) }
        }
    }

    /// The error `storage` means that the owner did not record the step or cannot be reached: the attempt then fails, and is
    /// repeated. Each other answer, even a refusal, counts as delivered. Logs a refusal; to open a session that is open already
    /// is no failure.
    private func result(of content: StepContent, _ error: String?) -> DeliveryResult {
        guard let error else { return .delivered }
        if error == "storage" { return .failed("the other session cannot be reached") }
        if case .open = content.step.action, error == "exists" { return .delivered }
        log.write(
            .warning, .link, RoomLinks.refusalText(of: content.step, from: content.origin, error))
        return .delivered
    }
}
