public import Access
internal import GameFlow
public import Sessions

/// The part of a session's information that a peer may see.
public enum View: Int, CaseIterable, Sendable {
    /// Everything: for peers that may operate the session.
    case full
    /// Without the addresses and names of other peers: for peers that may only play or observe.
    case limited
}

extension Rights {
    /// The view of a session for a peer with these rights.
    public func view(_ session: SessionName) -> View {
        isEverything || has(.operate, in: session) ? .full : .limited
    }
}

extension View {
    /// The error in this view. An error can include the source of the session's last change.
    func error(_ error: RequestError) -> RequestError {
        guard self == .limited,
            case .noTransition(let event, let state, let accepts, let last?) = error
        else { return error }
        let limited = LastChange(
            event: last.event, source: Source(last.source.kind), seq: last.seq, at: last.at)
        return .noTransition(event: event, state: state, accepts: accepts, last: limited)
    }

    /// The data, in this view, of an error that was read from the journal.
    func errorData(_ data: [Member]) -> [Member] {
        guard self == .limited else { return data }
        return data.map { member in
            guard member.name == "last", case .object(let last) = member.value else {
                return member
            }
            return Member("last", .object(last.map(Self.withoutPeer)))
        }
    }

    private static func withoutPeer(_ member: Member) -> Member {
        guard member.name == "source", case .object(let source) = member.value else {
            return member
        }
        return Member("source", .object(source.filter { $0.name == "kind" }))
    }
}
