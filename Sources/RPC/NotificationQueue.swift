internal import Access
internal import Sessions
internal import Support

/// What a watcher is still to be told: what it missed, and behind that what has happened since. Only
/// the latter is kept here and is its backlog; what was missed stays where it is until there is room.
struct NotificationQueue {
    private var replays: [Replay] = []
    private var notices = Deque<EncodedNotification>()
    /// The bytes of what has happened and was not told yet.
    private(set) var backlog = 0

    /// How many things have happened and were not told yet.
    var count: Int { notices.count }

    var isEmpty: Bool { backlog == 0 && replays.isEmpty }

    mutating func append(_ notice: EncodedNotification) {
        notices.append(notice)
        backlog += notice.line.count
    }

    /// Takes up a replay. One of the same target is over: whoever asks again begins again.
    mutating func append(_ replay: Replay) {
        drop(replay.target)
        replays.append(replay)
    }

    /// What was missed of a target is not wanted any more.
    mutating func drop(_ target: WatchTarget) { replays.removeAll { $0.target == target } }

    /// The next one to go out.
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

    /// What stands behind a row has not happened.
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
