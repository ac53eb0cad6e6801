import Bluetooth
import Glibc
import Parts
import Support
import Timers

/// The file of `--btsnoop`: a record of all packets to and from the controller, which tshark can read. stdio buffers the
/// packets; they are flushed once in each turn of the loop.
package final class CaptureFile {
    private let file: UnsafeMutablePointer<FILE>
    private let path: String

    /// The reason why a capture file cannot be written at this path; nil if the permissions allow it. `--check` calls it.
    /// Wraps access(2).
    package static func problem(at path: String) -> String? {
        if access(path, F_OK) == 0 {
            return access(path, W_OK) == 0 ? nil : String(cString: strerror(errno))
        }
        return access(FilePath.directory(of: path), W_OK) == 0
            ? nil : String(cString: strerror(errno))
    }

    /// Creates the file or truncates it.
    package init(_ path: String) throws(CaptureFileError) {
        self.path = path
        guard let file = fopen(path, "we") else { throw CaptureFileError(path) }
        self.file = file
        try write(BtsnoopFormat.header)
        try flush()
    }

    deinit { fclose(file) }

    /// Adds a packet that was sent or received at `instant`, a time on the central's clock.
    func append(_ packet: HCIPacket, _ direction: PacketDirection, _ instant: Instant)
        throws(CaptureFileError)
    {
        try write(BtsnoopFormat.record(packet, direction, instant))
    }

    /// Writes the buffered packets, so that a reader sees complete ones.
    func flush() throws(CaptureFileError) {
        guard fflush(file) == 0 else { throw CaptureFileError(path) }
    }

    private func write(_ bytes: [UInt8]) throws(CaptureFileError) {
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw CaptureFileError(path)
        }
    }
}

/// The reason why the capture file cannot be used.
package struct CaptureFileError: DescribedError {
    package let why: String

    /// The path, and the error in `errno`.
    fileprivate init(_ path: String) { why = "\(path): \(String(cString: strerror(errno)))" }
}
