import GameFlow
package import RPC
package import Sessions
import Support
package import Timers

/// The parameters by which the methods about past games select games.
extension Params {
    /// The parameter `since`: games that were opened before this instant are left out. The parameter is a number or a text. A
    /// number is the milliseconds since the zero of the sessions' clock. A text is a date of the daemon's wall clock, or a duration
    /// before now. Nil if the parameter is not given.
    package func since(_ sessions: Sessions) throws(CallError) -> Instant? {
        guard let value = value(.since) else { return nil }
        let instant =
            switch value {
            case .int(let milliseconds): InstantText.read(milliseconds: milliseconds)
            case .string(let text):
                InstantText.read(text, before: sessions.now, on: sessions.wallClock)
            default: nil as Instant?
            }
        guard let instant else {
            throw .invalidParams("since: expected \(InstantText.expectedForm)")
        }
        return instant
    }

    /// The parameter `without`, the name of a label: games with this label are left out. Nil if it is not given.
    func labelToLeaveOut() throws(CallError) -> String? {
        guard let name = text(.without) else { return nil }
        guard NoteLimits.isLabelName(name) else {
            throw .invalidParams("without: \(NoteLimits.labelNameRule)")
        }
        return name
    }
}
