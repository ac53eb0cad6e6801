internal import GameFlow

/// The sessions that are marked as stuck, and their number by flow. A mark is valid only while its session is in the entry in which
/// it was marked.
public struct StuckMarks {
    private var marks: [SessionName: (entry: Int, flow: String)] = [:]
    /// The number of marked sessions of each flow that has any.
    public private(set) var countsByFlow: [String: Int] = [:]

    /// The entry in which a session was marked; nil if it is not marked.
    public func entry(of session: SessionName) -> Int? { marks[session]?.entry }

    mutating func add(_ session: Session) {
        remove(session.name)
        marks[session.name] = (session.entry, session.flow.name)
        countsByFlow[session.flow.name, default: 0] += 1
    }

    /// Does nothing if the session is not marked.
    mutating func remove(_ session: SessionName) {
        guard !marks.isEmpty, let mark = marks.removeValue(forKey: session),
            let count = countsByFlow[mark.flow]
        else { return }
        countsByFlow[mark.flow] = count > 1 ? count - 1 : nil
    }
}
