/// The service of systemd to which a daemon belongs: `gamed`, or the instance `gamed@NAME`.
package struct ServiceName: Equatable, Sendable {
    /// The name of the instance; nil for gamed itself.
    package let instance: String?

    /// gamed itself.
    package static let main = ServiceName(instance: nil)

    package init(instance: String?) { self.instance = instance }

    /// The service whose configuration has this path, such as `/etc/gamed/hall.conf`; nil if it is the file of no service.
    package init?(configuration path: String) {
        let words = path.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 4, words[0].isEmpty, words[1] == "etc", words[2] == "gamed",
            words[3].hasSuffix(".conf"), words[3] != ".conf"
        else { return nil }
        let name = words[3].dropLast(".conf".count)
        instance = name == "gamed" ? nil : String(name)
    }

    /// The service whose daemon has its socket at this path, such as `/run/gamed-hall/gamed.sock`; nil if it is the socket of no
    /// service.
    package init?(socket path: String) {
        let words = path.split(separator: "/")
        guard words.count == 3, words[0] == "run", words[2] == "gamed.sock" else { return nil }
        if words[1] == "gamed" {
            instance = nil
        } else if words[1].hasPrefix("gamed-") {
            instance = String(words[1].dropFirst("gamed-".count))
        } else {
            return nil
        }
    }

    /// The name for `systemctl`.
    package var text: String { instance.map { "gamed@\($0)" } ?? "gamed" }

    /// The path of the configuration.
    package var configuration: String { "/etc/gamed/\(instance ?? "gamed").conf" }
}
