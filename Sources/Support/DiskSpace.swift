#if canImport(Glibc)
    internal import Glibc

    /// The room of a file system, as it reports it to users without privileges.
    package struct DiskSpace: Equatable, Sendable {
        /// A file system may return any numbers: what is too large is the greatest number.
        package let freeBytes: UInt64
        package let totalBytes: UInt64
        package let freeFiles: UInt64
        /// Zero if the file system has no fixed number of files, such as Btrfs.
        package let totalFiles: UInt64

        package init(freeBytes: UInt64, totalBytes: UInt64, freeFiles: UInt64, totalFiles: UInt64) {
            (self.freeBytes, self.totalBytes) = (freeBytes, totalBytes)
            (self.freeFiles, self.totalFiles) = (freeFiles, totalFiles)
        }

        /// The room of the file system that has a file or directory. Nil, with the reason in `errno`, if it is not known. Wraps
        /// statvfs(3).
        package init?(ofFileSystemWith path: String) {
            var status = statvfs()
            guard statvfs(path, &status) == 0 else { return nil }
            func bytes(_ blocks: fsblkcnt_t) -> UInt64 {
                let (bytes, isHuge) = UInt64(blocks).multipliedReportingOverflow(
                    by: UInt64(status.f_frsize))
                return isHuge ? .max : bytes
            }
            self.init(
                freeBytes: bytes(status.f_bavail), totalBytes: bytes(status.f_blocks),
                freeFiles: UInt64(status.f_favail), totalFiles: UInt64(status.f_files))
        }
    }
#endif
