import GameFlow
import RPC
import Sessions

/// The sends between sessions that the configuration asks for.
final class RoomLinks {
    private var lines = OnLines()
    private let instance: String
    /// The shard of the other session if it is another one: then the send is an output.
    private let remoteShard: (_ from: SessionName, _ to: SessionName) -> Int?
    private var attached: [Attached] = []
    private var (made, failed) = (0, 0)
    private var log = LogThrottle(limit: 256)

    private struct Attached { weak var sessions: Sessions? }

    init(
        _ options: Options, instance: String,
        remoteShard: @escaping (_ from: SessionName, _ to: SessionName) -> Int? = { _, _ in nil }
    ) {
        (self.instance, self.remoteShard) = (instance, remoteShard)
        reload(options)
    }

    /// Makes the steps of these sessions from now on.
    func attach(_ sessions: Sessions) {
        attached.removeAll { $0.sessions == nil }
        attached.append(Attached(sessions: sessions))
        sessions.links = lines.links.isEmpty ? nil : self
    }

    /// The log line about a step that the other session refused.
    static func refusal(of step: LinkedStep, from origin: SessionName, _ error: String) -> String {
        let what =
            switch step.action {
            case .open: "open it"
            case .send(let event, _): "send \(event)"
            }
        return "session \(step.target.text) refused to \(origin.text) to \(what): \(error)"
    }
}

extension RoomLinks: SessionLinks {
    func steps(after change: Change, of session: Session) -> [LinkedStep] {
        var steps: [LinkedStep] = []
        let found = lines.steps(
            after: change, flow: session.flow.name, labels: session.labels)
        for found in found {
            guard case .link(let line) = found.line else { continue }
            let id = OnLines.id(of: found, after: change, instance: instance)
            guard let step = line.step(for: found.occasion, after: change, id: id) else {
                failed += 1
                log.write(
                    .warning,
                    "a send of session \(change.session.text) to another one is given up: \(OutputMessage.unfit)"
                )
                continue
            }
            made += 1
            if remoteShard(change.session, step.target) == nil { steps.append(step) }
        }
        return steps
    }

    func refused(_ step: LinkedStep, from session: SessionName, _ error: RequestError) {
        failed += 1
        log.write(
            .warning, Self.refusal(of: step, from: session, error.name.description))
    }
}

extension RoomLinks: EventSource {
    func reload(_ options: Options) {
        lines = options.onLines
        for one in attached { one.sessions?.links = lines.links.isEmpty ? nil : self }
    }

    func flush() {}

    func writeMetrics(to page: inout MetricsPage) {
        guard !lines.links.isEmpty else { return }
        page.counter("gamed_links", "Steps of one session that followed from another one.", made)
        page.counter("gamed_links_failed", "Such steps that were refused.", failed)
    }

    func stop() {}
}
