package import EventLoop
import Glibc
import Sessions
package import Support
import Timers

/// Copies a finished backup into a client's file. The client has opened the file, and has passed its descriptor to the daemon.
/// `JournalMaintenance` uses this class. The copy is made on a thread of its own, because the disk of the target may be slow or
/// hang.
package enum FileDelivery {
    /// Copies the file at `source` into `target`, which must be empty, readable and writable. Calls `done` once. The argument
    /// is nil if the copy is durable and was found equal to the source; otherwise it is the reason of the failure. If the
    /// thread cannot be started, `done` is called before this function returns. Otherwise `done` is called later on the loop's
    /// thread.
    package static func start(
        _ source: String, into target: PassedFile, on loop: LibeventLoop,
        _ done: @escaping (_ why: String?) -> Void
    ) {
        do throws(EventLoopError) {
            let jobs = WorkerJobs<String?>(on: loop)
            try jobs.start {
                copy(source, into: target.descriptor)
            } _: { [jobs] why in
                // The closure retains the job until the result arrives.
                withExtendedLifetime(jobs) { done(why) }
            }
        } catch { done("\(error)") }
    }

    // MARK: on the copying thread

    /// The number of bytes that are copied or compared at a time: 1 MiB.
    private static let blockSize = 1 << 20

    /// Copies the file, makes the copy durable, and compares it. Returns the reason of a failure; nil if there is none. Wraps
    /// pread(2), pwrite(2), fsync(2).
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

    /// The reason why a system call failed, from `errno`.
    private static func failure(_ operation: String) -> String {
        "\(operation): \(String(cString: strerror(errno)))"
    }

    /// The block at an offset. A block at the end of the file can be shorter than `blockSize`. A block after the end of the
    /// file is empty. Nil if the block cannot be read; the reason is in `errno`.
    private static func read(_ descriptor: Int32, at offset: Int) -> [UInt8]? {
        SystemFile.bytes(of: descriptor, at: offset, upTo: blockSize)
    }

    /// Writes all bytes at an offset. Returns false, with the reason in `errno`, if that fails.
    private static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(
                    descriptor, $0.baseAddress! + written, bytes.count - written,
                    off_t(offset + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }
}
