import CLinux
import Glibc
import Parts
import Support

/// The metrics about the process that many programs have, under the names of the clients of Prometheus.
enum ProcessMetrics {
    /// The size of a page of memory. Wraps sysconf(3).
    private static let pageSize = sysconf(Int32(_SC_PAGESIZE))

    /// Adds the metrics.
    static func write(to page: inout MetricsPage) {
        if let startTime { page.add(.processStart, startTime) }
        page.add(.processCPU, processorTime)
        let text = SystemFile.contents(of: "/proc/self/statm", below: 4096) ?? []
        let sizes = text.split(separator: UInt8(ascii: " ")).compactMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        if sizes.count > 1 {
            page.add(.processVirtualMemory, sizes[0] * pageSize)
            page.add(.processMemory, sizes[1] * pageSize)
        }
        if let count = openFiles { page.add(.processOpenFiles, count) }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 {
            page.add(.processMaximumFiles, Int(clamping: limit.rlim_cur))
        }
    }

    /// When the process was started, in seconds since 1970; nil if the kernel does not say. Computed once: a value that moves by a
    /// second would look like a restart.
    private static let startTime: Int? = {
        let text = SystemFile.contents(of: "/proc/self/stat", below: 4096) ?? []
        // Field 22 of proc_pid_stat(5) is the time after the start of the machine, in ticks. The name, field 2, can contain blanks.
        guard let end = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19, let ticks = Int(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        var (now, sinceBoot) = (timespec(), timespec())
        clock_gettime(CLOCK_REALTIME, &now)
        clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
        return now.tv_sec - sinceBoot.tv_sec + ticks / sysconf(Int32(_SC_CLK_TCK))
    }()

    /// The processor time of the process in nanoseconds. Wraps clock_gettime(2).
    private static var processorTime: Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// The number of open descriptors, without the one that this function needs.
    private static var openFiles: Int? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            if entry.pointee.d_name.0 != 0x2E { count += 1 }
        }
        return count - 1
    }
}
