public import GameFlow
internal import JSONCoding
public import Timers

/// A hook that logs each step of a machine as one line of JSON. The senders' identities and hidden names are included.
public final class AuditLog: StepHook {
    public let name = "auditLog"
    private let write: (String) -> Void
    private let encoder = Encoder()

    /// Creates a log that passes each line to `write`, without a newline.
    public init(_ write: @escaping (String) -> Void) { self.write = write }

    /// Writes the line for a step. `step` happened at the instant `now` of the machine's clock.
    public func after(_ step: Step, at now: Instant) {
        let line = JSONWriter.bytes {
            $0.beginObject()
            $0.name("atMs")
            $0.int(Int(now.milliseconds))
            encoder.step(step, .full, to: &$0)
            $0.effects(step.effects)
            $0.endObject()
        }
        write(String(decoding: line, as: UTF8.self))
    }
}
