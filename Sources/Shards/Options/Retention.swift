package import Timers

/// How long rows that no session needs are kept.
package enum Retention: Equatable, Sendable {
    case forever
    case limited(Duration)

    /// Rows that were recorded before the result are removed; nil if none is.
    package func cutoff(at now: Instant) -> Instant? {
        switch self {
        case .forever: nil
        case .limited(let time): now + (.zero - time)
        }
    }
}
