import EventLoop
import RPC
import Shell

/// Draws diagrams with Graphviz, one at a time, each on its own thread. It caches the drawings by their DOT texts.
final class GraphvizDrawer: DiagramDrawer {
    private struct Result: Sendable {
        let dot: String
        /// The SVG text; nil if the diagram could not be drawn.
        let drawing: String?
        /// Why the diagram could not be drawn; empty if it was drawn.
        let why: String
    }

    private typealias Done = (_ drawing: String?, _ why: String) -> Void

    /// The maximum number of cached drawings; a full cache is emptied.
    static let cacheLimit = 64
    /// The maximum number of diagrams that wait to be drawn, including the one that is being drawn.
    private static let waitingLimit = 64

    private var drawings: [String: String] = [:]
    /// The DOT texts to draw, each with the callbacks of its requests. The first one is being drawn.
    private var waiting: [(dot: String, done: [Done])] = []
    private let inbox: ThreadInbox<Result>
    private var watcher: DescriptorWatcher?

    init(on loop: LibeventLoop) throws(EventLoopError) {
        inbox = try ThreadInbox()
        watcher = try inbox.open(on: loop) { [unowned self] in finish($0) }
    }

    func draw(_ dot: String, _ done: @escaping (_ drawing: String?, _ why: String) -> Void) {
        if let drawing = drawings[dot] { return done(drawing, "") }
        if let index = waiting.firstIndex(where: { $0.dot == dot }) {
            waiting[index].done.append(done)
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
        } catch { finish(Result(dot: dot, drawing: nil, why: "no thread: \(error)")) }
    }

    private func finish(_ result: Result) {
        guard let drawn = waiting.first, drawn.dot == result.dot else { return }
        waiting.removeFirst()
        if drawings.count >= Self.cacheLimit { drawings.removeAll() }
        drawings[result.dot] = result.drawing
        start()
        for done in drawn.done { done(result.drawing, result.why) }
    }
}
