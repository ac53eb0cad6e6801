internal import EventLoop
internal import Glibc
internal import Support
internal import Timers

/// The descriptor of a device that may be unplugged: opens it, reads it, and opens it again with a backoff.
final class DeviceFile {
    /// Opens the device without blocking. Returns a descriptor, or a sentence about the failure.
    private let openDevice: () -> Result<Int32, DeviceError>
    private let loop: LibeventLoop
    private var open: (descriptor: Int32, watcher: DescriptorWatcher, writable: DescriptorWatcher)?
    /// The bytes that remain after a partial write. They are written before any others, so that no line is cut.
    private var unfinished: (rest: ArraySlice<UInt8>, done: (_ failure: String?) -> Void)?
    private var retry: ScopedCountdown?
    private var backoff = Backoff(longest: .seconds(2))
    private(set) var status: ConnectionStatus
    var onBytes: ((ArraySlice<UInt8>) -> Void)?
    var onChange: ((_ failure: String?) -> Void)?
    private static let readBytes = 4096

    init(on loop: LibeventLoop, _ open: @escaping () -> Result<Int32, DeviceError>) {
        (self.loop, openDevice) = (loop, open)
        status = ConnectionStatus(at: loop.timerQueue.now)
    }

    deinit {
        // Nobody waits for the end of a write any more.
        unfinished = nil
        stop()
    }

    func start() {
        guard open == nil else { return }
        retry = nil
        switch openDevice() {
        case .failure(let error): fail(error.why)
        case .success(let descriptor):
            do throws(EventLoopError) {
                let watcher = try DescriptorWatcher(descriptor, .readable, on: loop, .second) {
                    [unowned self] in read()
                }
                let writable = try DescriptorWatcher(
                    descriptor, .writable, on: loop, isAwake: false, .second
                ) { [unowned self] in writeRest() }
                open = (descriptor, watcher, writable)
                status.up(at: loop.timerQueue.now)
                onChange?(nil)
            } catch {
                close(descriptor)
                fail("cannot watch the device")
            }
        }
    }

    func stop() {
        retry = nil
        guard let device = exchange(&open, with: nil) else { return }
        device.watcher.sleep()
        device.writable.sleep()
        close(device.descriptor)
        status.down(nil, at: loop.timerQueue.now)
        exchange(&unfinished, with: nil)?.done("the device is gone")
    }

    private func fail(_ why: String) {
        let now = loop.timerQueue.now
        if status.isUp, now - status.since >= Backoff.steadyDuration { backoff.succeed() }
        stop()
        status.down(why, at: now)
        retry = ScopedCountdown(on: loop, backoff.fail()) { [unowned self] in start() }
        onChange?(why)
    }

    private func read() {
        loop.settle()
        guard let descriptor = open?.descriptor else { return }
        var buffer = [UInt8](repeating: 0, count: Self.readBytes)
        switch Glibc.read(descriptor, &buffer, buffer.count) {
        case 0: fail("the device is gone")
        case let count where count > 0: onBytes?(buffer[..<count])
        default: if errno != EAGAIN, errno != EINTR { fail(String(cString: strerror(errno))) }
        }
    }

    func countReceived() { status.receive(at: loop.timerQueue.now) }

    /// Writes bytes, and calls `done` once, now or later, with a sentence about the failure; with nil when the device has
    /// taken all of them. If it takes only the beginning, the rest follows as soon as it takes more.
    func write(_ bytes: [UInt8], _ done: @escaping (_ failure: String?) -> Void) {
        guard let device = open else { return done("the device is not open") }
        guard unfinished == nil else { return done(Self.full) }
        let count = Glibc.write(device.descriptor, bytes, bytes.count)
        guard count > 0 else { return done(Self.failure()) }
        guard count < bytes.count else {
            status.send()
            return done(nil)
        }
        unfinished = (bytes[count...], done)
        device.writable.wake()
    }

    private func writeRest() {
        loop.settle()
        guard let device = open, let (rest, done) = unfinished else { return }
        let count = rest.withUnsafeBytes {
            Glibc.write(device.descriptor, $0.baseAddress, $0.count)
        }
        guard count >= 0 else {
            if errno != EAGAIN, errno != EINTR { fail(String(cString: strerror(errno))) }
            return
        }
        guard count == rest.count else {
            unfinished = (rest.dropFirst(count), done)
            return
        }
        device.writable.sleep()
        unfinished = nil
        status.send()
        done(nil)
    }

    private static let full = "the device takes no more bytes"

    private static func failure() -> String {
        errno == EAGAIN ? full : String(cString: strerror(errno))
    }
}

/// The reason why a device cannot be opened.
struct DeviceError: DescribedError {
    let why: String

    static func last(_ path: String) -> DeviceError {
        DeviceError(why: "\(path): \(String(cString: strerror(errno)))")
    }
}
