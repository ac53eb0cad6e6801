public import GameFlow
internal import JSON
public import Timers

/// A hook that writes down what was done: a line of JSON each, without its newline.
public final class AuditLog: Hook {
    public let name = "auditLog"
    private let write: (String) -> Void
    private let encoder = Encoder()

    /// A log whose lines go to `write`.
    public init(_ write: @escaping (String) -> Void) { self.write = write }

    public func after(_ step: Step, at now: Instant) {
        let line = JSONWriter.bytes {
            $0.beginObject()
            $0.name("atMs")
            $0.int(Int(now.milliseconds))
            encoder.step(step, .full, to: &$0)
            encoder.effects(step.effects, to: &$0)
            $0.endObject()
        }
        write(String(decoding: line, as: UTF8.self))
    }
}
