import GameFlow
import GameFlowMetrics
import Metrics
import ShippedFlows
import Synchronization
import Testing
import Timers

@Suite struct MetricsHookTests {
    /// The metrics of this process, which can be installed only once. Each test has a flow name of its own.
    private static let factory: CountingFactory = {
        let factory = CountingFactory()
        MetricsSystem.bootstrap(factory)
        return factory
    }()

    @Test func `transitions are counted by flow and edge, and refusals by reason`() throws {
        let factory = Self.factory
        let hook = MetricsHook(flow: "edges")
        let games = (0..<2).map { _ in StateMachine(Game(), on: VirtualClock(), hooks: [hook]) }
        for game in games {
            try game.send(.displayHelp)
            do { try game.send(.pause) } catch { hook.refused(error) }
        }
        let edge = "event=displayHelp,from=introduction,to=help"
        #expect(factory.count("gameflow_transitions{flow=edges,\(edge)}") == 2)
        #expect(factory.count("gameflow_refusals{flow=edges,reason=noTransition}") == 2)
    }

    @Test func `transitions beyond the limit are counted together`() throws {
        let factory = Self.factory
        let game = StateMachine(
            Game(), on: VirtualClock(), hooks: [MetricsHook(flow: "few", edgeLimit: 1)])
        for _ in 0..<3 {
            try game.send(.displayHelp)
            try game.send(.dismissHelp)
        }
        #expect(
            factory.count("gameflow_transitions{flow=few,event=other,from=other,to=other}") >= 5)
        #expect(factory.names.count { $0.contains("flow=few") } == 2)
    }
}

/// Counts by the text of a counter's label and dimensions.
private final class CountingFactory: MetricsFactory {
    private let counts = Mutex<[String: Int64]>([:])

    var names: [String] { counts.withLock { Array($0.keys) } }
    func count(_ name: String) -> Int64 { counts.withLock { $0[name] ?? 0 } }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let text = dimensions.map { "\($0)=\($1)" }.joined(separator: ",")
        return Handler("\(label){\(text)}", self)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool)
        -> any RecorderHandler
    { NOOPMetricsHandler.instance }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        NOOPMetricsHandler.instance
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private final class Handler: CounterHandler {
        private let name: String
        private let factory: CountingFactory

        init(_ name: String, _ factory: CountingFactory) {
            (self.name, self.factory) = (name, factory)
        }

        func increment(by amount: Int64) {
            factory.counts.withLock { $0[name, default: 0] += amount }
        }
        func reset() { factory.counts.withLock { $0[name] = 0 } }
    }
}
