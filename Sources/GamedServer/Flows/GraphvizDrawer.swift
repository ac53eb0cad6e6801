import EventLoop
import RPC
import Shell

/// Draws the diagrams of flows with Graphviz, from DOT to SVG, for the method `graph`. Draws one diagram at a time, on a thread
/// that ends with the drawing, and caches the drawings. All calls are on the loop's thread.
final class GraphvizDrawer: DiagramDrawer {
    /// What the drawing thread sends to the loop's thread.
    private struct DrawingResult: Sendable {
        /// The text of the diagram.
        let dot: String
        /// The SVG text; nil if the diagram could not be drawn.
        let drawing: String?
        /// Why the diagram could not be drawn; empty if it was drawn.
        let why: String
    }

    private typealias Done = (_ drawing: String?, _ why: String) -> Void

    /// The maximum number of cached drawings; a full cache is emptied.
    static let cacheLimit = 64
    /// The maximum number of diagrams that wait to be drawn, including the diagram that is being drawn.
    private static let waitingLimit = 64

    /// The cached SVG texts, by their DOT texts.
    private var drawings: [String: String] = [:]
    /// The DOT texts to draw. Each text has the callbacks of all calls that wait for its diagram. The first text is being
    /// drawn.
    private var queue: [(dot: String, callbacks: [Done])] = []
    /// Passes the results from the drawing threads to the loop's thread.
    private let inbox: ThreadInbox<DrawingResult>
    private var watcher: DescriptorWatcher?

    init(on loop: LibeventLoop) throws(EventLoopError) {
        inbox = try ThreadInbox()
        watcher = try inbox.open(on: loop) { [unowned self] in finish($0) }
    }

    /// If the drawing is cached, or if too many diagrams wait, calls `done` before it returns.
    func draw(_ dot: String, _ done: @escaping (_ drawing: String?, _ why: String) -> Void) {
        if let drawing = drawings[dot] { return done(drawing, "") }
        if let index = queue.firstIndex(where: { $0.dot == dot }) {
            queue[index].callbacks.append(done)
            return
        }
        guard queue.count < Self.waitingLimit else {
            return done(nil, "\(Self.waitingLimit) diagrams wait to be drawn already")
        }
        queue.append((dot, [done]))
        if queue.count == 1 { startDrawing() }
    }

    /// Starts a thread that draws the first diagram of the queue, if there is one.
    private func startDrawing() {
        guard let dot = queue.first?.dot else { return }
        do throws(EventLoopError) {
            try WorkerThread.start { [inbox] in
                let result: DrawingResult
                do throws(Graphviz.DrawingError) {
                    let bytes = try Graphviz.draw(dot, as: "svg")
                    result = DrawingResult(
                        dot: dot, drawing: String(decoding: bytes, as: UTF8.self), why: "")
                } catch { result = DrawingResult(dot: dot, drawing: nil, why: error.why) }
                inbox.send(result)
            }
        } catch { finish(DrawingResult(dot: dot, drawing: nil, why: "no thread: \(error)")) }
    }

    /// Called when the first diagram of the queue is drawn. Removes it from the queue, starts to draw the next diagram, and
    /// passes the result to the callbacks.
    private func finish(_ result: DrawingResult) {
        guard let request = queue.first, request.dot == result.dot else { return }
        queue.removeFirst()
        if drawings.count >= Self.cacheLimit { drawings.removeAll() }
        drawings[result.dot] = result.drawing
        startDrawing()
        for done in request.callbacks { done(result.drawing, result.why) }
    }
}
