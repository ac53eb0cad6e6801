public import EventLoop
internal import Glibc
internal import Timers

/// A connection to a serial device with which lines of text are exchanged, for one `serial` line of the configuration.
public final class SerialConnection: InputConnection {
    /// Called with each line of the device, without its line end.
    public var onInput: (([UInt8]) -> Void)?
    /// Called with nil when lines of the device count: `settlingTime` after the device was opened.
    public var onChange: ((_ failure: String?) -> Void)?
    /// Opens, reads and writes the device; opens it again after a failure.
    private let device: DeviceFile
    private let loop: LibeventLoop
    /// Splits the bytes that the device sends into lines.
    private var splitter: LineSplitter
    /// Runs after the device was opened, while what it sends is dropped; nil otherwise.
    private var settling: ScopedCountdown?

    /// For this time after the opening, lines are dropped. What the device has sent before it was opened, which may begin in the
    /// middle of a line, arrives within this time.
    public static let settlingTime = Duration.milliseconds(50)

    /// The speeds that a serial device can have, in baud.
    public static let bauds = speeds.map(\.baud)

    /// The constant of termios(3) for each speed.
    private static let speeds: [(baud: Int, code: speed_t)] = [
        (1200, speed_t(B1200)), (2400, speed_t(B2400)), (4800, speed_t(B4800)),
        (9600, speed_t(B9600)), (19_200, speed_t(B19200)), (38_400, speed_t(B38400)),
        (57_600, speed_t(B57600)), (115_200, speed_t(B115200)), (230_400, speed_t(B230400)),
        (460_800, speed_t(B460800)), (921_600, speed_t(B921600)), (1_000_000, speed_t(B1000000)),
    ]

    /// Creates a connection that `start` opens. `path` is the file of the device; `baud` must be in `bauds`. `bounds` tells
    /// the lines that the device sends from each other.
    public init(path: String, baud: Int, _ bounds: LineBounds, on loop: LibeventLoop) {
        self.loop = loop
        splitter = LineSplitter(bounds)
        device = DeviceFile(on: loop) { Self.open(path, baud) }
        device.onOpen = { [unowned self] in settle() }
        device.onBytes = { [unowned self] in receive($0) }
        device.onChange = { [unowned self] failure in
            guard let failure else { return }
            settling = nil
            onChange?(failure)
        }
    }

    /// Drops what arrives within `settlingTime`, with the rest of a line that is then incomplete.
    private func settle() {
        splitter.discardPartialLine()
        settling = ScopedCountdown(on: loop, Self.settlingTime) { [unowned self] in
            // If the loop was late, what has arrived meanwhile is still unread.
            device.readAvailable()
            // The device may have failed.
            guard settling != nil else { return }
            settling = nil
            splitter.skipPartialLine()
            onChange?(nil)
        }
    }

    public var status: ConnectionStatus {
        var status = device.status
        // A line that is too long counts as malformed.
        status.malformed = splitter.dropped
        return status
    }

    public func start() { device.start() }

    public func stop(_ done: () -> Void) {
        settling = nil
        device.stop()
        done()
    }

    public func readUnread() { device.readUnread() }

    /// Writes a line, and calls `done` once, now or later: with nil when the kernel has taken the whole line, otherwise with a
    /// sentence about the failure.
    public func write(_ line: String, _ done: @escaping (_ failure: String?) -> Void) {
        device.write(Array(line.utf8) + [0x0A], done)
    }

    private func receive(_ bytes: ArraySlice<UInt8>) {
        for line in splitter.add(bytes) where settling == nil {
            device.countReceived()
            onInput?(line)
        }
    }

    /// Opens the file of a device, and sets its speed and the raw mode, in which the kernel changes no bytes. Returns the
    /// descriptor.
    private static func open(_ path: String, _ baud: Int) -> Result<Int32, DeviceError> {
        let descriptor = Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(.fromErrno(path)) }
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else {
            let error = DeviceError.fromErrno(path)
            close(descriptor)
            return .failure(error)
        }
        cfmakeraw(&settings)
        // Ignores the modem's control lines, and enables the receiver.
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        if let speed = speeds.first(where: { $0.baud == baud }) {
            cfsetspeed(&settings, speed.code)
        }
        guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else {
            let error = DeviceError.fromErrno(path)
            close(descriptor)
            return .failure(error)
        }
        return .success(descriptor)
    }
}
