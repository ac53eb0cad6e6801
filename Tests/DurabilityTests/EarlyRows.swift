import Sessions
import Timers

/// Rows whose bounds of deadlines are earlier than their timers' deadlines by `duration`: a bound is not always exact.
final class EarlyRows: SessionRows {
    private let rows: any SessionRows
    private let duration: Duration

    init(_ rows: any SessionRows, by duration: Duration) {
        (self.rows, self.duration) = (rows, duration)
    }

    var count: Int { rows.count }

    func forEach(
        leaving mayWait: (_ number: Int, SessionName, TimerBounds) -> Bool,
        _ process: (borrowing SessionRecord, Checkpoint) -> Void,
        unreadable: (Sessions.QuarantineError) -> Void
    ) {
        rows.forEach(
            leaving: { number, name, bounds in
                let deadline = bounds.deadline.map { $0 + (.zero - duration) }
                return mayWait(number, name, TimerBounds(deadline: deadline, order: bounds.order))
            }, process, unreadable: unreadable)
    }

    func number(of name: SessionName) -> Int? { rows.number(of: name) }
    func name(of number: Int) -> SessionName { rows.name(of: number) }
    func flow(of number: Int) -> String? { rows.flow(of: number) }

    func take(_ number: Int, _ name: SessionName) throws(Sessions.QuarantineError)
        -> (SessionRecord, Checkpoint)
    {
        try rows.take(number, name)
    }
}
