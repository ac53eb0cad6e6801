/// A link of a list of sessions. It does not keep its session alive, and its use counts no reference: a session leaves its list before
/// it is released. (A use of an `unowned(unsafe)` property counts one.)
struct SessionLink: Equatable {
    private let session: Unmanaged<Session>

    init(_ session: Session) { self.session = .passUnretained(session) }

    static func == (a: SessionLink, b: SessionLink) -> Bool {
        a.session.toOpaque() == b.session.toOpaque()
    }

    /// The session, with a counted reference.
    var counted: Session { session.takeUnretainedValue() }
    /// When the session's stay began.
    var since: Int64 { session._withUnsafeGuaranteedRef { $0.stay.since } }
    /// The neighbours of the session in its list.
    var older: SessionLink? {
        get { session._withUnsafeGuaranteedRef { $0.stay.older } }
        nonmutating set { session._withUnsafeGuaranteedRef { $0.stay.older = newValue } }
    }
    var newer: SessionLink? {
        get { session._withUnsafeGuaranteedRef { $0.stay.newer } }
        nonmutating set { session._withUnsafeGuaranteedRef { $0.stay.newer = newValue } }
    }
}
