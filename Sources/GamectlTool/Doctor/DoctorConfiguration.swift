import GameFlow

/// The settings of the daemon that is examined: the result of the method `config`, or of `gamed --show-config`.
struct DoctorConfiguration {
    /// The path of the configuration; nil without one.
    let path: String?
    /// The settings that are in effect, with their values.
    private let settings: [(name: String, value: String)]
    /// The names of the settings that wait for a restart.
    let pending: [String]

    /// Nothing is known.
    init() { (path, settings, pending) = (nil, [], []) }

    init(_ result: Value) throws(CommandError) {
        path = result.find("configuration")?.text
        var settings: [(name: String, value: String)] = []
        var pending: [String] = []
        for setting in try result.list("settings") {
            let name = try setting.text("name")
            if setting.find("pending") != nil {
                if !pending.contains(name) { pending.append(name) }
            } else {
                settings.append((name, try setting.text("value")))
            }
        }
        (self.settings, self.pending) = (settings, pending)
    }

    /// The values of a setting; empty if it is not given.
    func values(of name: String) -> [String] {
        settings.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
    }
}
