package import EventLoop
import FlowAnalysis
import FlowFiles
package import GameFlow
import RPC

/// Surveys the flows of flow files on a thread, one after the other, so that no survey holds the event loop. A survey of an
/// ordinary file takes a few milliseconds; that of a large one takes some hundred. If no try of the survey took some row, a diagram
/// needs the search of `Lint`, which can take seconds. So searches have a thread of their own, and no survey waits for one.
///
/// The thread reads the flow's text again: it cannot use the loop's `AnyFlow`. The survey of a flow that is compiled into the
/// program is computed at once. Its author decides how many samples it has. All calls are on the loop's thread.
package final class SurveyWorker: FlowSurveyor {
    /// What the thread needs to make an equal flow.
    private struct Job: Sendable {
        let source: FlowSource
        let settings: [Member]
        /// The name of the file, for warnings.
        let file: String
        /// What is known of the flow. With it, the job looks for the rows that no try took, and draws the diagram.
        let survey: SurveyResult?

        /// Makes the flow, and surveys it. Nil if the text cannot be read; it was read before, so this does not happen.
        var result: Result {
            guard
                let file = try? FlowFile(
                    text: source.text, file: file, tableFiles: source.tableFiles),
                let flow = try? file.flow.with(settings: settings)
            else { return Result(survey: nil, warnings: [], dot: nil) }
            if let survey { flow.adopt(survey, warnings: flow.warnings) }
            _ = flow.surveyResult
            // After a first survey that took each row, the diagram needs no search.
            let dot =
                survey != nil || flow.isSearched ? Diagram(flow, hiding: nil).text(.dot) : nil
            return Result(survey: flow.surveyResult, warnings: flow.warnings, dot: dot)
        }
    }

    /// What the thread sends to the loop's thread.
    private struct Result: Sendable {
        let survey: SurveyResult?
        let warnings: [String]
        /// The flow's diagram in DOT, as operators see it; nil if the rows were not searched yet.
        let dot: String?
    }

    /// Gets the diagram in DOT; nil if the flow was searched before.
    package typealias Callback = (_ dot: String?) -> Void

    /// A call that waits for a flow.
    private struct Call {
        let needsSearch: Bool
        /// Whether a client waits. Otherwise the call is of the background.
        let isUrgent: Bool
        let done: Callback
    }

    /// A flow to survey, with all calls that wait for it. The first of the queue is being surveyed, or searched if its survey is there.
    private var queue: [(flow: AnyFlow, calls: [Call])] = []
    /// The flows of `queue`.
    private var queued: Set<ObjectIdentifier> = []
    /// Returns the name of a flow's file, for warnings.
    private let fileName: (AnyFlow) -> String
    private let inbox: ThreadInbox<Result>
    private var watcher: DescriptorWatcher?

    /// Makes the searches of this worker's flows; nil for a worker that makes them itself.
    private let searches: SurveyWorker?

    package convenience init(on loop: LibeventLoop, fileName: @escaping (AnyFlow) -> String)
        throws(EventLoopError)
    {
        let searches = try SurveyWorker(on: loop, fileName, searches: nil)
        try self.init(on: loop, fileName, searches: searches)
    }

    private init(
        on loop: LibeventLoop, _ fileName: @escaping (AnyFlow) -> String, searches: SurveyWorker?
    ) throws(EventLoopError) {
        (self.fileName, self.searches) = (fileName, searches)
        inbox = try ThreadInbox()
        watcher = try inbox.open(on: loop) { [unowned self] in finish($0) }
    }

    /// Surveys a flow for a client: before the flows that are surveyed in the background.
    package func survey(_ flow: AnyFlow, _ done: @escaping () -> Void) {
        if flow.isSurveyed || flow.source == nil { return done() }
        add(flow, [Call(needsSearch: false, isUrgent: true) { _ in done() }])
    }

    /// Surveys and searches a flow for a client: before the flows that are surveyed in the background.
    package func search(_ flow: AnyFlow, _ done: @escaping () -> Void) {
        if flow.isSearched || flow.source == nil { return done() }
        addSearch(flow, [Call(needsSearch: true, isUrgent: true) { _ in done() }])
    }

    /// Surveys a flow after all others that wait.
    package func surveyInBackground(_ flow: AnyFlow, _ done: @escaping () -> Void) {
        if flow.isSurveyed || flow.source == nil { return done() }
        add(flow, [Call(needsSearch: false, isUrgent: false) { _ in done() }])
    }

    /// Surveys and searches a flow after all others that wait.
    package func searchInBackground(_ flow: AnyFlow, _ done: @escaping Callback) {
        if flow.isSearched || flow.source == nil { return done(nil) }
        addSearch(flow, [Call(needsSearch: true, isUrgent: false, done: done)])
    }

    /// Adds a flow that needs a search, and perhaps a survey first.
    private func addSearch(_ flow: AnyFlow, _ added: [Call]) {
        let worker = flow.isSurveyed ? searches ?? self : self
        worker.add(flow, added)
    }

    private func add(_ flow: AnyFlow, _ added: [Call]) {
        let isUrgent = added.contains { $0.isUrgent }
        var calls = added
        if !queued.insert(ObjectIdentifier(flow)).inserted,
            let index = queue.firstIndex(where: { $0.flow === flow })
        {
            if index == 0 || !isUrgent {
                queue[index].calls += added
                return
            }
            calls = queue.remove(at: index).calls + calls
        }
        // The first flow is being surveyed.
        queue.insert((flow, calls), at: isUrgent ? min(1, queue.count) : queue.count)
        if queue.count == 1 { start() }
    }

    /// Starts a thread that surveys or searches the first flow of the queue, if there is one.
    private func start() {
        guard let flow = queue.first?.flow, let source = flow.source else { return }
        let job = Job(
            source: source, settings: flow.changedSettings, file: fileName(flow),
            survey: flow.isSurveyed ? flow.surveyResult : nil)
        do throws(EventLoopError) {
            try WorkerThread.start { [inbox] in inbox.send(job.result) }
        } catch { finish(job.result) }  // without a thread, the loop has to do it
    }

    /// Called when the first flow of the queue is surveyed or searched.
    private func finish(_ result: Result) {
        let (flow, calls) = queue.removeFirst()
        queued.remove(ObjectIdentifier(flow))
        if let survey = result.survey { flow.adopt(survey, warnings: result.warnings) }
        // A flow whose text cannot be read is not searched again.
        let isDone = flow.isSearched || result.survey == nil
        let waiting = calls.filter { !isDone && $0.needsSearch }
        start()
        if !waiting.isEmpty { addSearch(flow, waiting) }
        for call in calls where isDone || !call.needsSearch { call.done(result.dot) }
    }
}
