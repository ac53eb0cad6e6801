public import EventLoop
internal import Glibc

/// A connection to a serial device that sends and receives lines of text.
public final class SerialConnection: InputConnection {
    public var onInput: ((Input) -> Void)?
    public var onChange: ((_ failure: String?) -> Void)? {
        get { device.onChange }
        set { device.onChange = newValue }
    }
    private let device: DeviceFile
    private var splitter = LineSplitter()

    /// The speeds that a serial device can have, in baud.
    public static let bauds = speeds.map(\.baud)

    private static let speeds: [(baud: Int, code: speed_t)] = [
        (1200, speed_t(B1200)), (2400, speed_t(B2400)), (4800, speed_t(B4800)),
        (9600, speed_t(B9600)), (19_200, speed_t(B19200)), (38_400, speed_t(B38400)),
        (57_600, speed_t(B57600)), (115_200, speed_t(B115200)), (230_400, speed_t(B230400)),
        (460_800, speed_t(B460800)), (921_600, speed_t(B921600)), (1_000_000, speed_t(B1000000)),
    ]

    public init(path: String, baud: Int, on loop: LibeventLoop) {
        device = DeviceFile(on: loop) { Self.open(path, baud) }
        device.onOpen = { [unowned self] in splitter.discardPartialLine() }
        device.onBytes = { [unowned self] in receive($0) }
    }

    public var status: ConnectionStatus {
        var status = device.status
        status.malformed = splitter.dropped
        return status
    }

    public func start() { device.start() }

    public func stop() { device.stop() }

    /// Writes a line, and calls `done` once, now or later: with nil when the kernel has taken the whole line, otherwise with a
    /// sentence about the failure.
    public func write(_ line: String, _ done: @escaping (_ failure: String?) -> Void) {
        device.write(Array(line.utf8) + [0x0A], done)
    }

    private func receive(_ bytes: ArraySlice<UInt8>) {
        for line in splitter.add(bytes) {
            device.countReceived()
            onInput?(.line(line))
        }
    }

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
