import Glibc
public import Timers

/// A light-emitting diode of the kernel, whose file `brightness` has its level. The kernel can change the level, too.
public final class LEDConnection: InputConnection {
    public private(set) var status: ConnectionStatus
    public var onChange: ((_ failure: String?) -> Void)?
    /// Called with each level that was set.
    public var onInput: ((_ level: Int) -> Void)?
    private let path: String
    private let clock: any TimerClock

    /// `path` is the directory of the diode, such as `/sys/class/leds/door`.
    public init(path: String, on clock: any TimerClock) {
        (self.path, self.clock) = (path, clock)
        status = ConnectionStatus(at: clock.now)
    }

    public func start() {
        guard access("\(path)/brightness", W_OK) == 0 else {
            let failure = String(cString: strerror(errno))
            status.markDown(failure, at: clock.now)
            onChange?(failure)
            return
        }
        status.markUp(at: clock.now)
        onChange?(nil)
    }

    public func stop(_ done: @escaping () -> Void) {
        status.markDown(nil, at: clock.now)
        done()
    }

    public func readUnread() {}

    /// Sets the level. Returns a sentence about the failure, or nil.
    public func set(_ level: Int) -> String? {
        guard let file = fopen("\(path)/brightness", "we") else {
            return String(cString: strerror(errno))
        }
        defer { fclose(file) }
        guard fputs("\(level)\n", file) >= 0 else { return "the level cannot be written" }
        status.countSent()
        onInput?(level)
        return nil
    }
}
