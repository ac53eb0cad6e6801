public import JSON
public import Sessions

/// What goes out to one peer, in its order: bytes that may go, and replies that wait until what they
/// show is on the disk, or until they are known at all. Nothing overtakes them.
public final class ReplyBuffer {
    public var writer = JSONWriter()
    /// How many of the writer's bytes have gone out.
    private var sent = 0
    /// The replies that wait, in their order, and those between them.
    private var held: [PendingReply] = []
    private var lastTicket = 0
    /// Up to which row replies were let go: those behind a promise go when that is kept.
    private var released = 0
    /// What was promised in the line at hand, and is still to be asked for.
    private var promised: [(ticket: Int, result: DeferredResult)] = []

    public init() {}

    // MARK: sending

    /// How many bytes have not gone out.
    public var unsent: Int { writer.count - sent }
    /// How many bytes may go out now.
    public var sendable: Int { (held.first?.start ?? writer.count) - sent }
    /// Whether an answer is asked for elsewhere: until it is there, nothing more is asked, so that what comes
    /// does not pile up.
    public var isAsking: Bool { asking > 0 }
    private var asking = 0
    /// How many answers were promised in the line at hand.
    var promises: Int { promised.count }
    /// Whether a reply waits.
    public var isWaiting: Bool { !held.isEmpty }

    /// Shows the bytes that may go out to `send`, which says how many of them did; or passes on a number below
    /// zero.
    public func send(_ send: (UnsafeRawBufferPointer) -> Int) -> Int {
        let (from, count) = (sent, sendable)
        let done = writer.withBytes {
            send(UnsafeRawBufferPointer(rebasing: $0[from..<from + count]))
        }
        if done > 0 { sent += done }
        return done
    }

    /// All that may go out now, for who takes it at once.
    public func take() -> [UInt8] {
        var bytes: [UInt8] = []
        _ = send {
            bytes = [UInt8]($0)
            return $0.count
        }
        recycle(above: 0, keeping: .max)
        return bytes
    }

    /// Takes a notification, which waits for a row if that is not on the disk yet.
    func line(_ bytes: [UInt8], row: Int, kept: Int) {
        let start = writer.count
        writer.raw(bytes)
        guard row > kept else { return }
        held.append(
            PendingReply(
                start: start, end: writer.count, form: .notice, wait: .row(row), watch: nil))
    }

    /// Gives back the memory of what has gone out, once that is all, or more than `limit`.
    public func recycle(above limit: Int = 0, keeping room: Int = 4096) {
        if unsent == 0 {
            writer.truncate(to: 0)
            writer.shrink(to: room)
            sent = 0
        } else if sent > limit {
            writer.removeFirst(sent)
            for place in held.indices { held[place].move(by: -sent) }
            sent = 0
        }
    }

    // MARK: holding

    /// The reply to a request was written from byte `start` on. It waits for what it shows, or until it is
    /// known.
    func settle(
        _ outcome: CallOutcome, from start: Int, kept: Int, _ form: () -> PendingReply.Form
    ) {
        switch outcome {
        case .succeeded(let row), .refused(_, let row):
            hold(from: start, row, kept: kept, nil, form)
        case .watching(let target, let row): hold(from: start, row, kept: kept, target, form)
        case .deferred(let result):
            // The place holder has the commas about it that the reply will need.
            writer.truncate(to: start)
            writer.null()
            lastTicket += 1
            asking += 1
            promised.append((lastTicket, result))
            held.append(
                PendingReply(
                    start: start, end: writer.count, form: form(), wait: .answer(lastTicket),
                    watch: nil))
        }
    }

    private func hold(
        from start: Int, _ row: Int, kept: Int, _ watch: WatchTarget?,
        _ form: () -> PendingReply.Form
    ) {
        guard row > kept else { return }
        held.append(
            PendingReply(
                start: start, end: writer.count, form: form(), wait: .row(row), watch: watch)
        )
    }

    /// Fetches the deferred results of a line that is answered to its end, for the peer that it is from.
    public func fetch(for peer: any Caller) {
        if promised.isEmpty { return }
        for (ticket, result) in exchange(&promised, with: []) {
            result.begin { peer.fulfil(ticket, $0) }
        }
    }

    /// Lets go what waited for no more than this row.
    public func release(upTo row: Int) {
        released = row
        let free = held.prefix { if case .row(let mark) = $0.wait { mark <= row } else { false } }
        if !free.isEmpty { held.removeFirst(free.count) }
    }

    /// What was promised is known.
    public func fulfil(_ ticket: Int, _ answer: DeferredResult.Answer) {
        guard let place = held.firstIndex(where: { $0.wait == .answer(ticket) }) else { return }
        asking -= 1
        held[place].wait = .row(0)
        rewrite { $0 == place ? answer : nil }
        release(upTo: released)
    }

    /// What a failure of the store took back.
    public struct Withdrawn {
        /// The watches that did not begin.
        public var watches: [WatchTarget] = []
        /// Whether a reply was replaced by the error.
        public var hasReply = false
    }

    /// Everything behind a row is taken back: whatever waited for it is answered with an error.
    public func fail(after row: Int, _ error: RequestError) -> Withdrawn {
        var withdrawn = Withdrawn()
        var failed: Set<Int> = []
        for (place, reply) in held.enumerated() {
            guard case .row(let mark) = reply.wait, mark > row else { continue }
            failed.insert(place)
            if let target = reply.watch { withdrawn.watches.append(target) }
            switch reply.form {
            case .json, .text: withdrawn.hasReply = true
            case .notice: break
            }
            held[place].wait = .row(0)
        }
        if !failed.isEmpty { rewrite { failed.contains($0) ? .failure(.refused(error)) : nil } }
        release(upTo: row)
        return withdrawn
    }

    /// Writes what has not gone out anew, with other replies in the place of some.
    private func rewrite(_ answer: (Int) -> DeferredResult.Answer?) {
        var fresh = JSONWriter(capacity: unsent + 512)
        var copied = sent
        for (place, reply) in held.enumerated() {
            copy(copied..<reply.start, to: &fresh)
            let start = fresh.count
            if let answer = answer(place) {
                if case .notice = reply.form {
                    copied = reply.end
                    (held[place].start, held[place].end) = (start, start)
                    continue
                }
                // One of a batch stands behind another's comma, which may have gone out already.
                if writer.withBytes({ $0[reply.start] }) == UInt8(ascii: ",") { fresh.raw(",") }
                fresh.raw(JSONWriter.bytes { reply.form.write(answer, to: &$0) })
            } else {
                copy(reply.start..<reply.end, to: &fresh)
            }
            copied = reply.end
            (held[place].start, held[place].end) = (start, fresh.count)
        }
        copy(copied..<writer.count, to: &fresh)
        writer = fresh
        sent = 0
    }

    private func copy(_ range: Range<Int>, to fresh: inout JSONWriter) {
        let bytes = writer.withBytes { [UInt8](UnsafeRawBufferPointer(rebasing: $0[range])) }
        fresh.raw(bytes)
    }
}
