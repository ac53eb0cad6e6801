import Glibc

/// A serial device for tests: the master end of a pseudoterminal. `link` is a symbolic link to the other end, which gamed
/// opens as its serial port.
final class SerialPort {
    private var descriptor: Int32
    private let link: String
    /// The bytes that were read from the device, and that neither `nextLine` nor `readAvailable` has returned yet.
    private var received: [UInt8] = []

    init(link: String) throws {
        self.link = link
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (CInt, CInt) = (0, 0)
        // TIOCSPTLCK and TIOCGPTN, see ioctl_tty(2).
        guard descriptor >= 0, ioctl(descriptor, 0x4004_5431, &lock) == 0,
            ioctl(descriptor, 0x8004_5430, &number) == 0
        else { throw ChildProcess.Failure(why: "no pseudo terminal") }
        unlink(link)
        guard symlink("/dev/pts/\(number)", link) == 0 else {
            throw ChildProcess.Failure(why: "no link")
        }
    }

    deinit { unplug() }

    func write(_ text: String) { _ = Glibc.write(descriptor, text, text.utf8.count) }

    func write(_ bytes: [UInt8]) { _ = Glibc.write(descriptor, bytes, bytes.count) }

    /// Returns the next line that gamed has written, with its newline. Waits at most ten seconds for each piece of the line. If
    /// no further piece arrives, returns the beginning of the line, without a newline.
    func nextLine() -> String {
        while !received.contains(0x0A), read(waiting: 10_000) {}
        let end = received.firstIndex(of: 0x0A).map { $0 + 1 } ?? received.count
        defer { received.removeFirst(end) }
        return String(decoding: received[..<end], as: UTF8.self)
    }

    /// Returns all that gamed has written since the last line that `nextLine` returned; does not wait.
    func readAvailable() -> String {
        while read(waiting: 0) {}
        defer { received = [] }
        return String(decoding: received, as: UTF8.self)
    }

    /// Waits until gamed has written, and adds the bytes to `received`. Returns false if no bytes arrive within this time.
    private func read(waiting milliseconds: CInt) -> Bool {
        var readiness = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&readiness, 1, milliseconds) > 0, readiness.revents & Int16(POLLIN) != 0 else {
            return false
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return false }
        received += buffer[..<count]
        return true
    }

    /// Closes the device; gamed notices that the device is gone. The link is removed first: the system gives the number of a
    /// closed pseudoterminal to the next pseudoterminal, which may belong to another test.
    func unplug() {
        guard descriptor >= 0 else { return }
        unlink(link)
        close(descriptor)
        descriptor = -1
    }
}
