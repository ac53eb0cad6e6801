import GameFlow
import RPC
import Sessions

/// The sends between sessions that the configuration asks for.
final class RoomLinks {
    private var lines = OnLines()
    private unowned let sessions: Sessions
    private let instance: String
    private var (made, failed) = (0, 0)
    private var log = LogThrottle(limit: 256)

    init(_ options: Options, _ sessions: Sessions, instance: String) {
        (self.sessions, self.instance) = (sessions, instance)
        reload(options)
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
            guard let step = line.step(for: found.occasion, id: id) else {
                failed += 1
                log.write(
                    .warning,
                    "a send of session \(change.session.text) to another one is given up: \(OutputMessage.unfit)"
                )
                continue
            }
            made += 1
            steps.append(step)
        }
        return steps
    }

    func refused(_ step: LinkedStep, from session: SessionName, _ error: RequestError) {
        failed += 1
        let what =
            switch step.action {
            case .open: "open it"
            case .send(let event, _): "send \(event)"
            }
        log.write(
            .warning,
            "session \(step.target.text) refused to \(session.text) to \(what): \(error.name)")
    }
}

extension RoomLinks: EventSource {
    func reload(_ options: Options) {
        lines = options.onLines
        sessions.links = lines.links.isEmpty ? nil : self
    }

    func flush() {}

    func writeMetrics(to page: inout MetricsPage) {
        guard !lines.links.isEmpty else { return }
        page.counter("gamed_links", "Steps of one session that followed from another one.", made)
        page.counter("gamed_links_failed", "Such steps that were refused.", failed)
    }

    func stop() {}
}
