import EventLoop
import FlowFiles
import GameFlow
import Shards
import ShippedFlows
import Testing
import Timers

@testable import GamedServer

@Suite struct SurveyWorkerTests {
    private let loop: LibeventLoop
    private let worker: SurveyWorker

    init() throws {
        loop = try LibeventLoop()
        worker = SurveyWorker(on: loop) { "\($0.name).yaml" }
    }

    private func flow(_ name: String) throws -> AnyFlow {
        let text =
            "flow: \(name)\nstart: a\nsettings: {code: 0451}\nevents: {go: }\n"
            + "states:\n  a: {on: {go: b}}\n  b: {final: true}\n"
        return try FlowFile(text: Array(text.utf8), file: "\(name).yaml").flow
    }

    @Test func `a flow file is surveyed later, and the result is that of the flow itself`() throws {
        let flow = try flow("a")
        var isDone = false
        worker.survey(flow) { [loop] in
            isDone = true
            loop.stop()
        }
        // The loop was not held: the survey is not made in the call.
        #expect(!isDone && !flow.isSurveyed)
        loop.run()
        #expect(isDone && flow.isSurveyed)
        #expect(flow.survey.map(\.successors) == [["b"], []])
        #expect(
            flow.warnings == [
                "a.yaml:3:18: 0451 is read as the number 451; write '0451' for a text"
            ])
        // A second call is answered at once.
        isDone = false
        worker.survey(flow) { isDone = true }
        #expect(isDone)
    }

    @Test func `a client's flow comes before the flows in the background`() throws {
        let flows = try ["a", "b", "c"].map(flow)
        var order: [String] = []
        /// Stops the loop after the last of four callbacks.
        func add(_ name: String) {
            order.append(name)
            if order.count == 4 { loop.stop() }
        }
        for flow in flows {
            worker.searchInBackground(flow) { dot in
                // Each row was tried, so the diagram comes with the survey.
                #expect(dot?.contains("go") == true)
                add(flow.name)
            }
        }
        worker.survey(flows[2]) { add("client") }
        loop.run()
        #expect(order == ["a", "c", "client", "b"])
    }

    @Test func `settings are those of the flow, and a compiled flow is surveyed at once`() throws {
        let flow = try flow("a").with(settings: [Member("code", "7")])
        worker.survey(flow) { [loop] in loop.stop() }
        loop.run()
        #expect(flow.settings.map(\.value) == ["7"] && flow.isSurveyed)
        var isDone = false
        worker.survey(AnyFlow(Game())) { isDone = true }
        #expect(isDone)
    }

    @Test func `a search comes after the survey`() throws {
        let deep =
            "flow: deep\nstart: a\nevents: {go: , late: }\nstates:\n"
            + "  a:\n    timers: {t: {after: 2s}}\n"
            + "    on: {late: {if: left(t) < 1500ms, to: b}, go: stay, t: b}\n  b: {final: true}\n"
        let flow = try FlowFile(text: Array(deep.utf8), file: "deep.yaml").flow
        var order: [String] = []
        /// Stops the loop after the last of two callbacks.
        func add(_ name: String) {
            order.append(name)
            if order.count == 2 { loop.stop() }
        }
        worker.searchInBackground(flow) { dot in
            #expect(dot?.contains("late") == true && dot?.contains("gray50") == false)
            add("search")
        }
        worker.survey(flow) {
            #expect(flow.isSurveyed && !flow.isSearched)
            add("survey")
        }
        loop.run()
        #expect(order == ["survey", "search"])
        #expect(flow.isSearched)
        // A second search is answered at once.
        var isDone = false
        worker.search(flow) { isDone = true }
        #expect(isDone)
    }
}
