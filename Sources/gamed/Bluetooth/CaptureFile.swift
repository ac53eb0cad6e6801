import Bluetooth
import Glibc
import Timers

/// The file in which every packet is written, for tshark: as much as fits into memory between two turns of the loop,
/// and no more waiting than that.
final class CaptureFile {
    private var file: UnsafeMutablePointer<FILE>?
    private let path: String

    /// Why there is none, in words for an operator.
    struct Unavailable: Error {
        let why: String
    }

    /// Why none could be written there; nil if nothing speaks against it. Wraps access(2).
    static func obstacle(at path: String) -> String? {
        if access(path, F_OK) == 0 {
            return access(path, W_OK) == 0 ? nil : String(cString: strerror(errno))
        }
        return access(FilePath.directory(of: path), W_OK) == 0
            ? nil : String(cString: strerror(errno))
    }

    /// Begins a file anew.
    init(_ path: String) throws(Unavailable) {
        self.path = path
        guard let file = fopen(path, "we") else {
            throw Unavailable(why: "--btsnoop: \(path): \(String(cString: strerror(errno)))")
        }
        self.file = file
        write(BtsnoopFormat.header)
        flush()
    }

    deinit { if let file { fclose(file) } }

    func append(_ packet: HCIPacket, _ direction: PacketDirection, _ at: Instant) {
        write(BtsnoopFormat.record(packet, direction, at))
    }

    /// Hands over what has gathered, so that a reader sees whole packets. What cannot be written ends the capture;
    /// the game goes on.
    func flush() {
        guard let file, fflush(file) != 0 else { return }
        end()
    }

    private func write(_ bytes: [UInt8]) {
        guard let file, fwrite(bytes, 1, bytes.count, file) != bytes.count else { return }
        end()
    }

    private func end() {
        Log.write(
            .error, "\(path): \(String(cString: strerror(errno))); packets are captured no more")
        if let file { fclose(file) }
        file = nil
    }
}
