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
        let work: Work

        enum Work {
            case survey
            /// To look for the rows that no try of this survey took, and to draw the diagram.
            case search(of: SurveyResult)
        }

        /// Makes the flow, and does the work.
        var result: Result {
            guard
                let file = try? FlowFile(
                    text: source.text, file: file, tableFiles: source.tableFiles),
                let flow = try? file.flow.with(settings: settings)
            else { return .unreadable }
            switch work {
            case .search(let survey): flow.adopt(survey, warnings: flow.warnings)
            case .survey:
                let survey = flow.surveyResult
                // After a survey that took each row, the diagram needs no search.
                if !flow.isSearched { return .surveyed(survey, warnings: flow.warnings) }
            }
            let dot = Diagram(flow, hiding: nil).text(.dot)
            return .searched(flow.surveyResult, warnings: flow.warnings, dot: dot)
        }
    }

    /// What the thread sends to the loop's thread.
    private enum Result: Sendable {
        /// The text cannot be read; it was read before, so this does not happen.
        case unreadable
        /// The survey was made, and no row was searched.
        case surveyed(SurveyResult, warnings: [String])
        /// The rows were searched, or need no search. `dot` is the flow's diagram in DOT, as operators see it.
        case searched(SurveyResult, warnings: [String], dot: String)
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

    /// The flows that wait for one kind of work. A thread works on the first one.
    private struct FlowQueue {
        /// Each flow, with all calls that wait for it.
        var waiting: [(flow: AnyFlow, calls: [Call])] = []
        /// The flows of `waiting`.
        var flows: Set<ObjectIdentifier> = []
    }

    /// The queue of flows that are not surveyed yet.
    private static let surveys = 0
    /// The queue of flows that are searched.
    private static let searches = 1
    private var queues = [FlowQueue(), FlowQueue()]
    /// Returns the name of a flow's file, for warnings.
    private let fileName: (AnyFlow) -> String
    private let jobs: WorkerJobs<Result>

    package init(on loop: LibeventLoop, fileName: @escaping (AnyFlow) -> String) {
        (jobs, self.fileName) = (WorkerJobs(on: loop), fileName)
    }

    /// Surveys a flow for a client: before the flows that are surveyed in the background.
    package func survey(_ flow: AnyFlow, _ done: @escaping () -> Void) {
        if flow.isSurveyed || flow.source == nil { return done() }
        add(flow, [Call(needsSearch: false, isUrgent: true) { _ in done() }], to: Self.surveys)
    }

    /// Surveys and searches a flow for a client: before the flows that are surveyed in the background.
    package func search(_ flow: AnyFlow, _ done: @escaping () -> Void) {
        if flow.isSearched || flow.source == nil { return done() }
        addSearch(flow, [Call(needsSearch: true, isUrgent: true) { _ in done() }])
    }

    /// Surveys a flow after all others that wait.
    package func surveyInBackground(_ flow: AnyFlow, _ done: @escaping () -> Void) {
        if flow.isSurveyed || flow.source == nil { return done() }
        add(flow, [Call(needsSearch: false, isUrgent: false) { _ in done() }], to: Self.surveys)
    }

    /// Surveys and searches a flow after all others that wait.
    package func searchInBackground(_ flow: AnyFlow, _ done: @escaping Callback) {
        if flow.isSearched || flow.source == nil { return done(nil) }
        addSearch(flow, [Call(needsSearch: true, isUrgent: false, done: done)])
    }

    /// Adds a flow that needs a search, and perhaps a survey first.
    private func addSearch(_ flow: AnyFlow, _ added: [Call]) {
        add(flow, added, to: flow.isSurveyed ? Self.searches : Self.surveys)
    }

    private func add(_ flow: AnyFlow, _ added: [Call], to queue: Int) {
        let isUrgent = added.contains { $0.isUrgent }
        var calls = added
        if !queues[queue].flows.insert(ObjectIdentifier(flow)).inserted,
            let index = queues[queue].waiting.firstIndex(where: { $0.flow === flow })
        {
            if index == 0 || !isUrgent {
                queues[queue].waiting[index].calls += added
                return
            }
            calls = queues[queue].waiting.remove(at: index).calls + calls
        }
        // The first flow is being surveyed.
        let count = queues[queue].waiting.count
        queues[queue].waiting.insert((flow, calls), at: isUrgent ? min(1, count) : count)
        if queues[queue].waiting.count == 1 { start(queue) }
    }

    /// Starts a thread that surveys or searches the first flow of a queue, if there is one.
    private func start(_ queue: Int) {
        guard let flow = queues[queue].waiting.first?.flow, let source = flow.source else { return }
        let job = Job(
            source: source, settings: flow.changedSettings, file: fileName(flow),
            work: flow.isSurveyed ? .search(of: flow.surveyResult) : .survey)
        do throws(EventLoopError) {
            try jobs.start {
                job.result
            } _: { [weak self] result in
                self?.finish(queue, result)
            }
        } catch {
            // Without a thread or a descriptor, the loop has to do it.
            finish(queue, job.result)
        }
    }

    /// Called when the first flow of a queue is surveyed or searched.
    private func finish(_ queue: Int, _ result: Result) {
        let (flow, calls) = queues[queue].waiting.removeFirst()
        queues[queue].flows.remove(ObjectIdentifier(flow))
        var (dot, isDone) = (String?.none, false)
        switch result {
        // It is not searched again.
        case .unreadable: isDone = true
        case .surveyed(let survey, let warnings):
            flow.adopt(survey, warnings: warnings)
            isDone = flow.isSearched
        case .searched(let survey, let warnings, let drawn):
            flow.adopt(survey, warnings: warnings)
            (dot, isDone) = (drawn, true)
        }
        let waiting = calls.filter { !isDone && $0.needsSearch }
        start(queue)
        if !waiting.isEmpty { addSearch(flow, waiting) }
        for call in calls where isDone || !call.needsSearch { call.done(dot) }
    }
}
