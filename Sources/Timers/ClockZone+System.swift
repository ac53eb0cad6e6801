internal import Glibc

/// The zones of the system's time zone database.
extension ClockZone {
    private static let directory = "/usr/share/zoneinfo"

    /// Returns the zone with a name such as `Europe/Berlin`; nil if the system has none. `UTC` always exists.
    public static func named(_ name: String) -> ClockZone? {
        if name == "UTC" { return .utc }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }) else { return nil }
        return contents("\(directory)/\(name)").flatMap { ClockZone(name, file: $0) }
    }

    /// The zone of the system: that of the variable TZ, otherwise that of /etc/localtime; UTC if there is neither.
    public static var system: ClockZone {
        if let variable = unsafe getenv("TZ") {
            var name = unsafe Substring(String(cString: variable))
            if name.hasPrefix(":") { name.removeFirst() }
            if name.hasPrefix("/") { return file(String(name)) ?? .utc }
            return named(String(name)) ?? ClockZone(rule: String(name)) ?? .utc
        }
        return file("/etc/localtime") ?? .utc
    }

    /// The zone of a file, which is named after the file of the database to which it leads.
    private static func file(_ path: String) -> ClockZone? {
        guard let bytes = contents(path) else { return nil }
        let target = unsafe realpath(path, nil)
        defer { unsafe free(target) }
        let name = unsafe target.map { unsafe String(cString: $0) } ?? path
        let isInDatabase = name.hasPrefix("\(directory)/")
        return ClockZone(
            isInDatabase ? String(name.dropFirst(directory.utf8.count + 1)) : path, file: bytes)
    }

    /// The contents of a file; nil if it cannot be read, or is larger than any zone's.
    private static func contents(_ path: String) -> [UInt8]? {
        guard let file = unsafe fopen(path, "re") else { return nil }
        defer { unsafe fclose(file) }
        let limit = 65_536
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = unsafe fread(buffer.baseAddress, 1, limit, file)
        }
        return bytes.isEmpty || bytes.count == limit ? nil : bytes
    }
}
