public import Access
public import Sessions

/// All that a peer is told, in its order: its answers, and behind them what happens to what it watches.
/// Nothing goes out before it is on the disk.
public final class Subscriber {
    public let outbox = ReplyBuffer()
    private unowned let sessions: Sessions
    private var notices = NotificationQueue()
    private var lastNotice: Notification?
    /// What is watched.
    public private(set) var watched: Set<WatchTarget> = []

    private let encoder: Encoder
    private let form: (EncodedNotification) -> [UInt8]

    /// A mailbox whose notifications `encoder`, which it shares with others, and `form` write; as lines unless another
    /// form is given.
    public init(
        _ sessions: Sessions, _ encoder: Encoder,
        _ form: @escaping (EncodedNotification) -> [UInt8] = \.line
    ) {
        (self.sessions, self.encoder, self.form) = (sessions, encoder, form)
    }

    /// Tells something before everything else.
    public func begin(_ notice: EncodedNotification, introducing words: [UInt8] = []) {
        outbox.line(words + form(notice), row: notice.row, kept: sessions.keptRow)
    }

    /// How many notifications wait, and how many bytes they are.
    public var count: Int { notices.count }
    public var backlog: Int { notices.backlog }
    /// Whether nothing waits but answers.
    public var isEmpty: Bool { notices.isEmpty }
    /// Whether it is the disk that is waited for, and not the peer.
    public var waitsForDisk: Bool { outbox.isWaiting && outbox.sendable == 0 }

    /// Something that is watched has happened. Told twice in a row, it is watched by name and with all
    /// others: once is enough.
    public func put(_ notice: Notification, for rights: Rights) {
        guard notice !== lastNotice else { return }
        lastNotice = notice
        notices.append(encoder.notification(notice, rights.view))
    }

    /// A notification that is not about sessions.
    public func put(_ notification: EncodedNotification) { notices.append(notification) }

    /// Something is watched from now on, and this was missed.
    public func follow(_ target: WatchTarget, _ missed: Sessions.Missed, for rights: Rights) {
        watched.insert(target)
        switch missed {
        case .nothing: break
        case .changes(let replay): notices.append(replay)
        case .gap(let notice): notices.append(encoder.notification(notice, rights.view))
        }
    }

    public func unfollow(_ target: WatchTarget) {
        watched.remove(target)
        notices.drop(target)
    }

    /// Nothing is watched any more; what was not told yet stays.
    public func unwatchAll(_ peer: any Caller) {
        for target in watched { try? sessions.unwatch(target, by: peer) }
        watched = []
    }

    /// Nothing of what was to be told is told.
    public func dropNotices() { notices.removeAll() }

    /// Turns notifications into bytes, up to so many that wait. Whoever answers does so before each answer:
    /// what happened before comes before it.
    public func fill(upTo bytes: Int, for rights: Rights) {
        // Looked at after every answer, and mostly there is nothing.
        if notices.isEmpty { return }
        while outbox.unsent < bytes, let notice = notices.next(from: sessions, encoder, rights) {
            outbox.line(form(notice), row: notice.row, kept: sessions.keptRow)
        }
    }

    // MARK: the disk

    /// More is on the disk.
    public func release() { outbox.release(upTo: sessions.keptRow) }

    /// What was not stored has not happened: notifications of it are dropped, and replies that show it are
    /// replaced by the error. Returns whether a reply was.
    @discardableResult
    public func fail(_ error: RequestError, _ peer: any Caller) -> Bool {
        notices.drop(after: sessions.keptRow)
        let withdrawn = outbox.fail(after: sessions.keptRow, error)
        for target in withdrawn.watches {
            try? sessions.unwatch(target, by: peer)
            unfollow(target)
        }
        return withdrawn.hasReply
    }
}
