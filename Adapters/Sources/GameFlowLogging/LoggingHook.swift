public import GameFlow
public import Logging
public import Timers

/// Logs what a machine does: each taken event, each command, and each refusal.
///
/// ```swift
/// let log = LoggingHook(flow: "game", logger: Logger(label: "game"))
/// let game = StateMachine(Game(), on: clock, hooks: [log])
/// game.didRefuse = { log.refused($0) }
/// do { try game.send(.startPlaying) } catch { log.refused(error) }
/// ```
///
/// Each message has the metadata `flow`, and `event`, `from`, `to` and `reason` as far as there are any. The data of states and the
/// arguments of events are not logged, because they can contain what people typed.
///
/// A hook may serve any number of machines of a flow, on any threads.
public final class LoggingHook: StepHook, Sendable {
    public let name = "logging"
    private let flow: String
    private let logger: Logger
    private let level: Logger.Level
    private let refusalLevel: Logger.Level

    /// `flow` is the flow's name. `level` is that of taken events and commands; `refusalLevel` is that of refusals.
    public init(
        flow: String, logger: Logger, level: Logger.Level = .info,
        refusalLevel: Logger.Level = .notice
    ) {
        (self.flow, self.logger) = (flow, logger)
        (self.level, self.refusalLevel) = (level, refusalLevel)
    }

    /// Called by the machine after each step, on the machine's thread.
    public func after(_ step: Step, at now: Instant) {
        let isRefusal = step.kind == .drop
        guard logger.logLevel <= (isRefusal ? refusalLevel : level) else { return }
        let fields: [(String, String?)] = [
            ("event", step.event?.name), ("from", step.from?.state), ("to", step.to?.state),
            ("reason", step.why?.name),
        ]
        switch step.kind {
        case .drop: log(refusalLevel, "event refused", fields)
        case .defer: log(level, "event deferred", fields)
        default: log(level, step.event == nil ? "state set" : "event taken", fields)
        }
    }

    /// Logs a refusal. A machine tells its hooks only about deferred events that it drops later. Call this function where `send`
    /// throws, and from `didRefuse`, which has the refusals of timers' signals and posted events. Call it on the machine's thread.
    public func refused<State, Event>(_ refusal: Refusal<State, Event>) {
        log(
            refusalLevel, "event refused",
            [
                ("event", refusal.eventName), ("from", refusal.stateName),
                ("reason", refusal.reason.name),
            ])
    }

    private func log(
        _ level: Logger.Level, _ message: Logger.Message, _ fields: [(String, String?)]
    ) {
        logger.log(level: level, message, metadata: metadata(fields))
    }

    private func metadata(_ fields: [(String, String?)]) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["flow": .string(flow)]
        for (key, value) in fields { if let value { metadata[key] = .string(value) } }
        return metadata
    }
}
