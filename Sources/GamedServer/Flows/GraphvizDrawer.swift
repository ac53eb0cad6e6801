import EventLoop
import RPC
import Shell

/// Draws diagrams with Graphviz, one at a time and each on a thread of its own, and caches the drawings by their DOT text.
final class GraphvizDrawer: DiagramDrawer {
    private struct Result: Sendable {
        let dot: String
        let drawing: String?
        let why: String
    }

    private typealias Done = (_ drawing: String?, _ why: String) -> Void

    /// The maximum number of cached drawings; a full cache is emptied.
    static let keptLimit = 64
    /// The maximum number of diagrams that wait to be drawn, with the one that is being drawn.
    private static let waitingLimit = 64

    private var kept: [String: String] = [:]
    private var waiting: [(dot: String, done: [Done])] = []
    private let inbox: ThreadInbox<Result>
    private var watcher: DescriptorWatcher?

    init(on loop: LibeventLoop) throws(EventLoopError) {
        inbox = try ThreadInbox()
        watcher = try inbox.open(on: loop) { [unowned self] in take($0) }
    }

    func draw(_ dot: String, _ done: @escaping (_ drawing: String?, _ why: String) -> Void) {
        if let drawing = kept[dot] { return done(drawing, "") }
        if let place = waiting.firstIndex(where: { $0.dot == dot }) {
            waiting[place].done.append(done)
            return
        }
        guard waiting.count < Self.waitingLimit else {
            return done(nil, "\(Self.waitingLimit) diagrams wait to be drawn already")
        }
        waiting.append((dot, [done]))
        if waiting.count == 1 { start() }
    }

    /// Draws the first diagram that waits.
    private func start() {
        guard let dot = waiting.first?.dot else { return }
        do throws(EventLoopError) {
            try WorkerThread.start { [inbox] in
                let result: Result
                do throws(Graphviz.DrawingError) {
                    let bytes = try Graphviz.draw(dot, as: "svg")
                    result = Result(
                        dot: dot, drawing: String(decoding: bytes, as: UTF8.self), why: "")
                } catch { result = Result(dot: dot, drawing: nil, why: error.why) }
                inbox.send(result)
            }
        } catch { take(Result(dot: dot, drawing: nil, why: "no thread: \(error)")) }
    }

    private func take(_ result: Result) {
        guard let first = waiting.first, first.dot == result.dot else { return }
        waiting.removeFirst()
        if kept.count >= Self.keptLimit { kept.removeAll() }
        kept[result.dot] = result.drawing
        start()
        for done in first.done { done(result.drawing, result.why) }
    }
}
