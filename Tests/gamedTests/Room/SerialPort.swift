import Glibc

/// The far end of a pseudo terminal, which a link in the file system names.
final class SerialPort {
    private var descriptor: Int32

    init(link: String) throws {
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

    /// What the other end has written, up to the end of a line; waits at most ten seconds.
    func line() -> String {
        var text: [UInt8] = []
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while !text.contains(0x0A), poll(&wait, 1, 10_000) > 0 {
            var room = [UInt8](repeating: 0, count: 256)
            let count = read(descriptor, &room, room.count)
            guard count > 0 else { break }
            text += room[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// What the other end has written so far; does not wait.
    func text() -> String {
        var text: [UInt8] = []
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&wait, 1, 0) > 0, wait.revents & Int16(POLLIN) != 0 {
            var room = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &room, room.count)
            guard count > 0 else { break }
            text += room[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    func unplug() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}
