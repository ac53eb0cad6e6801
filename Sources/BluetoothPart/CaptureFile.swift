package import Bluetooth
import Glibc
import Parts
import Support
package import Timers

/// The file of `--btsnoop`: a record of all packets to and from the controller, which tshark can read. stdio buffers the
/// packets; they are flushed once in each turn of the loop.
package final class CaptureFile {
    /// The open file; nil after an error has ended the capture.
    private var file: UnsafeMutablePointer<FILE>?
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
        guard let file = fopen(path, "we") else {
            throw CaptureFileError(why: "--btsnoop: \(path): \(String(cString: strerror(errno)))")
        }
        self.file = file
        write(BtsnoopFormat.header)
        flush()
    }

    deinit { if let file { fclose(file) } }

    /// Adds a packet that was sent or received at `instant`, a time on the central's clock.
    package func append(_ packet: HCIPacket, _ direction: PacketDirection, _ instant: Instant) {
        write(BtsnoopFormat.record(packet, direction, instant))
    }

    /// Writes the buffered packets, so that a reader sees complete ones. An error ends the capture;
    /// the daemon continues.
    package func flush() {
        guard let file, fflush(file) != 0 else { return }
        end()
    }

    private func write(_ bytes: [UInt8]) {
        guard let file, fwrite(bytes, 1, bytes.count, file) != bytes.count else { return }
        end()
    }

    /// Logs the error in `errno` and closes the file.
    private func end() {
        Log.write(
            .error, .connection,
            "bluetooth: capture \(path): \(String(cString: strerror(errno))); the capture ends")
        if let file { fclose(file) }
        file = nil
    }
}

/// The reason why the capture file cannot be used, as a message for an operator.
package struct CaptureFileError: DescribedError {
    package let why: String
}
