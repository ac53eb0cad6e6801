public import Sessions
internal import Support

/// A caller's watches, and the ordered output to the caller: replies, and the notifications of the watched sessions. No output
/// is sent before the rows that it depends on are durable. Each connection, and each stream of a browser, has one subscriber.
public final class Subscriber {
    /// The output that is sent next: all replies, and the notifications that `fill` has moved here.
    public let outbox = ReplyBuffer()
    private unowned let sessions: Sessions
    // These two are not checked for overlapping accesses, as in `ReplyBuffer`: nothing that is called during an access adds a
    // notification.
    /// The notifications that are not in `outbox` yet.
    @exclusivity(unchecked) private var notifications = NotificationQueue()
    /// The notification that was added most recently.
    @exclusivity(unchecked) private var lastNotification: Notification?
    /// The targets that the caller watches.
    public private(set) var watched: Set<WatchTarget> = []

    private let encoder: Encoder
    /// Returns the bytes that are sent for a notification.
    private let format: (EncodedNotification) -> [UInt8]

    /// Creates a subscriber without watches. `encoder`, which other subscribers share, encodes the notifications. `format`
    /// returns the bytes that are sent for a notification, by default its line.
    public init(
        _ sessions: Sessions, _ encoder: Encoder,
        _ format: @escaping (EncodedNotification) -> [UInt8] = { $0.line }
    ) {
        (self.sessions, self.encoder, self.format) = (sessions, encoder, format)
    }

    /// Begins the output with the notification. Must be called before any other output.
    public func begin(_ notification: EncodedNotification) {
        outbox.append(
            line: format(notification), row: notification.row, durable: sessions.durableRow)
    }

    /// The number of waiting notifications, without the missed ones.
    public var count: Int { notifications.count }
    /// The size in bytes of these waiting notifications.
    public var backlog: Int { notifications.backlog }
    /// Whether no notification waits, missed ones included. `outbox` may still contain output.
    public var isEmpty: Bool { notifications.isEmpty }
    /// Whether `outbox` has unsent output, but none of it may be sent before a row is durable or a deferred result arrives. The
    /// caller does not delay this output.
    public var waitsForDisk: Bool { outbox.isWaiting && outbox.sendable == 0 }

    /// Adds a notification of a watched session. If the caller watches both the session and all sessions, this method is called
    /// twice in succession with the same notification. The second call has no effect.
    public func add(_ notification: Notification, for rights: Rights) {
        guard notification !== lastNotification else { return }
        lastNotification = notification
        // The caller may have fewer rights than when the watch began.
        if notification.isForOperators {
            let mayOperate =
                notification.session.map { rights.has(.operate, in: $0) }
                ?? rights.hasEverywhere(.operate)
            guard mayOperate else { return }
        }
        notifications.append(encoder.encode(notification, rights.view))
    }

    /// Adds a notification that does not concern sessions.
    public func add(_ notification: EncodedNotification) { notifications.append(notification) }

    /// Begins a watch. `missed` are the changes that the caller has not seen; they are sent before newer notifications.
    public func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed, for rights: Rights) {
        watched.insert(target)
        switch missed {
        case .nothing: break
        case .changes(let replay): notifications.append(replay)
        case .gap(let notification): notifications.append(encoder.encode(notification, rights.view))
        }
    }

    /// Ends the watch of the target, and drops the missed changes that were not sent. New notifications that wait are kept.
    public func endWatch(_ target: WatchTarget) {
        watched.remove(target)
        notifications.drop(target)
    }

    /// Ends all watches; notifications that wait are kept. `caller` is the caller that this subscriber belongs to.
    public func unwatchAll(_ caller: any Caller) {
        for target in watched { try? sessions.unwatch(target, by: caller) }
        watched = []
    }

    /// Drops all waiting notifications.
    public func dropNotifications() { notifications.removeAll() }

    /// Moves waiting notifications to the outbox until at least `bytes` bytes are unsent, or until no notification waits. A
    /// connection first calls this method, and then answers a request. The notifications of earlier changes are therefore sent
    /// before the answer.
    public func fill(upTo bytes: Int, for rights: Rights) {
        // A fast path: this function is called for every reply, and usually no notification waits.
        if notifications.isEmpty { return }
        while outbox.unsent < bytes,
            let notification = notifications.next(from: sessions, encoder, rights)
        {
            outbox.append(
                line: format(notification), row: notification.row, durable: sessions.durableRow)
        }
    }

    /// Whether output is unsent, or notifications wait.
    public var hasOutput: Bool { outbox.unsent > 0 || !notifications.isEmpty }

    /// Sends the notification that waits without a copy in the outbox, if it is the only output and its row is durable: `write`
    /// gets the bytes that all callers share. Usually a caller that watches has received everything before, and its socket has
    /// room. The bytes that `write` does not send are copied to the outbox.
    ///
    /// `write` returns how many bytes it sent, or a negative number after an error. Returns the result of `write`, and 0 if it
    /// was not called.
    public func sendOnlyNotification(_ write: (UnsafeRawBufferPointer) -> Int) -> Int {
        guard outbox.unsent == 0, let notification = notifications.only,
            notification.row == 0 || notification.row <= sessions.durableRow
        else { return 0 }
        notifications.removeOnly()
        let bytes = format(notification)
        let count = bytes.withUnsafeBytes(write)
        if count < bytes.count { outbox.append(restOf: bytes, from: max(0, count)) }
        return count
    }

    // MARK: durability

    /// Releases the replies and notifications whose rows have become durable.
    public func release() {
        // A fast path: this function is called for every delivery, and usually nothing waits.
        if outbox.isWaiting { outbox.release(upTo: sessions.durableRow) }
    }

    /// Drops the notifications of rows that were rolled back, which are all rows after the newest durable one. Replaces the
    /// replies that depend on these rows by the error, and ends the watches that these replies report. Returns whether a reply
    /// was replaced. `caller` is the caller that this subscriber belongs to.
    @discardableResult
    public func fail(_ error: RequestError, _ caller: any Caller) -> Bool {
        notifications.drop(after: sessions.durableRow)
        let withdrawn = outbox.fail(
            after: sessions.durableRow, error.shown(to: caller.rights))
        for target in withdrawn.watches {
            try? sessions.unwatch(target, by: caller)
            endWatch(target)
        }
        return withdrawn.hasReply
    }
}

/// The notifications that a watcher has not received. The missed notifications come first; their changes were made before the
/// watch began. The new notifications follow. Only the new notifications are stored here and count as backlog. The missed
/// notifications are read from the sessions when there is room to send them.
struct NotificationQueue {
    /// The readers of missed notifications. Each `Replay` reads the missed notifications of one target from the sessions, one
    /// at a time.
    private var replays: [Replay] = []
    private var notifications = Deque<EncodedNotification>()
    /// The size in bytes of the stored notifications.
    private(set) var backlog = 0

    /// The number of stored notifications.
    var count: Int { notifications.count }

    /// Whether there is neither a stored nor a missed notification.
    var isEmpty: Bool { backlog == 0 && replays.isEmpty }

    /// The waiting notification, if exactly one waits; nil otherwise. Missed notifications also wait.
    var only: EncodedNotification? {
        notifications.count == 1 && replays.isEmpty ? notifications.first : nil
    }

    /// Removes the notification `only`.
    mutating func removeOnly() {
        _ = notifications.removeFirst()
        backlog = 0
    }

    mutating func append(_ notification: EncodedNotification) {
        notifications.append(notification)
        backlog += notification.line.count
    }

    /// Adds a replay, in place of an earlier replay of the same target.
    mutating func append(_ replay: Replay) {
        drop(replay.target)
        replays.append(replay)
    }

    /// Drops the replay of a target.
    mutating func drop(_ target: WatchTarget) { replays.removeAll { $0.target == target } }

    /// Removes and returns the next notification to send; nil if no notification waits. `rights` are the rights of the caller,
    /// and determine what the caller may see of the change.
    mutating func next(from sessions: Sessions, _ encoder: Encoder, _ rights: Rights)
        -> EncodedNotification?
    {
        if !replays.isEmpty, let missed = nextMissed(from: sessions, encoder, rights) {
            return missed
        }
        guard let notification = notifications.removeFirst() else { return nil }
        backlog -= notification.line.count
        return notification
    }

    /// Removes and returns the next missed notification; nil if there is none. Not part of `next`, which usually has no missed
    /// notification to read, and would begin a change of the array nevertheless.
    @inline(never)
    private mutating func nextMissed(
        from sessions: Sessions, _ encoder: Encoder, _ rights: Rights
    ) -> EncodedNotification? {
        while !replays.isEmpty {
            switch sessions.nextPart(of: &replays[0]) {
            case .change(let change):
                return encoder.encode(sessions.notification(of: change), rights.view)
            case .gap(let notification): return encoder.encode(notification, rights.view)
            case nil: replays.removeFirst()
            }
        }
        return nil
    }

    /// Drops the stored notifications that depend on rows after `row`, because those rows were rolled back.
    mutating func drop(after row: Int) {
        var remaining = Deque<EncodedNotification>()
        backlog = 0
        while let notification = notifications.removeFirst() {
            guard notification.row <= row else { continue }
            remaining.append(notification)
            backlog += notification.line.count
        }
        notifications = remaining
    }

    mutating func removeAll() {
        replays = []
        notifications.removeAll()
        backlog = 0
    }
}
