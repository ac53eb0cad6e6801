internal import EventLoop
internal import Glibc
internal import Support
internal import Timers

/// Opens, reads and writes the file of a device that may be unplugged. After a failure it opens the file again, with a backoff.
final class DeviceFile {
    /// Opens the file without blocking. Returns a descriptor, or a sentence about the failure.
    private let openFile: () -> Result<Int32, DeviceError>
    private let loop: LibeventLoop
    private var device:
        (descriptor: Int32, readWatcher: DescriptorWatcher, writeWatcher: DescriptorWatcher)?
    /// The bytes that remain after a partial write. No other bytes are written before them, so that no line is cut.
    private var unfinishedWrite: (unwritten: ArraySlice<UInt8>, done: (_ failure: String?) -> Void)?
    private var retry: ScopedCountdown?
    private var backoff = Backoff(longest: .seconds(2))
    private(set) var status: ConnectionStatus
    var onBytes: ((ArraySlice<UInt8>) -> Void)?
    var onChange: ((_ failure: String?) -> Void)?
    /// The maximum number of bytes in one read.
    private static let readBytes = 4096

    init(on loop: LibeventLoop, _ open: @escaping () -> Result<Int32, DeviceError>) {
        (self.loop, openFile) = (loop, open)
        status = ConnectionStatus(at: loop.timerQueue.now)
    }

    deinit {
        // The owner is released, so the `done` of an unfinished write is not called.
        unfinishedWrite = nil
        stop()
    }

    func start() {
        guard device == nil else { return }
        retry = nil
        switch openFile() {
        case .failure(let error): fail(error.why)
        case .success(let descriptor):
            do throws(EventLoopError) {
                let readWatcher = try DescriptorWatcher(descriptor, .readable, on: loop, .normal) {
                    [unowned self] in read()
                }
                let writeWatcher = try DescriptorWatcher(
                    descriptor, .writable, on: loop, isEnabled: false, .normal
                ) { [unowned self] in continueWrite() }
                device = (descriptor, readWatcher, writeWatcher)
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
        guard let device = exchange(&self.device, with: nil) else { return }
        device.readWatcher.disable()
        device.writeWatcher.disable()
        close(device.descriptor)
        status.down(nil, at: loop.timerQueue.now)
        exchange(&unfinishedWrite, with: nil)?.done("the device is gone")
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
        loop.fireDueTimers()
        guard let descriptor = device?.descriptor else { return }
        var buffer = [UInt8](repeating: 0, count: Self.readBytes)
        switch Glibc.read(descriptor, &buffer, buffer.count) {
        case 0: fail("the device is gone")
        case let count where count > 0: onBytes?(buffer[..<count])
        default: if errno != EAGAIN, errno != EINTR { fail(String(cString: strerror(errno))) }
        }
    }

    func countReceived() { status.receive(at: loop.timerQueue.now) }

    /// Writes bytes, and calls `done` once, now or later: with nil when the device has taken all bytes, otherwise with a
    /// sentence about the failure. If the device takes only the first bytes, the others follow as soon as it takes more.
    func write(_ bytes: [UInt8], _ done: @escaping (_ failure: String?) -> Void) {
        guard let device else { return done("the device is not open") }
        guard unfinishedWrite == nil else { return done(Self.fullSentence) }
        let count = Glibc.write(device.descriptor, bytes, bytes.count)
        guard count > 0 else { return done(Self.failure()) }
        guard count < bytes.count else {
            status.send()
            return done(nil)
        }
        unfinishedWrite = (bytes[count...], done)
        device.writeWatcher.enable()
    }

    private func continueWrite() {
        loop.fireDueTimers()
        guard let device, let (unwritten, done) = unfinishedWrite else { return }
        let count = unwritten.withUnsafeBytes {
            Glibc.write(device.descriptor, $0.baseAddress, $0.count)
        }
        guard count >= 0 else {
            if errno != EAGAIN, errno != EINTR { fail(String(cString: strerror(errno))) }
            return
        }
        guard count == unwritten.count else {
            unfinishedWrite = (unwritten.dropFirst(count), done)
            return
        }
        device.writeWatcher.disable()
        unfinishedWrite = nil
        status.send()
        done(nil)
    }

    private static let fullSentence = "the device takes no more bytes"

    private static func failure() -> String {
        errno == EAGAIN ? fullSentence : String(cString: strerror(errno))
    }
}

/// The reason why a device cannot be opened.
struct DeviceError: DescribedError {
    let why: String

    static func last(_ path: String) -> DeviceError {
        DeviceError(why: "\(path): \(String(cString: strerror(errno)))")
    }
}
