import Glibc
import Support

/// Checks whether there is room for the journal.
enum DiskCheck {
    /// Below this free space the journal may fail at any time.
    static let leastBytes: UInt64 = 64 << 20
    /// Below this part of the disk, in percent, the free space is a warning.
    static let lowPercent: UInt64 = 10

    static func findings(ofStateDirectory path: String) -> [DoctorFinding] {
        guard let space = DiskSpace(ofFileSystemWith: path) else {
            let why = String(cString: strerror(errno))
            if errno == EACCES {
                return [
                    .skipped(.disk, "you may not look at \(path)", "run this as root")
                ]
            }
            return [
                .fault(
                    .disk, "the state directory \(path): \(why)",
                    "make it, owned by the user of the daemon, or correct state-dir")
            ]
        }
        return [finding(path, space)]
    }

    static func finding(_ path: String, _ space: DiskSpace) -> DoctorFinding {
        let free = "\(space.freeBytes >> 20) of \(space.totalBytes >> 20) MiB are free in \(path)"
        let remedy =
            "make room: remove files, `keep` fewer days and run gamectl journal prune --yes, or enlarge the disk"
        if space.freeBytes < leastBytes {
            return .fault(.disk, "the disk is full: \(free)", remedy)
        }
        if space.totalFiles > 0, space.freeFiles == 0 {
            return .fault(.disk, "no further file can be made in \(path)", remedy)
        }
        if space.freeBytes < space.totalBytes / 100 * lowPercent {
            return .warning(.disk, "the disk is nearly full: \(free)", remedy)
        }
        return .ok(.disk, free)
    }
}
