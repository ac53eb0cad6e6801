internal import Glibc
internal import Timers

/// The end of a connection whose peer is to read everything that was sent. If a socket is closed while bytes of the peer are unread,
/// or if bytes arrive after it was closed, the kernel resets the connection, and the peer loses what it has not read yet.
///
/// This object writes what waits, ends the output, and drops what arrives until the peer ends the connection. It keeps itself alive
/// until then.
final class LingeringSocket {
    private let descriptor: Int32
    /// The bytes that the kernel has not taken yet.
    private var outgoing: [UInt8]
    private var (input, output): (DescriptorWatcher?, DescriptorWatcher?)
    private var timeout: ScopedCountdown?
    private let done: () -> Void
    /// Where the dropped bytes are read to.
    private var readBuffer = [UInt8](repeating: 0, count: 4096)

    /// The time after which the socket is closed, even if the peer has not ended the connection.
    static let longestTime = Duration.seconds(2)

    /// Takes the descriptor over, writes `outgoing`, and closes the descriptor when the peer has ended the connection. Then calls
    /// `done`.
    static func close(
        _ descriptor: Int32, sending outgoing: [UInt8], on loop: LibeventLoop,
        _ done: @escaping () -> Void
    ) {
        let socket = LingeringSocket(descriptor, outgoing, done)
        do throws(EventLoopError) {
            socket.input = try DescriptorWatcher(descriptor, .readable, on: loop) {
                socket.read()
            }
            socket.output = try DescriptorWatcher(descriptor, .writable, on: loop) {
                socket.write()
            }
        } catch { return socket.end() }
        socket.timeout = ScopedCountdown(on: loop, longestTime) { socket.end() }
    }

    private init(_ descriptor: Int32, _ outgoing: [UInt8], _ done: @escaping () -> Void) {
        (self.descriptor, self.outgoing, self.done) = (descriptor, outgoing, done)
    }

    private func write() {
        if !outgoing.isEmpty {
            let count = unsafe Glibc.write(descriptor, outgoing, outgoing.count)
            if count > 0 { outgoing.removeFirst(count) }
            if count < 0, errno != EAGAIN, errno != EINTR { return end() }
        }
        guard outgoing.isEmpty else { return }
        output?.disable()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    private func read() {
        let count = unsafe Glibc.read(descriptor, &readBuffer, readBuffer.count)
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { end() }
    }

    private func end() {
        input?.disable()
        output?.disable()
        Glibc.close(descriptor)
        // The closures of these objects retain this object.
        (input, output, timeout) = (nil, nil, nil)
        done()
    }
}
