import EventLoop
import Glibc
import Sessions
import Timers

/// Copies a finished file into a file descriptor that a client has passed. Runs on a separate
/// thread, because the target's medium may be slow or hang.
final class FileDelivery {
    private var resultWatcher: DescriptorWatcher?

    /// Copies the file at `source` into `target`, which must be empty, readable and writable. Calls
    /// `done` on the loop's thread with the reason of a failure, or with nil once the copy is
    /// durable and was compared with the source.
    static func start(
        _ source: String, into target: PassedFile, on loop: LibeventLoop,
        _ done: @escaping (_ why: String?) -> Void
    ) {
        do throws(EventLoopError) {
            let inbox = try ThreadInbox<String?>()
            try WorkerThread.start { inbox.send(copy(source, into: target.descriptor)) }
            let delivery = FileDelivery()
            delivery.resultWatcher = try inbox.open(on: loop) { why in
                // The closure retains the delivery until the result has arrived.
                delivery.resultWatcher = nil
                done(why)
            }
        } catch { done("\(error)") }
    }

    // MARK: on the copying thread

    private static let blockSize = 1 << 20

    /// Wraps pread(2), pwrite(2), fsync(2).
    private static func copy(_ source: String, into target: Int32) -> String? {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { return failure("open") }
        defer { close(input) }
        var offset = 0
        while true {
            guard let bytes = read(input, at: offset) else { return failure("read") }
            if bytes.isEmpty { break }
            guard write(bytes, to: target, at: offset) else { return failure("write") }
            offset += bytes.count
        }
        guard fsync(target) == 0 else { return failure("fsync") }
        return compare(input, target)
    }

    /// The reason why the files are not known to be equal; nil if they are equal.
    private static func compare(_ input: Int32, _ target: Int32) -> String? {
        var offset = 0
        while true {
            guard let expected = read(input, at: offset), let actual = read(target, at: offset)
            else {
                return failure("read")
            }
            guard expected == actual else {
                return "the file read back differs from the file written"
            }
            if expected.isEmpty { return nil }
            offset += expected.count
        }
    }

    private static func failure(_ operation: String) -> String {
        "\(operation): \(String(cString: strerror(errno)))"
    }

    /// The next block, which is shorter only at the end of the file; nil if it cannot be read.
    private static func read(_ descriptor: Int32, at offset: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: blockSize)
        var filled = 0
        while filled < blockSize {
            let count = bytes.withUnsafeMutableBytes {
                pread(
                    descriptor, $0.baseAddress! + filled, blockSize - filled,
                    off_t(offset + filled))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            filled += count
        }
        return Array(bytes[..<filled])
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + sent, bytes.count - sent, off_t(offset + sent))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
