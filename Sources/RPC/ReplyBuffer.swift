public import JSONCoding
public import Sessions

/// The ordered output to one caller: first the bytes that may be sent, then the replies and notifications that wait. A reply
/// waits until its journal row is durable, or until a deferred result arrives from another thread or node. A notification waits
/// until its journal row is durable. No byte overtakes an earlier byte.
///
/// A journal row is given by its number, counted from 1. A reply or notification that depends on no row has the row 0. In each
/// function, the parameter `durable` is the newest durable row.
public final class ReplyBuffer {
    // The properties with `@exclusivity(unchecked)` are not checked for overlapping accesses, because each check takes as long
    // as the access and its surroundings. While a dialect appends a reply to `writer`, the request is executed; nothing that a
    // request does touches the buffer of its caller: notifications wait in `Subscriber`, and the results of earlier requests that
    // it completes, as when it ends a window that collects events, wait in `arrivals`. The `write` that `send` calls must not use
    // the buffer. No other access calls code outside this type.
    /// The bytes of the output, from the first that `recycle` has not removed. The dialects append the replies.
    @exclusivity(unchecked) public var writer = JSONWriter()
    /// The number of the writer's bytes that were sent.
    @exclusivity(unchecked) private var sentCount = 0
    /// The replies and notifications that wait, in output order.
    @exclusivity(unchecked) private var pendingReplies: [PendingReply] = []
    /// The number of the newest deferred result. Such a number is called a ticket; it identifies the result when it arrives.
    private var newestTicket = 0
    /// The newest row that is known to be durable. A reply whose row is durable can still be behind an earlier deferred result.
    /// When that result arrives, `deliver` releases the replies up to this row.
    private var newestDurableRow = 0
    /// The deferred results of the request line that is being handled. `fetch` will fetch them.
    @exclusivity(unchecked) private var deferredResults: [(ticket: Int, result: DeferredResult)] =
        []

    /// Where the replies to the line begin that is being executed, from `beginExecution` to `endExecution`; -1 at other times.
    @exclusivity(unchecked) private var executionStart = -1
    private var isExecuting: Bool { executionStart >= 0 }
    /// The results of earlier requests that arrived while a line was executed.
    @exclusivity(unchecked) private var arrivals: [(ticket: Int, answer: DeferredResult.Outcome)] =
        []

    /// Counts the requests whose replies wait. Set with the first of them.
    @exclusivity(unchecked) private var meter: RequestMeter?

    /// The number of requests that were refused.
    @exclusivity(unchecked) public private(set) var refusals: UInt32 = 0

    public init() {}

    // MARK: sending

    /// The number of bytes that were not sent yet.
    public var unsent: Int { writer.count - sentCount }
    /// The number of bytes that the client has not read, as far as they are known: those that were not sent yet, without the
    /// replies to the line that is being executed.
    public var unread: Int { (isExecuting ? executionStart : writer.count) - sentCount }
    /// The number of bytes that may be sent now.
    public var sendable: Int { (pendingReplies.first?.start ?? writer.count) - sentCount }
    /// Whether a deferred result is being fetched that delays requests. The connection handles no further request until the
    /// result arrives.
    public var isFetching: Bool { fetchCount > 0 }
    /// The number of deferred results that delay requests and have not arrived.
    @exclusivity(unchecked) private var fetchCount = 0
    /// The sum of the assumed sizes, in bytes, of the deferred results of the request line that is being handled.
    var deferredBytes: Int { deferredResults.reduce(0) { $0 + $1.result.assumedBytes } }
    /// Whether a reply or a notification waits.
    public var isWaiting: Bool { !pendingReplies.isEmpty }
    /// The number of replies that wait, without notifications.
    public var heldReplies: Int { pendingReplies.count { $0.mark != nil } }
    /// The row for which the first reply or notification that waits does so; 0 if it waits for a deferred result, or if nothing
    /// waits.
    public var awaitedRow: Int {
        if case .row(let row)? = pendingReplies.first?.wait { row } else { 0 }
    }

    /// Calls `write` with the bytes that may be sent. `write` returns how many of them it sent, or a negative number after an
    /// error. Returns the result of `write`.
    public func send(_ write: (UnsafeRawBufferPointer) -> Int) -> Int {
        let (start, count) = (sentCount, sendable)
        let result = writer.withBytes {
            write(UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
        }
        if result > 0 { sentCount += result }
        return result
    }

    /// Removes and returns all bytes that may be sent now.
    public func takeSendableBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        _ = send {
            bytes = [UInt8]($0)
            return $0.count
        }
        recycle(above: 0, keeping: .max)
        return bytes
    }

    /// Appends a notification. The notification waits if its row is not durable yet.
    func append(line bytes: [UInt8], row: Int, durable: Int) {
        let start = writer.count
        writer.raw(bytes)
        guard row > durable else { return }
        pendingReplies.append(
            PendingReply(
                start: start, end: writer.count, form: .notification, wait: .row(row),
                watchTarget: nil, mark: nil))
    }

    /// Appends the bytes of a notification from `start` on. Its earlier bytes were sent, and its row is durable.
    func append(restOf bytes: [UInt8], from start: Int) { writer.raw(bytes, from: start) }

    /// Appends a line that depends on no row.
    package func write(line bytes: [UInt8]) { writer.raw(bytes) }

    /// Removes the sent bytes from the buffer if all bytes were sent, or if more than `limit` bytes were sent. If all bytes
    /// were sent, also reduces the buffer's memory to `capacity` bytes.
    public func recycle(above limit: Int = 0, keeping capacity: Int = 4096) {
        if unsent == 0 {
            writer.truncate(to: 0)
            writer.shrink(to: capacity)
            sentCount = 0
        } else if sentCount > limit {
            writer.removeFirst(sentCount)
            for index in pendingReplies.indices { pendingReplies[index].move(by: -sentCount) }
            sentCount = 0
        }
    }

    /// Counts an error that was written without `holdIfNecessary`.
    func countRefusal() { refusals &+= 1 }

    // MARK: holding

    /// Holds a reply until its row is durable or its deferred result arrives. `start` is the index of the reply's first byte in
    /// the writer. If the row is durable already, only counts the request. `method` is the method of the request, if it names one.
    func holdIfNecessary(
        _ outcome: CallOutcome, of method: Method?, from start: Int, durable: Int,
        _ meter: RequestMeter, _ form: () -> PendingReply.Form
    ) {
        switch outcome {
        case .succeeded(let row):
            hold(from: start, row, durable: durable, nil, meter, method, .ok, form)
        case .refused(let error, let row):
            refusals &+= 1
            hold(
                from: start, row, durable: durable, nil, meter, method,
                RequestMeter.Outcome(error), form)
        case .watching(let target, let row):
            hold(from: start, row, durable: durable, target, meter, method, .ok, form)
        case .deferred(let result):
            // The placeholder `null` keeps the reply's place, so that the commas around it in a batch are written as usual.
            writer.truncate(to: start)
            writer.null()
            newestTicket += 1
            if result.delaysRequests { fetchCount += 1 }
            deferredResults.append((newestTicket, result))
            self.meter = meter
            pendingReplies.append(
                PendingReply(
                    start: start, end: writer.count, form: form(),
                    wait: .deferredResult(
                        ticket: newestTicket, delaysRequests: result.delaysRequests),
                    watchTarget: nil, mark: meter.mark(method, .ok)))
        }
    }

    /// Holds the reply until its row is durable; counts the request if the row is durable already.
    private func hold(
        from start: Int, _ row: Int, durable: Int, _ watchTarget: WatchTarget?,
        _ meter: RequestMeter, _ method: Method?, _ result: RequestMeter.Outcome,
        _ form: () -> PendingReply.Form
    ) {
        guard row > durable else { return meter.count(method, result) }
        if self.meter == nil { self.meter = meter }
        pendingReplies.append(
            PendingReply(
                start: start, end: writer.count, form: form(), wait: .row(row),
                watchTarget: watchTarget, mark: meter.mark(method, result))
        )
    }

    /// Called before a line is executed.
    func beginExecution() { executionStart = writer.count }

    /// Called when a line was executed. Delivers the results that have arrived meanwhile, and begins to fetch those that the line
    /// has deferred. `caller` is the client that sent the line; its `deliver` is called with each result.
    public func endExecution(for caller: any Caller) {
        executionStart = -1
        if !arrivals.isEmpty {
            for (ticket, answer) in exchange(&arrivals, with: []) { caller.deliver(ticket, answer) }
        }
        if deferredResults.isEmpty { return }
        for (ticket, result) in exchange(&deferredResults, with: []) {
            result.begin { [weak self] answer in
                if case .failure(let error) = answer.result { caller.countRefusal(error) }
                let answer = answer.mapError { $0.shown(to: caller.rights) }
                if let self, isExecuting {
                    arrivals.append((ticket, answer))
                } else {
                    caller.deliver(ticket, answer)
                }
            }
        }
    }

    /// Releases the replies and notifications that wait for this row or an earlier row, in output order. Stops at the first
    /// reply or notification that must wait longer.
    public func release(upTo row: Int) {
        newestDurableRow = row
        // Not a slice of the replies: removing would then copy them.
        var count = 0
        while count < pendingReplies.count, case .row(let awaited) = pendingReplies[count].wait,
            awaited <= row
        {
            if let meter, let mark = pendingReplies[count].mark { meter.count(mark) }
            count += 1
        }
        if count > 0 { pendingReplies.removeFirst(count) }
    }

    /// Takes a deferred result. The results of a request line are written in the places of their placeholders when the last of
    /// them has arrived. The reason is that this copies the unsent bytes, which a batch of a thousand requests must not do a
    /// thousand times.
    public func deliver(_ ticket: Int, _ answer: DeferredResult.Outcome) {
        var delaysRequests = false
        let index = pendingReplies.firstIndex { reply in
            guard case .deferredResult(ticket, let delays) = reply.wait else { return false }
            delaysRequests = delays
            return true
        }
        guard let index else { return }
        if delaysRequests { fetchCount -= 1 }
        if case .failure = answer.result { refusals &+= 1 }
        pendingReplies[index].arrive(answer)
        guard fetchCount == 0 else { return }
        writeAnswers()
        release(upTo: newestDurableRow)
    }

    /// The watches and replies that a failure of the store undid.
    public struct WithdrawnOutput {
        /// The targets of the `watch` requests whose replies were replaced by the error.
        public var watches: [WatchTarget] = []
        /// Whether at least one reply was replaced by the error.
        public var hasReply = false
    }

    /// Replaces each reply that waits for a row after `row` by the error, because the rows after `row` were rolled back.
    /// Removes each notification that waits for a row after `row`.
    public func fail(after row: Int, _ error: RequestError) -> WithdrawnOutput {
        var withdrawn = WithdrawnOutput()
        var hasFailed = false
        for (index, reply) in pendingReplies.enumerated() {
            guard let awaited = reply.wait.awaitedRow, awaited > row else { continue }
            hasFailed = true
            if let target = reply.watchTarget { withdrawn.watches.append(target) }
            switch reply.form {
            case .json, .text:
                withdrawn.hasReply = true
                refusals &+= 1
            case .notification: break
            }
            pendingReplies[index].arrive(.failure(.refused(error)))
        }
        if hasFailed { writeAnswers() }
        release(upTo: row)
        return withdrawn
    }

    /// Copies the unsent bytes to a new writer, with the answers that have arrived in their places.
    private func writeAnswers() {
        let answerBytes = pendingReplies.reduce(0) { $0 + $1.wait.answerBytes }
        var newWriter = JSONWriter(capacity: unsent + answerBytes)
        // The bytes of the old writer before this index were sent, or are dealt with.
        var position = sentCount
        for (index, reply) in pendingReplies.enumerated() {
            copy(position..<reply.start, to: &newWriter)
            let start = newWriter.count
            if case .answered(let answer, let row) = reply.wait {
                // In a batch, a reply's range can begin with the comma before it.
                if !answer.isEmpty, writer.withBytes({ $0[reply.start] }) == UInt8(ascii: ",") {
                    newWriter.raw(",")
                }
                newWriter.raw(answer)
                pendingReplies[index].wait = .row(row)
            } else {
                copy(reply.start..<reply.end, to: &newWriter)
            }
            position = reply.end
            (pendingReplies[index].start, pendingReplies[index].end) = (start, newWriter.count)
        }
        copy(position..<writer.count, to: &newWriter)
        writer = newWriter
        sentCount = 0
    }

    private func copy(_ range: Range<Int>, to newWriter: inout JSONWriter) {
        let bytes = writer.withBytes { [UInt8](UnsafeRawBufferPointer(rebasing: $0[range])) }
        newWriter.raw(bytes)
    }
}

/// A reply or a notification that may not be sent yet: its range in the output, and the condition for sending it.
struct PendingReply {
    /// The format in which the reply is written.
    enum Form {
        /// A JSON-RPC reply to the request with this id.
        case json(id: RequestID)
        case text
        /// Not a reply but a notification, newline included.
        case notification
    }

    /// The id of a JSON-RPC request.
    enum RequestID {
        case number(Int)
        case text(String)
    }

    /// What the reply or notification waits for.
    enum Wait: Equatable {
        /// That this row is durable.
        case row(Int)
        /// The deferred result with this ticket.
        case deferredResult(ticket: Int, delaysRequests: Bool)
        /// That `ReplyBuffer.writeAnswers` replaces it by these bytes. They are empty for a notification, which is removed. Then it
        /// waits for the row; row 0 counts as durable, because rows are numbered from 1.
        case answered([UInt8], row: Int = 0)

        /// The number of bytes of an answer that has arrived.
        var answerBytes: Int { if case .answered(let bytes, _) = self { bytes.count } else { 0 } }

        /// The row that must be durable; nil for a result that has not arrived.
        var awaitedRow: Int? {
            switch self {
            case .row(let row), .answered(_, let row): row
            case .deferredResult: nil
            }
        }
    }

    /// The range in the writer: the index of the first byte, and the index after the last byte.
    var start: Int
    var end: Int
    let form: Form
    var wait: Wait
    /// The target of the watch that the request began. Nil if the request began no watch, and for a notification.
    let watchTarget: WatchTarget?
    /// The request, to be counted; nil for a notification.
    var mark: RequestMeter.Mark?

    /// Keeps the answer until `ReplyBuffer.writeAnswers`.
    mutating func arrive(_ answer: DeferredResult.Outcome) {
        if case .failure(let error) = answer.result { mark?.outcome = RequestMeter.Outcome(error) }
        wait = .answered(
            JSONWriter.bytes { [form] in form.write(answer.result, to: &$0) }, row: answer.row)
    }

    /// Adapts the indexes after bytes before this reply were removed from the writer.
    mutating func move(by distance: Int) {
        start += distance
        end += distance
    }
}

extension PendingReply.Form {
    /// Writes a reply with this answer, without the newline. Writes nothing for a notification.
    func write(
        _ answer: Result<(inout JSONWriter) -> Void, CallError>, to writer: inout JSONWriter
    ) {
        switch self {
        case .json(let id):
            writer.beginReply()
            writer.id(id)
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
