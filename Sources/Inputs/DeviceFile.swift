internal import EventLoop
internal import Glibc
internal import Support
internal import Timers

/// The descriptor of a device that may be unplugged: opens it, reads it, and opens it again with a backoff.
final class DeviceFile {
    /// Opens the device without blocking. Returns a descriptor, or a sentence about the failure.
    private let openDevice: () -> Result<Int32, DeviceError>
    private let loop: LibeventLoop
    private var open: (descriptor: Int32, watcher: DescriptorWatcher)?
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

    deinit { stop() }

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
                open = (descriptor, watcher)
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
        close(device.descriptor)
        status.down(nil, at: loop.timerQueue.now)
    }

    private func fail(_ why: String) {
        let now = loop.timerQueue.now
        if status.isUp, now - status.since >= Backoff.steady { backoff.succeed() }
        stop()
        status.down(why, at: now)
        retry = ScopedCountdown(on: loop, backoff.fail()) { [unowned self] in start() }
        onChange?(why)
    }

    private func read() {
        loop.settle()
        guard let descriptor = open?.descriptor else { return }
        var room = [UInt8](repeating: 0, count: Self.readBytes)
        switch Glibc.read(descriptor, &room, room.count) {
        case 0: fail("the device is gone")
        case let count where count > 0: onBytes?(room[..<count])
        default: if errno != EAGAIN, errno != EINTR { fail(String(cString: strerror(errno))) }
        }
    }

    func countReceived() { status.receive(at: loop.timerQueue.now) }

    /// Writes bytes, completely or not at all but for a device that takes only a part. Returns a sentence about the
    /// failure, or nil.
    func write(_ bytes: [UInt8]) -> String? {
        guard let descriptor = open?.descriptor else { return "the device is not open" }
        let count = Glibc.write(descriptor, bytes, bytes.count)
        guard count == bytes.count else {
            return count < 0 ? String(cString: strerror(errno)) : "the device takes no more bytes"
        }
        status.send()
        return nil
    }
}

/// The reason why a device cannot be opened.
struct DeviceError: DescribedError {
    let why: String

    static func last(_ path: String) -> DeviceError {
        DeviceError(why: "\(path): \(String(cString: strerror(errno)))")
    }
}
