import Glibc
import TestSupport
import Testing
import Timers

@testable import EventLoop

/// The end of a connection whose peer still sends.
@Suite struct StreamSocketTests {
    private let listener: LoopbackListener

    init() throws { listener = try #require(LoopbackListener()) }

    @Test func `a peer that still sends gets all bytes that were sent before the end`() throws {
        let loop = try LibeventLoop()
        let client = StreamSocket(on: loop, peer: "the peer", limit: 1 << 20)
        let message = [UInt8](repeating: 7, count: 200_000)
        var peer: Int32 = -1
        client.onOpen = {
            peer = listener.acceptClient()
            // The client does not read these bytes, because it ends the connection before it takes another turn.
            write(peer, message, 100)
            client.send(message)
            client.finish {}
        }
        client.connect(to: listener.address)
        // The peer reads slowly, and writes before each read.
        var (received, buffer) = (0, [UInt8](repeating: 0, count: 10_000))
        let reader = ScopedPendulum(on: loop, .milliseconds(1)) { _ in
            guard peer >= 0 else { return }
            send(peer, message, 10, Int32(MSG_NOSIGNAL))
            let count = recv(peer, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { received += count } else if count == 0 || errno != EAGAIN { loop.stop() }
        }
        loop.run()
        #expect(received == message.count)
        close(peer)
        withExtendedLifetime(reader) {}
    }

    @Test func `a peer that neither reads nor ends is closed after a time`() throws {
        let loop = try LibeventLoop()
        let client = StreamSocket(on: loop, peer: "the peer", limit: 64 << 20)
        var (peer, hasEnded): (Int32, Bool) = (-1, false)
        client.onOpen = {
            peer = listener.acceptClient()
            // More than the kernel takes.
            client.send([UInt8](repeating: 7, count: 32 << 20))
            client.finish { hasEnded = true }
        }
        client.connect(to: listener.address)
        // Without the client's events and timers, the loop ends by itself.
        loop.run()
        #expect(hasEnded)
        #expect(loop.timerQueue.count == 0)
        close(peer)
    }
}
