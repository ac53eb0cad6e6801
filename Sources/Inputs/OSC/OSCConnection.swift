public import EventLoop
internal import Glibc
internal import Support
internal import Timers

/// A UDP socket that receives and sends OSC messages, for one `osc` line of the configuration.
public final class OSCConnection: InputConnection {
    public private(set) var status: ConnectionStatus
    /// Called with each message, and the numeric address of its sender.
    public var onInput: ((OSCMessage, _ sender: String) -> Void)?
    public var onChange: ((_ failure: String?) -> Void)?
    /// The numeric address and the port at which the socket receives.
    private let (host, port): (String, UInt16)
    private let loop: LibeventLoop
    /// Nil while the socket is closed.
    private var openSocket: (descriptor: Int32, family: Int32, watcher: DescriptorWatcher)?
    /// Opens the socket again after a failure; nil if the socket is open or stopped.
    private var retry: ScopedCountdown?
    private var backoff = Backoff()
    /// The datagram that was read last.
    private var buffer = [UInt8](repeating: 0, count: OSCLimit.datagramBytes)
    /// The maximum number of datagrams that are read in one turn of the loop. Without this limit, a busy sender would delay
    /// other connections.
    private static let datagramsPerTurn = 256

    /// `host` must be a numeric address, because names are not looked up.
    public init(host: String, port: UInt16, on loop: LibeventLoop) {
        (self.host, self.port, self.loop) = (host, port, loop)
        status = ConnectionStatus(at: loop.timerQueue.now)
    }

    deinit { end() }

    public func start() {
        guard openSocket == nil else { return }
        retry = nil
        guard
            let address = HostLookup.numericAddresses(of: host, port, for: .datagram)?.first
        else { return fail("\(host): expected a numeric address") }
        let socketType =
            Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, socketType, 0)
        guard descriptor >= 0 else { return fail(NetworkFailure.text(errno, dropIn: "osc")) }
        // Without this option, the kernel refuses messages to broadcast addresses. IPv6 has none.
        var isAllowed: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_BROADCAST, &isAllowed, socklen_t(MemoryLayout<Int32>.size))
        guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
            let why = "\(host):\(port): \(String(cString: strerror(errno)))"
            close(descriptor)
            return fail(why)
        }
        do throws(EventLoopError) {
            let watcher = try DescriptorWatcher(descriptor, .readable, on: loop) {
                [unowned self] in read()
            }
            openSocket = (descriptor, address.family, watcher)
            status.markUp(at: loop.timerQueue.now)
            backoff.succeed()
            onChange?(nil)
        } catch {
            close(descriptor)
            fail("cannot watch the socket")
        }
    }

    public func stop(_ done: () -> Void) {
        end()
        done()
    }

    private func end() {
        retry = nil
        guard let socket = exchange(&openSocket, with: nil) else { return }
        socket.watcher.disable()
        close(socket.descriptor)
        status.markDown(nil, at: loop.timerQueue.now)
    }

    private func fail(_ why: String) {
        end()
        status.markDown(why, at: loop.timerQueue.now)
        retry = ScopedCountdown(on: loop, backoff.fail()) { [unowned self] in start() }
        onChange?(why)
    }

    private func read() {
        // Reads the clock again, so that due timers fire before the datagrams are handled. A timer may close the socket.
        loop.fireDueTimers()
        read(atMost: Self.datagramsPerTurn)
    }

    public func readUnread() { read(atMost: Self.unreadDatagrams) }

    /// The maximum number of datagrams in `readUnread`: more than a socket's buffer holds, because a sender may send faster than
    /// this process reads.
    private static let unreadDatagrams = 65_536

    private func read(atMost count: Int) {
        for _ in 0..<count {
            guard let descriptor = openSocket?.descriptor else { return }
            var sender = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let count = withUnsafeMutablePointer(to: &sender) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, &buffer, buffer.count, 0, $0, &size)
                }
            }
            guard count >= 0 else {
                // recvfrom(2) also reports the errors of earlier sends. An error is counted, and the socket stays usable.
                if errno != EAGAIN, errno != EINTR { status.malformed += 1 }
                return
            }
            receive(buffer[..<count], from: Self.numericAddress(&sender, size))
        }
    }

    /// Passes on the messages of a datagram. `sender` is a numeric address.
    private func receive(_ datagram: ArraySlice<UInt8>, from sender: String) {
        let messages: [OSCMessage]
        do throws(OSCError) { messages = try OSCDecoder.decode(datagram) } catch {
            status.malformed += 1
            return
        }
        for message in messages {
            status.countReceived(at: loop.timerQueue.now)
            onInput?(message, sender)
        }
    }

    /// The numeric address of a sender as text; `?` for an address of an unknown kind. With NI_NUMERICHOST, getnameinfo(3) asks
    /// no name server.
    private static func numericAddress(
        _ address: inout sockaddr_storage, _ size: socklen_t
    ) -> String {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getnameinfo(
                    $0, size, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
            }
        }
        guard result == 0 else { return "?" }
        return String(
            decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Sends a message to a numeric address. Returns nil when the kernel has taken the datagram, otherwise a sentence about the
    /// failure.
    public func send(_ message: OSCMessage, toHost host: String, port: UInt16) -> String? {
        guard let openSocket else { return "the socket is not open" }
        guard
            let address = HostLookup.numericAddresses(of: host, port, for: .datagram)?
                .first(where: { $0.family == openSocket.family })
        else { return "\(host): the socket cannot send to an address of this family" }
        let bytes = OSCEncoder.encode(message)
        let count = address.withPointer {
            sendto(openSocket.descriptor, bytes, bytes.count, 0, $0, $1)
        }
        guard count == bytes.count else { return String(cString: strerror(errno)) }
        status.countSent()
        return nil
    }
}
