import Glibc
import Testing
import Timers

@testable import EventLoop

/// The end of a connection whose peer still sends.
@Suite struct StreamSocketTests {
    /// A TCP socket that listens at a port of this machine.
    private let listener: Int32
    private let port: UInt16

    init() {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = withUnsafeMutablePointer(to: &address) { [listener] in
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size)
                listen(listener, 1)
                getsockname(listener, $0, &size)
            }
            return UInt16(bigEndian: $0.pointee.sin_port)
        }
    }

    /// The address at which `listener` listens.
    private var address: SocketAddress {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return SocketAddress(family: AF_INET, bytes: withUnsafeBytes(of: &address) { Array($0) })
    }

    @Test func `a peer that still sends gets all bytes that were sent before the end`() throws {
        let loop = try LibeventLoop()
        let client = StreamSocket(on: loop, peer: "the peer", limit: 1 << 20)
        let message = [UInt8](repeating: 7, count: 200_000)
        var peer: Int32 = -1
        client.onOpen = {
            peer = accept(listener, nil, nil)
            // The client does not read these bytes, because it ends the connection before it takes another turn.
            write(peer, message, 100)
            client.send(message)
            client.finish {}
        }
        client.connect(to: address)
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
        close(listener)
        withExtendedLifetime(reader) {}
    }

    @Test func `a peer that neither reads nor ends is closed after a time`() throws {
        let loop = try LibeventLoop()
        let client = StreamSocket(on: loop, peer: "the peer", limit: 64 << 20)
        var (peer, hasEnded): (Int32, Bool) = (-1, false)
        client.onOpen = {
            peer = accept(listener, nil, nil)
            // More than the kernel takes.
            client.send([UInt8](repeating: 7, count: 32 << 20))
            client.finish { hasEnded = true }
        }
        client.connect(to: address)
        // Without the client's events and timers, the loop ends by itself.
        loop.run()
        #expect(hasEnded)
        #expect(loop.timerQueue.count == 0)
        close(peer)
        close(listener)
    }
}
