public import JSONCoding
public import Sessions

/// The ordered output to one caller: bytes that may be sent, and replies that wait until the rows
/// they depend on are durable or until a deferred result arrives from another thread or node. No byte overtakes
/// an earlier one.
public final class ReplyBuffer {
    public var writer = JSONWriter()
    // The properties with `@exclusivity(unchecked)` are not checked for overlapping accesses: no method calls code outside this
    // type while it accesses one of them.
    /// The number of the writer's bytes that were sent.
    @exclusivity(unchecked) private var sent = 0
    /// The replies and notifications that wait, in output order.
    @exclusivity(unchecked) private var held: [PendingReply] = []
    /// The number of the newest deferred result. Such a number is called a ticket; it identifies the result when it arrives.
    private var newestTicket = 0
    /// The newest row that is known to be durable. The number is needed because a reply whose row is durable stays behind an
    /// earlier deferred result; when that result arrives, the replies up to this row are released.
    private var releasedRow = 0
    /// The deferred results of the request line that is being handled. `fetch` will fetch them.
    @exclusivity(unchecked) private var deferredResults: [(ticket: Int, result: DeferredResult)] =
        []

    public init() {}

    // MARK: sending

    /// The number of bytes that were not sent yet.
    public var unsent: Int { writer.count - sent }
    /// The number of bytes that may be sent now.
    public var sendable: Int { (held.first?.start ?? writer.count) - sent }
    /// Whether a deferred result is being fetched. The connection handles no further request until the
    /// result arrives, so that results do not accumulate.
    public var isFetching: Bool { fetchCount > 0 }
    /// The number of deferred results that have not arrived.
    @exclusivity(unchecked) private var fetchCount = 0
    /// The assumed size in bytes of the deferred results of the request line that is being handled.
    var deferredBytes: Int { deferredResults.reduce(0) { $0 + $1.result.estimate } }
    /// Whether a reply waits.
    public var isWaiting: Bool { !held.isEmpty }

    /// Calls `send` with the bytes that may be sent. `send` returns how many of them it sent, or a negative number after an
    /// error. Returns the result of `send`.
    public func send(_ send: (UnsafeRawBufferPointer) -> Int) -> Int {
        let (from, count) = (sent, sendable)
        let sentNow = writer.withBytes {
            send(UnsafeRawBufferPointer(rebasing: $0[from..<from + count]))
        }
        if sentNow > 0 { sent += sentNow }
        return sentNow
    }

    /// Removes and returns all bytes that may be sent now.
    public func take() -> [UInt8] {
        var bytes: [UInt8] = []
        _ = send {
            bytes = [UInt8]($0)
            return $0.count
        }
        recycle(above: 0, keeping: .max)
        return bytes
    }

    /// Appends a notification. It waits for `row` if that is later than `durable`, the newest durable
    /// row.
    func append(line bytes: [UInt8], row: Int, durable: Int) {
        let start = writer.count
        writer.raw(bytes)
        guard row > durable else { return }
        held.append(
            PendingReply(
                start: start, end: writer.count, form: .notification, wait: .row(row),
                watchTarget: nil))
    }

    /// Appends a line that need not wait for a row.
    package func write(line bytes: [UInt8]) { writer.raw(bytes) }

    /// Removes the sent bytes from the buffer, if all bytes were sent or more than `limit` bytes were sent. If all were sent,
    /// reduces the buffer's memory to `capacity` bytes.
    public func recycle(above limit: Int = 0, keeping capacity: Int = 4096) {
        if unsent == 0 {
            writer.truncate(to: 0)
            writer.shrink(to: capacity)
            sent = 0
        } else if sent > limit {
            writer.removeFirst(sent)
            for index in held.indices { held[index].move(by: -sent) }
            sent = 0
        }
    }

    // MARK: holding

    /// Holds a reply, which was written from byte `start` on, until its row is durable or its result is available.
    /// Does nothing if its row is durable already. `durable` is the newest durable row.
    func holdIfNecessary(
        _ outcome: CallOutcome, from start: Int, durable: Int, _ form: () -> PendingReply.Form
    ) {
        switch outcome {
        case .succeeded(let row), .refused(_, let row):
            hold(from: start, row, durable: durable, nil, form)
        case .watching(let target, let row):
            hold(from: start, row, durable: durable, target, form)
        case .deferred(let result):
            // The placeholder `null` keeps the reply's place, so that the commas around it in a batch are written as usual.
            writer.truncate(to: start)
            writer.null()
            newestTicket += 1
            fetchCount += 1
            deferredResults.append((newestTicket, result))
            held.append(
                PendingReply(
                    start: start, end: writer.count, form: form(), wait: .answer(newestTicket),
                    watchTarget: nil))
        }
    }

    /// Holds the reply until its row is durable; does nothing if the row is durable already.
    private func hold(
        from start: Int, _ row: Int, durable: Int, _ watchTarget: WatchTarget?,
        _ form: () -> PendingReply.Form
    ) {
        guard row > durable else { return }
        held.append(
            PendingReply(
                start: start, end: writer.count, form: form(), wait: .row(row),
                watchTarget: watchTarget)
        )
    }

    /// Fetches the deferred results of a line that was handled completely, on behalf of the caller
    /// that sent it.
    public func fetch(for caller: any Caller) {
        if deferredResults.isEmpty { return }
        for (ticket, result) in exchange(&deferredResults, with: []) {
            result.begin { caller.deliver(ticket, $0) }
        }
    }

    /// Releases the replies that wait for this row or an earlier one, up to the first reply that must wait longer.
    public func release(upTo row: Int) {
        releasedRow = row
        let released = held.prefix {
            if case .row(let awaited) = $0.wait { awaited <= row } else { false }
        }
        if !released.isEmpty { held.removeFirst(released.count) }
    }

    /// Writes a deferred result in the place of its placeholder.
    public func deliver(_ ticket: Int, _ answer: DeferredResult.Outcome) {
        guard let index = held.firstIndex(where: { $0.wait == .answer(ticket) }) else { return }
        fetchCount -= 1
        held[index].wait = .row(0)
        rewrite { $0 == index ? answer : nil }
        release(upTo: releasedRow)
    }

    /// The subscriptions and replies that a failure of the store undid.
    public struct WithdrawnOutput {
        /// The subscriptions whose `watch` requests failed.
        public var watches: [WatchTarget] = []
        /// Whether a reply was replaced by the error.
        public var hasReply = false
    }

    /// Replaces each reply that waits for a row after `row` by an error, because these rows were rolled back.
    /// Removes each notification that waits for such a row.
    public func fail(after row: Int, _ error: RequestError) -> WithdrawnOutput {
        var withdrawn = WithdrawnOutput()
        var failed: Set<Int> = []
        for (index, reply) in held.enumerated() {
            guard case .row(let awaited) = reply.wait, awaited > row else { continue }
            failed.insert(index)
            if let target = reply.watchTarget { withdrawn.watches.append(target) }
            switch reply.form {
            case .json, .text: withdrawn.hasReply = true
            case .notification: break
            }
            held[index].wait = .row(0)
        }
        if !failed.isEmpty { rewrite { failed.contains($0) ? .failure(.refused(error)) : nil } }
        release(upTo: row)
        return withdrawn
    }

    /// Writes the unsent bytes to a new buffer. `answer` gets the index of each waiting reply in `held`, and returns a new
    /// answer; nil leaves the reply as it is. A notification for which it returns an answer is removed.
    private func rewrite(_ answer: (Int) -> DeferredResult.Outcome?) {
        var fresh = JSONWriter(capacity: unsent + 512)
        var copied = sent
        for (index, reply) in held.enumerated() {
            copy(copied..<reply.start, to: &fresh)
            let start = fresh.count
            if let answer = answer(index) {
                if case .notification = reply.form {
                    copied = reply.end
                    (held[index].start, held[index].end) = (start, start)
                    continue
                }
                // In a batch, a reply's range can begin with the comma before it.
                if writer.withBytes({ $0[reply.start] }) == UInt8(ascii: ",") { fresh.raw(",") }
                fresh.raw(JSONWriter.bytes { reply.form.write(answer, to: &$0) })
            } else {
                copy(reply.start..<reply.end, to: &fresh)
            }
            copied = reply.end
            (held[index].start, held[index].end) = (start, fresh.count)
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

/// A reply or a notification that may not be sent yet: its range in the output, and the condition for sending it.
struct PendingReply {
    /// The format of the reply.
    enum Form {
        /// A JSON-RPC reply. `id` is the request's id as JSON.
        case json(id: [UInt8])
        case text
        /// Not a reply but a notification, newline included.
        case notification
    }

    enum Wait: Equatable {
        /// Waits until that row is durable.
        case row(Int)
        /// Waits for the deferred result with that ticket.
        case answer(Int)
    }

    var start: Int
    var end: Int
    let form: Form
    var wait: Wait
    /// The target of the subscription that the request started.
    let watchTarget: WatchTarget?

    mutating func move(by distance: Int) {
        start += distance
        end += distance
    }
}

extension PendingReply.Form {
    /// Writes the reply without the newline.
    func write(_ answer: DeferredResult.Outcome, to writer: inout JSONWriter) {
        switch self {
        case .json(let id):
            writer.beginReply()
            writer.raw(id)
            switch answer {
            case .success(let result):
                writer.name("result")
                result(&writer)
            case .failure(let error):
                writer.name("error")
                writer.error(error)
            }
            writer.endObject()
        case .text:
            switch answer {
            case .success(let result):
                writer.raw("OK ")
                result(&writer)
            case .failure(let error): error.writeLine(to: &writer)
            }
        case .notification: break
        }
    }
}
