internal import Support

/// The zones of the system's time zone database.
extension ClockZone {
    private static let directory = "/usr/share/zoneinfo"
    /// A file with this many bytes is no zone's.
    private static let fileLimit = 65_536

    /// Returns the zone with a name such as `Europe/Berlin`; nil if the system does not have it. `UTC` always exists.
    public static func named(_ name: String) -> ClockZone? {
        if name == "UTC" { return .utc }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }) else { return nil }
        return contents("\(directory)/\(name)").flatMap { ClockZone(name, file: $0) }
    }

    /// The zone of the system, as it was at the first use: that of the variable TZ, otherwise that of /etc/localtime; UTC without
    /// either.
    public static let system = systemZone()

    private static func systemZone() -> ClockZone {
        if let variable = SystemFile.environmentVariable("TZ") {
            let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
            if name.hasPrefix("/") { return file(name) ?? .utc }
            return named(name) ?? ClockZone(rule: name) ?? .utc
        }
        return file("/etc/localtime") ?? .utc
    }

    /// The zone of a file, which is named after the file of the database to which it leads.
    private static func file(_ path: String) -> ClockZone? {
        guard let bytes = contents(path) else { return nil }
        let name = FilePath.resolved(path) ?? path
        let isInDatabase = name.hasPrefix("\(directory)/")
        return ClockZone(
            isInDatabase ? String(name.dropFirst(directory.utf8.count + 1)) : path, file: bytes)
    }

    private static func contents(_ path: String) -> [UInt8]? {
        SystemFile.contents(of: path, below: fileLimit)
    }
}
