internal import Support
internal import Timers

/// What is known of request ids whose answers are no longer remembered.
///
/// A request may wait for long in a socket or in a proxy. Meanwhile its client may have repeated it in another way, and the
/// answer may be forgotten. If the late request were executed, it would be executed twice. So the daemon refuses it: an id is
/// executed once.
struct ForgottenIDs {
    private struct ForgottenID {
        let hash: Int
        let session: SessionName
        let at: Instant
    }

    /// The time of each forgotten answer, by a hash of its session and id. Another id with the same hash is refused although it is
    /// new; with a million hashes of 64 bits, this happens once in ten billion requests.
    private var times: [Int: Instant] = [:]
    /// The hashes in the order in which the answers were forgotten.
    private var order = Deque<ForgottenID>()
    /// For each session, the time of its newest answer whose hash was dropped as well.
    private var lost: [SessionName: Instant] = [:]
    /// The same for all sessions that are not in `lost`; nil if nothing was lost.
    private var lostOfOthers: Instant?
    private let limits: Limits

    init(_ limits: Limits) { self.limits = limits }

    /// The number of hashes.
    var count: Int { order.count }

    private static func hash(_ id: ByteText, _ session: SessionName) -> Int {
        var hasher = Hasher()
        hasher.combine(session)
        hasher.combine(id)
        return hasher.finalize()
    }

    /// Adds an id whose answer, of the instant `at`, is forgotten at the instant `now`.
    mutating func add(_ id: ByteText, of session: SessionName, at: Instant, now: Instant) {
        purge(now)
        guard now - at < .milliseconds(limits.idMs) else { return lose(session, at) }
        let hash = Self.hash(id, session)
        times[hash] = max(times[hash] ?? at, at)
        order.append(ForgottenID(hash: hash, session: session, at: at))
        while order.count > limits.oldIDs { dropOldest() }
    }

    /// Returns the time of the forgotten answer to the request with an id; nil if no hash says that there was one.
    mutating func time(of id: ByteText, of session: SessionName, now: Instant) -> Instant? {
        guard order.first != nil else { return nil }
        purge(now)
        return times[Self.hash(id, session)]
    }

    /// Returns the time of a session's newest answer whose hash was dropped as well; nil if no hash was dropped. A request that
    /// was sent after this time repeats no such answer's request.
    func lostTime(of session: SessionName) -> Instant? { lost[session] ?? lostOfOthers }

    /// Records that nothing is left of the answers of a session up to an instant.
    mutating func lose(_ session: SessionName, _ at: Instant) {
        lost[session] = max(lostTime(of: session) ?? at, at)
        // The names of closed sessions would otherwise stay for ever.
        guard lost.count > limits.ids else { return }
        lostOfOthers = lost.values.reduce(lostOfOthers ?? at) { max($0, $1) }
        lost = [:]
    }

    /// Removes the hashes whose time is over.
    private mutating func purge(_ now: Instant) {
        while let first = order.first, now - first.at >= .milliseconds(limits.idMs) { dropOldest() }
    }

    private mutating func dropOldest() {
        guard let entry = order.removeFirst() else { return }
        // The id may have been used and forgotten again since.
        if times[entry.hash] == entry.at { times[entry.hash] = nil }
        lose(entry.session, entry.at)
    }
}
