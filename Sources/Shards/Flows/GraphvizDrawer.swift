package import EventLoop
import RPC
package import Shell
import Support

/// Draws the diagrams of flows with Graphviz, from DOT to SVG, for the method `graph`, on threads that end with the drawing.
/// Caches the drawings. All calls are on the loop's thread.
///
/// Large diagrams may take until Graphviz's time limit. They are drawn one at a time beside the small diagrams, which therefore
/// never wait for a large one. A diagram that took too long is not drawn again.
package final class GraphvizDrawer: DiagramDrawer {
    /// What a drawing thread sends to the loop's thread.
    private struct DrawingResult: Sendable {
        /// The text of the diagram.
        let dot: ByteText
        let drawing: Drawing
        /// Whether another attempt can give another result.
        let isLasting: Bool
    }

    /// The SVG text of a diagram, or why it could not be drawn.
    private enum Drawing: Sendable {
        case svg(String)
        case failure(String)
    }

    private typealias Done = (_ drawing: String?, _ why: String) -> Void

    /// The maximum number of cached drawings; a full cache is emptied.
    static let cacheLimit = 64
    /// The maximum number of diagrams of a lane that wait to be drawn, including the diagram that is being drawn.
    private static let waitingLimit = 64
    /// The size in bytes of a DOT text from which a diagram is large.
    package static let largeSize = 16 << 10

    /// The cached drawings, by their DOT texts.
    private var drawings: [ByteText: Drawing] = [:]
    /// Two lanes, of small and of large diagrams. A lane has the DOT texts to draw, one after the other. Each text has the
    /// callbacks of all calls that wait for its diagram. The first text is being drawn.
    private var lanes: [[(dot: ByteText, callbacks: [Done])]] = [[], []]
    private let jobs: WorkerJobs<DrawingResult>
    /// Draws a diagram, and blocks until it is drawn. Tests replace this function.
    private let graphviz: @Sendable (String) -> Result<[UInt8], Graphviz.DrawingError>

    package init(
        on loop: LibeventLoop,
        graphviz: @escaping @Sendable (String) -> Result<[UInt8], Graphviz.DrawingError> = { dot in
            do throws(Graphviz.DrawingError) {
                return .success(try Graphviz.draw(dot, as: "svg"))
            } catch { return .failure(error) }
        }
    ) {
        (jobs, self.graphviz) = (WorkerJobs(on: loop), graphviz)
    }

    /// If the drawing is cached, or if too many diagrams wait, calls `done` before it returns.
    package func draw(_ dot: String, _ done: @escaping (_ drawing: String?, _ why: String) -> Void)
    {
        let text = ByteText(dot)
        if let drawing = drawings[text] { return Self.pass(drawing, to: done) }
        let lane = Self.lane(of: text)
        if let index = lanes[lane].firstIndex(where: { $0.dot == text }) {
            lanes[lane][index].callbacks.append(done)
            return
        }
        guard lanes[lane].count < Self.waitingLimit else {
            return done(nil, "\(Self.waitingLimit) diagrams wait to be drawn already")
        }
        lanes[lane].append((text, [done]))
        if lanes[lane].count == 1 { startDrawing(in: lane) }
    }

    /// The index of the lane of a diagram.
    private static func lane(of dot: ByteText) -> Int { dot.text.utf8.count < largeSize ? 0 : 1 }

    private static func pass(_ drawing: Drawing, to done: Done) {
        switch drawing {
        case .svg(let text): done(text, "")
        case .failure(let why): done(nil, why)
        }
    }

    /// Starts a thread that draws the first diagram of a lane, if there is one.
    private func startDrawing(in lane: Int) {
        guard let dot = lanes[lane].first?.dot else { return }
        do throws(EventLoopError) {
            try jobs.start { [graphviz] in
                switch graphviz(dot.text) {
                case .success(let bytes):
                    let svg = String(decoding: bytes, as: UTF8.self)
                    return DrawingResult(dot: dot, drawing: .svg(svg), isLasting: true)
                case .failure(let error):
                    return DrawingResult(
                        dot: dot, drawing: .failure(error.why), isLasting: error.tookTooLong)
                }
            } _: { [weak self] result in
                self?.finish(result)
            }
        } catch {
            finish(
                DrawingResult(dot: dot, drawing: .failure("\(error)"), isLasting: false))
        }
    }

    /// Called when the first diagram of a lane is drawn. Removes it from the lane, starts to draw the next diagram, and passes
    /// the result to the callbacks.
    private func finish(_ result: DrawingResult) {
        let lane = Self.lane(of: result.dot)
        guard let request = lanes[lane].first, request.dot == result.dot else { return }
        lanes[lane].removeFirst()
        if result.isLasting {
            if drawings.count >= Self.cacheLimit { drawings.removeAll() }
            drawings[result.dot] = result.drawing
        }
        startDrawing(in: lane)
        for done in request.callbacks { Self.pass(result.drawing, to: done) }
    }
}
