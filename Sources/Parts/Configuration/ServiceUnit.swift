import Glibc
package import Shell
import Support

/// The settings of the installed systemd unit of a service, with those of its drop-ins, as systemd.unit(5) merges them.
package struct ServiceUnit {
    /// The directories of units. A file in an earlier directory takes precedence over a file with its name in a later one.
    private static let directories = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system", "/lib/systemd/system",
    ]
    /// The socket unit of the template for instances.
    private static let socketTemplate = "gamed@.socket"
    /// The maximum size of a file in bytes.
    private static let fileLimit = 65_536
    /// The words that were assigned to each setting since it was last assigned nothing.
    private var words: [String: [String]] = [:]

    /// The socket units that pass their sockets to the service.
    private(set) package var socketUnits: [ServiceUnit] = []

    /// Reads the unit of a service. Returns nil if it is not installed. `root` is the text before each path: empty in the daemon.
    package init?(_ service: ServiceName = .main, root: String = "") {
        let (name, socketName) = ("\(service.text).service", "\(service.text).socket")
        self.init(name, service, root)
        var names = Set(
            Self.directories.flatMap { FilePath.names(inDirectory: "\(root)\($0)") ?? [] }
                .filter { $0.hasSuffix(".socket") })
        if names.contains(Self.socketTemplate), service.instance != nil { names.insert(socketName) }
        socketUnits = names.sorted().compactMap { name in
            guard let unit = ServiceUnit(name, service, root) else { return nil }
            let owner = unit.list("Service").last
            return owner == "\(service.text).service" || owner == nil && name == socketName
                ? unit : nil
        }
    }

    /// Reads the unit with this name. The unit of an instance is made of its template, unless it has a file of its own.
    private init?(_ name: String, _ service: ServiceName, _ root: String) {
        let paths = Self.directories.map { "\(root)\($0)" }
        var names = [name]
        if let at = name.firstIndex(of: "@"), let dot = name.lastIndex(of: "."), at < dot {
            names.append("\(name[...at])\(name[dot...])")
        }
        let files = names.lazy.flatMap { name in paths.lazy.map { "\($0)/\(name)" } }
        guard let text = files.compactMap(Self.text).first else { return nil }
        let instance = service.instance ?? ""
        read(text.replacing("%i", with: instance))
        // Drop-ins apply in the order of their names. Those of the unit itself take the place of those of its template.
        var dropIns: [String: String] = [:]
        for name in Set(names).sorted(by: { $0.utf8.count < $1.utf8.count }) {
            for directory in paths.reversed() {
                let files = FilePath.names(inDirectory: "\(directory)/\(name).d") ?? []
                for file in files where file.hasSuffix(".conf") {
                    dropIns[file] = "\(directory)/\(name).d/\(file)"
                }
            }
        }
        for dropIn in dropIns.sorted(by: { $0.key < $1.key }) {
            // A link to /dev/null masks a file of the same name.
            if let text = Self.text(dropIn.value) { read(text.replacing("%i", with: instance)) }
        }
    }

    /// The content of a regular file; nil if it cannot be read.
    private static func text(_ path: String) -> String? {
        guard !FilePath.isIrregular(path), let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: fileLimit)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Adds the assignments of a file. A backslash at the end of a line continues the line.
    private mutating func read(_ text: String) {
        var line = ""
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            line += part
            if line.hasSuffix("\\") {
                line = line.dropLast() + " "
                continue
            }
            add(line)
            line = ""
        }
    }

    private mutating func add(_ line: String) {
        let text = line.drop { $0 == " " || $0 == "\t" }
        guard let first = text.first, first != "#", first != ";", first != "[",
            let equals = text.firstIndex(of: "=")
        else { return }
        let key = text[..<equals].filter { $0 != " " && $0 != "\t" }
        let values = text[text.index(after: equals)...].split { $0 == " " || $0 == "\t" }
        if values.isEmpty {
            words[key] = nil
        } else {
            words[key, default: []] += values.map(String.init)
        }
    }

    // MARK: what the settings mean

    /// The words that are assigned to a setting.
    package func list(_ key: String) -> [String] { words[key] ?? [] }

    /// Whether a setting that is yes or no is on; the last assignment counts.
    package func isOn(_ key: String) -> Bool {
        ["yes", "true", "on", "1"].contains(list(key).last?.lowercased() ?? "")
    }

    /// Whether a socket unit passes the service a socket at this address, such as `127.0.0.1:8080`, for this use, such as `http`.
    package func isPassed(_ address: String, _ use: String) -> Bool {
        socketUnits.contains {
            $0.list("FileDescriptorName").last == use && $0.list("ListenStream").contains(address)
        }
    }

    /// Whether the service can use sockets of IPv4 and IPv6.
    package var hasNetwork: Bool {
        guard !isOn("PrivateNetwork") else { return false }
        let families = list("RestrictAddressFamilies")
        if families.isEmpty { return true }
        // With `~`, the list has the families that are forbidden.
        if families[0].hasPrefix("~") {
            return !families.contains { $0.hasSuffix("AF_INET") }
        }
        return families.contains("AF_INET") || families.contains("AF_INET6")
    }

    /// Whether packets to and from addresses that match are let through: `isLocal` means loopback addresses.
    package func allowsAddresses(beyondLoopback: Bool) -> Bool {
        guard list("IPAddressDeny").contains("any") else { return true }
        let allowed = list("IPAddressAllow")
        let loopback = ["localhost", "127.0.0.0/8", "127.0.0.1", "127.0.0.1/32", "::1", "::1/128"]
        return beyondLoopback ? allowed.contains { !loopback.contains($0) } : !allowed.isEmpty
    }

    /// Whether the service may open a device of one of these classes, such as `char-ttyUSB`, or at the path.
    package func allowsDevice(_ classes: [String], path: String? = nil) -> Bool {
        guard !isOn("PrivateDevices") else { return false }
        let allowed = list("DeviceAllow")
        if allowed.isEmpty { return list("DevicePolicy").last ?? "auto" == "auto" }
        return allowed.contains { word in
            word == path || classes.contains { word.hasPrefix($0) } || word == "char-*"
        }
    }

    /// Whether the service runs as another user than root.
    package var hasOwnUser: Bool {
        isOn("DynamicUser") || list("User").last.map { $0 != "root" && $0 != "0" } ?? false
    }

    /// Whether the service belongs to a group that an administrator has named: another than its user's own.
    package var hasNamedGroup: Bool {
        (list("Group") + list("SupplementaryGroups")).contains { $0 != list("User").last }
    }

    /// Whether the unit passes a credential with this name.
    package func hasCredential(_ name: String) -> Bool {
        ["LoadCredential", "LoadCredentialEncrypted", "SetCredential", "SetCredentialEncrypted"]
            .contains { key in
                list(key).contains { $0 == name || $0.hasPrefix("\(name):") }
            }
            || list("ImportCredential").contains { $0 == name || $0.hasSuffix("*") }
    }
}
