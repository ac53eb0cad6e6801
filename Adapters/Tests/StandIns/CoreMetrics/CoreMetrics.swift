/// The declarations of swift-metrics that the adapters and their tests use. They have the same signatures as those of the package.
public final class Counter {
    private let handler: any CounterHandler

    public init(label: String, dimensions: [(String, String)] = []) {
        handler = MetricsSystem.factory.makeCounter(label: label, dimensions: dimensions)
    }

    public func increment() { handler.increment(by: 1) }
}

public protocol CounterHandler: AnyObject, Sendable {
    func increment(by: Int64)
    func reset()
}

public protocol RecorderHandler: AnyObject, Sendable {
    func record(_ value: Int64)
    func record(_ value: Double)
}

public protocol TimerHandler: AnyObject, Sendable {
    func recordNanoseconds(_ duration: Int64)
}

public protocol MetricsFactory: Sendable {
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool)
        -> any RecorderHandler
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler
    func destroyCounter(_ handler: any CounterHandler)
    func destroyRecorder(_ handler: any RecorderHandler)
    func destroyTimer(_ handler: any TimerHandler)
}

public final class NOOPMetricsHandler: CounterHandler, RecorderHandler, TimerHandler {
    public static let instance = NOOPMetricsHandler()
    public func increment(by: Int64) {}
    public func reset() {}
    public func record(_ value: Int64) {}
    public func record(_ value: Double) {}
    public func recordNanoseconds(_ duration: Int64) {}
}

/// `bootstrap` is called once, before the first counter is made.
public enum MetricsSystem {
    nonisolated(unsafe) private static var installed: (any MetricsFactory)?

    public static func bootstrap(_ factory: any MetricsFactory) { installed = factory }

    public static var factory: any MetricsFactory { installed! }
}
