internal import Access
internal import Sessions
internal import Support

/// The notifications that a watcher has not received: first those it missed, then those that have
/// happened since. Only the latter are stored here and count as its backlog. The missed ones are
/// read from the sessions when there is room to send them.
struct NotificationQueue {
    private var replays: [Replay] = []
    private var notices = Deque<EncodedNotification>()
    /// The size in bytes of the stored notifications.
    private(set) var backlog = 0

    /// The number of stored notifications.
    var count: Int { notices.count }

    var isEmpty: Bool { backlog == 0 && replays.isEmpty }

    mutating func append(_ notice: EncodedNotification) {
        notices.append(notice)
        backlog += notice.line.count
    }

    /// Adds a replay. It replaces an earlier one of the same target.
    mutating func append(_ replay: Replay) {
        drop(replay.target)
        replays.append(replay)
    }

    /// Drops the replay of a target.
    mutating func drop(_ target: WatchTarget) { replays.removeAll { $0.target == target } }

    /// The next notification to send.
    mutating func next(from sessions: Sessions, _ encoder: Encoder, _ rights: Rights)
        -> EncodedNotification?
    {
        while !replays.isEmpty {
            switch sessions.piece(of: &replays[0]) {
            case .change(let change):
                return encoder.notification(sessions.notice(of: change), rights.view)
            case .gap(let notice): return encoder.notification(notice, rights.view)
            case nil: replays.removeFirst()
            }
        }
        guard let notice = notices.removeFirst() else { return nil }
        backlog -= notice.line.count
        return notice
    }

    /// Drops notifications that depend on later rows, which were rolled back.
    mutating func drop(after row: Int) {
        var left = Deque<EncodedNotification>()
        backlog = 0
        while let notice = notices.removeFirst() {
            guard notice.row <= row else { continue }
            left.append(notice)
            backlog += notice.line.count
        }
        notices = left
    }

    mutating func removeAll() {
        replays = []
        notices.removeAll()
        backlog = 0
    }
}
