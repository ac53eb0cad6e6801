package import EventLoop
package import Timers

/// The input of one connection: read only while the connection's kind has time left in the turn of the loop. Knows since when the
/// input may have been sent. `Connection` and `HTTPConnection` have one object each.
package final class ChannelInput {
    private let channel: any Channel
    private let loop: LibeventLoop
    private let share: TimeSlices.Share
    private let buffer: ReadBuffer
    @exclusivity(unchecked) private var age: InputAge
    /// Whether input must wait for a later turn of the loop, because the connection's kind has used up its time in this turn.
    @exclusivity(unchecked) package private(set) var isPostponed = false

    /// The connection was made after the instant `since`. The channel waits for input from now on.
    package init(
        _ channel: any Channel, _ share: TimeSlices.Share, _ buffer: ReadBuffer,
        on loop: LibeventLoop, since: Instant
    ) {
        (self.channel, self.share, self.buffer, self.loop) = (channel, share, buffer, loop)
        age = InputAge(since: since, now: loop.timerQueue.now)
    }

    /// An instant after which the present request began to arrive.
    package var since: Instant { age.since }

    /// Returns whether connections of this kind have time left in this turn. If not, calls the channel's `readable` in a later
    /// turn. Until then the channel may call in vain: to stop waiting for input would need a system call.
    package func hasTimeThisTurn() -> Bool {
        if isPostponed { return false }
        if share.hasTime { return true }
        isPostponed = true
        age.leaveInput()
        share.later { [self] in
            isPostponed = false
            channel.callReadableLater()
        }
        return false
    }

    /// Counts the time since the clock was read as time that this kind of connections has used. Call it after work for the
    /// connection.
    package func chargeTime() { share.charge() }

    /// Reads bytes from the channel, at most as many as the shared buffer holds, and passes them to `take`. `beginsRequest` says
    /// that the bytes do not continue an unfinished request.
    package func read(beginsRequest: Bool, _ take: (UnsafeRawBufferPointer) -> Void) -> Transfer {
        let bytes = buffer.bytes
        let transfer = channel.read(into: bytes)
        switch transfer {
        case .bytes(let count):
            if beginsRequest { age.willRead(loop) }
            take(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            age.didRead(count, of: bytes.count, from: channel, loop)
        case .later: age.didReadAll(loop)
        case .end, .broken: break
        }
        return transfer
    }

    /// Reads bytes as `read` does, and drops them.
    package func drop() -> Transfer { channel.read(into: buffer.bytes) }

    /// Reads and drops what has arrived. Call it before the channel is closed: if input of a TCP socket is unread then, the kernel
    /// resets the connection, and the client loses the answers that it has not read yet.
    package func dropArrived() {
        for _ in 0..<Self.droppedReads { guard case .bytes = drop() else { return } }
    }

    /// The most reads by which input is dropped, so that a client that sends all the time does not hold the loop.
    private static let droppedReads = 16

    /// Call this in each turn in which the channel may have input that is not read.
    package func leave() { age.leaveInput() }

    /// Sets whether the channel calls `readable`, and records since when.
    package func wait(_ isWaiting: Bool) {
        channel.waitForInput(isWaiting)
        recordWait(isWaiting)
    }

    /// Records whether the channel waits for input, as an earlier call has set it.
    package func recordWait(_ isWaiting: Bool) { age.wait(isWaiting, loop) }
}
