import Bluetooth
import CLinux
import EventLoop
import Glibc
import Shell
import Timers

/// A controller that is connected by a socket: a virtual one, or a radio behind a bridge.
final class HCISocket: HCIEndpoint {
    weak var host: (any HCIHost)?
    private let loop: LibeventLoop
    private let location: ControllerLocation
    private enum State {
        case closed
        /// connect(2) is in progress; the descriptor becomes writable when it has succeeded or
        /// failed.
        case connecting(Int32, DescriptorWatcher)
        case open(Int32, input: DescriptorWatcher, output: DescriptorWatcher)
        /// The connection failed, which is reported to the host in the next turn.
        case failing(ScopedCountdown)
    }

    private var state = State.closed
    private var toWrite: [UInt8] = []
    /// How many bytes may wait for a controller that does not read.
    static let backlog = 1 << 20
    private static let readBytes = 16_384

    init(_ location: ControllerLocation, on loop: LibeventLoop) {
        (self.location, self.loop) = (location, loop)
    }

    deinit { close() }

    // MARK: opening

    func open() {
        let (descriptor, status) = connect()
        guard descriptor >= 0, status == 0 || status == EINPROGRESS else {
            if descriptor >= 0 { Glibc.close(descriptor) }
            return failLater(String(cString: strerror(status)))
        }
        do throws(EventLoopError) {
            let writable = try DescriptorWatcher(descriptor, .writable, on: loop) {
                [unowned self] in
                connected()
            }
            state = .connecting(descriptor, writable)
        } catch {
            Glibc.close(descriptor)
            failLater("cannot watch the socket")
        }
    }

    /// A socket that is connecting to the controller, and the errno of the attempt.
    private func connect() -> (descriptor: Int32, status: Int32) {
        switch location {
        case .unix(let path):
            guard let address = SocketPath.address(path) else { return (-1, ENAMETOOLONG) }
            let descriptor = SocketPath.socket(waits: false)
            guard descriptor >= 0 else { return (-1, errno) }
            let done = SocketPath.with(address) { Glibc.connect(descriptor, $0, $1) }
            return (descriptor, done == 0 ? 0 : errno)
        case .tcp(let host, let port): return Self.connect(host, port)
        case .simulated: return (-1, EINVAL)
        }
    }

    /// Wraps getaddrinfo(3), limited to numeric addresses and `localhost`: a name server could
    /// block the loop.
    private static func connect(_ host: String, _ port: UInt16) -> (Int32, Int32) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | AI_NUMERICHOST
        var found: UnsafeMutablePointer<addrinfo>?
        let name = host == "localhost" ? "127.0.0.1" : host
        guard getaddrinfo(name, String(port), &hints, &found) == 0, let entry = found?.pointee
        else { return (-1, EADDRNOTAVAIL) }
        defer { freeaddrinfo(found) }
        let kind = entry.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(entry.ai_family, kind, entry.ai_protocol)
        guard descriptor >= 0 else { return (-1, errno) }
        NetworkSocket.sendAtOnce(descriptor)
        let done = Glibc.connect(descriptor, entry.ai_addr, entry.ai_addrlen)
        return (descriptor, done == 0 ? 0 : errno)
    }

    private func connected() {
        loop.settle()
        guard case .connecting(let descriptor, _) = state else { return }
        var status: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &status, &size)
        guard status == 0 else { return fail(String(cString: strerror(status))) }
        do throws(EventLoopError) {
            let input = try DescriptorWatcher(descriptor, .readable, on: loop) { [unowned self] in
                read()
            }
            let output = try DescriptorWatcher(descriptor, .writable, on: loop, isAwake: false) {
                [unowned self] in write()
            }
            state = .open(descriptor, input: input, output: output)
            host?.opened()
        } catch { fail("cannot watch the socket") }
    }

    // MARK: ending

    func close() {
        // One of the watchers may be calling this method and outlive the object. It must be stopped
        // before its descriptor is closed, because the descriptor's number may be reused.
        switch exchange(&state, with: .closed) {
        case .connecting(let descriptor, let writable):
            writable.sleep()
            Glibc.close(descriptor)
        case .open(let descriptor, let input, let output):
            input.sleep()
            output.sleep()
            // Writes the remaining bytes, if there is room for them, so that the links are closed.
            if !toWrite.isEmpty { _ = Glibc.write(descriptor, toWrite, toWrite.count) }
            Glibc.close(descriptor)
        case .closed, .failing: break
        }
        toWrite = []
    }

    private func fail(_ why: String) {
        close()
        host?.closed(why)
    }

    private func failLater(_ why: String) {
        state = .failing(
            ScopedCountdown(on: loop, .zero) { [unowned self] in
                state = .closed
                host?.closed(why)
            })
    }

    // MARK: bytes

    private func read() {
        // Reads the clock again, so that the data gets the time of this turn, not the time before
        // the sleep.
        loop.settle()
        guard case .open(let descriptor, _, _) = state else { return }
        var room = [UInt8](repeating: 0, count: Self.readBytes)
        switch Glibc.read(descriptor, &room, room.count) {
        case 0: fail("the controller closed the connection")
        case let count where count > 0: host?.received(room[..<count])
        default:
            if errno != EAGAIN, errno != EINTR { fail(String(cString: strerror(errno))) }
        }
    }

    func send(_ bytes: [UInt8]) {
        guard case .open(_, _, let output) = state else { return }
        let wasEmpty = toWrite.isEmpty
        toWrite += bytes
        guard toWrite.count <= Self.backlog else {
            close()
            return failLater("the controller does not read")
        }
        // Written together with the other output of this turn.
        if wasEmpty { output.wake() }
    }

    private func write() {
        guard case .open(let descriptor, _, let output) = state else { return }
        let count = Glibc.write(descriptor, toWrite, toWrite.count)
        if count > 0 { toWrite.removeFirst(count) }
        if count < 0, errno != EAGAIN, errno != EINTR {
            return fail(String(cString: strerror(errno)))
        }
        if toWrite.isEmpty { output.sleep() }
    }
}
