import Glibc
import Support

/// Checks whether there is room for the journal.
enum DiskCheck {
    /// Below this free space the journal may fail at any time.
    static let leastBytes = 64 << 20
    /// Below this part of the disk, in percent, the free space is a warning.
    static let lowPercent = 10

    /// The room of a file system.
    struct Room: Equatable {
        let freeBytes: Int
        let totalBytes: Int
        let freeFiles: Int
        let totalFiles: Int
    }

    /// Wraps statvfs(3).
    static func findings(ofStateDirectory path: String) -> [DoctorFinding] {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else {
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
        let block = Int(status.f_frsize)
        return [
            finding(
                path,
                Room(
                    freeBytes: Int(status.f_bavail) * block,
                    totalBytes: Int(status.f_blocks) * block, freeFiles: Int(status.f_favail),
                    totalFiles: Int(status.f_files)))
        ]
    }

    static func finding(_ path: String, _ room: Room) -> DoctorFinding {
        let free = "\(room.freeBytes >> 20) of \(room.totalBytes >> 20) MiB are free in \(path)"
        let remedy =
            "make room: remove files, `keep` fewer days and run gamectl journal prune --yes, or enlarge the disk"
        if room.freeBytes < leastBytes { return .fault(.disk, "the disk is full: \(free)", remedy) }
        // A file system such as Btrfs has no fixed number of files.
        if room.totalFiles > 0, room.freeFiles == 0 {
            return .fault(.disk, "no further file can be made in \(path)", remedy)
        }
        if room.freeBytes < room.totalBytes / 100 * lowPercent {
            return .warning(.disk, "the disk is nearly full: \(free)", remedy)
        }
        return .ok(.disk, free)
    }
}
