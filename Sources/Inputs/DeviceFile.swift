internal import EventLoop
internal import Glibc
internal import Support
internal import Timers

/// The file of a device that may be unplugged, such as `/dev/ttyUSB0`. Opens, reads and writes the file for an
/// `EvdevConnection` or a `SerialConnection`. After a failure, waits for a while and opens the file again; the pause grows with
/// each failure in a row. All calls are on the loop's thread.
final class DeviceFile {
    /// Opens the file without blocking. Returns a descriptor, or a sentence about the failure.
    private let openFile: () -> Result<Int32, DeviceError>
    private let loop: LibeventLoop
    /// The opened file; nil while it is not open.
    private var device:
        (descriptor: Int32, readWatcher: DescriptorWatcher, writeWatcher: DescriptorWatcher)?
    /// The bytes of the last `write` that the device has not taken yet, and the `done` of that call. Nil if the device has
    /// taken all bytes. Until then, other calls of `write` fail, because their bytes would arrive in the middle of a line.
    private var unfinishedWrite: (unwritten: ArraySlice<UInt8>, done: (_ failure: String?) -> Void)?
    /// Fires when the file is to be opened again.
    private var retry: ScopedCountdown?
    /// The pauses between attempts to open the file. The longest pause is the time after which a device that was plugged in
    /// again works at the latest.
    private var backoff = Backoff(longest: .seconds(2))
    private(set) var status: ConnectionStatus
    /// Called when the file was opened, before any of its bytes are read. If the owner has an incomplete message from an
    /// earlier opening, it then discards this message, because the missing part will not arrive.
    var onOpen: (() -> Void)?
    /// Called with the bytes of each read.
    var onBytes: ((ArraySlice<UInt8>) -> Void)?
    /// Called with nil when the file was opened, and with a sentence after each failure.
    var onChange: ((_ failure: String?) -> Void)?
    /// The maximum number of bytes in one read.
    private static let readBytes = 4096
    /// The maximum number of reads in one `readAvailable`.
    private static let readsAtOnce = 16

    init(on loop: LibeventLoop, _ open: @escaping () -> Result<Int32, DeviceError>) {
        (self.loop, openFile) = (loop, open)
        status = ConnectionStatus(at: loop.timerQueue.now)
    }

    deinit {
        // `stop` would call the `done` of an unfinished write, which is a function of the owner, and the owner is being
        // released.
        unfinishedWrite = nil
        stop()
    }

    /// Opens the file. Does nothing if it is open.
    func start() {
        guard device == nil else { return }
        retry = nil
        switch openFile() {
        case .failure(let error): fail(error.why)
        case .success(let descriptor):
            do throws(EventLoopError) {
                let readWatcher = try DescriptorWatcher(descriptor, .readable, on: loop) {
                    [unowned self] in read()
                }
                let writeWatcher = try DescriptorWatcher(
                    descriptor, .writable, on: loop, isEnabled: false
                ) { [unowned self] in continueWrite() }
                device = (descriptor, readWatcher, writeWatcher)
                status.markUp(at: loop.timerQueue.now)
                onOpen?()
                onChange?(nil)
            } catch {
                close(descriptor)
                fail("cannot watch the device")
            }
        }
    }

    /// Closes the file. `start` opens it again.
    func stop() {
        retry = nil
        guard let device = exchange(&self.device, with: nil) else { return }
        device.readWatcher.disable()
        device.writeWatcher.disable()
        close(device.descriptor)
        status.markDown(nil, at: loop.timerQueue.now)
        exchange(&unfinishedWrite, with: nil)?.done("the device is gone")
    }

    /// Closes the file after a failure, and sets the timer that opens it again.
    private func fail(_ why: String) {
        let now = loop.timerQueue.now
        // If the file was open for long enough, the next pause is the shortest again.
        if status.isUp, now - status.since >= Backoff.steadyDuration { backoff.succeed() }
        stop()
        status.markDown(why, at: now)
        retry = ScopedCountdown(on: loop, backoff.fail()) { [unowned self] in start() }
        onChange?(why)
    }

    private func read() {
        // Sets the clock to the present, so that the input is not handled at the time of an earlier turn of the loop.
        loop.fireDueTimers()
        _ = readOnce()
    }

    /// Passes on what has arrived. Then calls `onOpen`, so that the owner discards an incomplete message.
    func readUnread() {
        readAvailable()
        if device != nil { onOpen?() }
    }

    /// Reads what the device has sent already: `readsAtOnce` times `readBytes` at most.
    func readAvailable() {
        for _ in 0..<Self.readsAtOnce {
            guard readOnce() else { return }
        }
    }

    /// Reads once. Returns whether there may be more to read.
    private func readOnce() -> Bool {
        guard let descriptor = device?.descriptor else { return false }
        var buffer = [UInt8](repeating: 0, count: Self.readBytes)
        switch Glibc.read(descriptor, &buffer, buffer.count) {
        case 0: fail("the device is gone")
        case let count where count > 0:
            onBytes?(buffer[..<count])
            return true
        default: if errno != EAGAIN, errno != EINTR { fail(String(cString: strerror(errno))) }
        }
        return false
    }

    /// Counts a message in `status`. The owner calls it for each message that it decodes from the bytes.
    func countReceived() { status.countReceived(at: loop.timerQueue.now) }

    /// Writes bytes, and calls `done` once, now or later: with nil when the device has taken all bytes, otherwise with a
    /// sentence about the failure. If the device takes only the first bytes, the other bytes are written when the device can
    /// take more. Until then, other calls of `write` fail.
    func write(_ bytes: [UInt8], _ done: @escaping (_ failure: String?) -> Void) {
        guard let device else { return done("the device is not open") }
        guard unfinishedWrite == nil else { return done(Self.fullSentence) }
        var count: Int
        repeat {
            count = Glibc.write(device.descriptor, bytes, bytes.count)
        } while count < 0 && errno == EINTR
        guard count >= 0 else { return done(Self.writeFailure()) }
        guard count < bytes.count else {
            status.countSent()
            return done(nil)
        }
        unfinishedWrite = (bytes[count...], done)
        device.writeWatcher.enable()
    }

    /// Writes what remains of an unfinished write. Called when the device can take more bytes.
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
        status.countSent()
        done(nil)
    }

    private static let fullSentence = "the device takes no more bytes"

    /// Returns the sentence for the `errno` of a write.
    private static func writeFailure() -> String {
        errno == EAGAIN ? fullSentence : String(cString: strerror(errno))
    }
}

/// The reason why a device cannot be opened.
struct DeviceError: DescribedError {
    let why: String

    /// The error of the last system call, from `errno`, for the file at `path`.
    static func fromErrno(_ path: String) -> DeviceError {
        DeviceError(why: "\(path): \(String(cString: strerror(errno)))")
    }
}
