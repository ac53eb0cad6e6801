import Cluster
import Connections
import GameFlow
import Parts
import RPC
import Sessions
import Shards
import Shell
import Support

/// The values that are in effect, each with where it comes from: the result of the method `config`. It contains no secrets.
struct EffectiveSettings {
    /// In the order of the help.
    private(set) var all: [EffectiveSetting] = []
    private let options: Options

    /// The values that a daemon has after it was started with these options.
    init(_ options: Options) {
        self.options = options
        all = Self.shownOptions.flatMap { Self.settings($0, options) }
    }

    /// The values of a daemon that runs with `options`, and what waits for a restart: the values of `newest`, the options that
    /// were read last, which only a restart applies.
    init(_ options: Options, newest: Options) {
        self.options = options
        let pending = Set(ReloadOutcome(from: options, to: newest, changedFiles: []).restart)
        for option in Self.shownOptions {
            // Lines may have moved in the file since the start.
            let newestSettings = Self.settings(option, newest)
            guard pending.contains(option.name) else {
                all += newestSettings
                continue
            }
            all += Self.settings(option, options)
            all += newestSettings.map { setting in
                var setting = setting
                setting.isPending = true
                return setting
            }
        }
    }

    private static var shownOptions: [Option] {
        Options.table.filter { $0.isLine && $0.name != ConfigurationFile.includeName }
    }

    /// The members of the result of the method `config`.
    var members: [Member] {
        // The absolute path, because a reader is in another folder.
        let path = options.configuration.map(FilePath.absolute)
        return (path.map { [Member("configuration", $0)] } ?? []) + [
            Member("settings", .array(all.map(\.json)))
        ]
    }

    // MARK: one setting

    private static func settings(_ option: Option, _ options: Options) -> [EffectiveSetting] {
        let given = given(option, options)
        if option.name == "limit" { return limits(given, options.limits) }
        return given.isEmpty ? [standard(option, options)] : given
    }

    /// The values of the command line and of the configuration, without those that have no effect.
    private static func given(_ option: Option, _ options: Options) -> [EffectiveSetting] {
        let name = option.name
        let lines =
            options.overriddenNames.contains(name)
            ? []
            : (options.givenLines[name] ?? []).map { line in
                EffectiveSetting(
                    name: name, value: text(option, line.words),
                    origin: .line(path: FilePath.absolute(line.path), number: line.number))
            }
        let commandLine = options.givenOptions.filter { $0.name == name }.map { given in
            EffectiveSetting(
                name: name, value: text(option, option.form.value == nil ? [] : [given.value]),
                origin: .option)
        }
        let all = lines + commandLine
        // Of a setting with one value, the last one counts.
        let isList = option.isRepeatable || !option.isOption
        return isList ? all : Array(all.suffix(1))
    }

    /// The value in words, without secrets.
    private static func text(_ option: Option, _ words: [String]) -> String {
        if option.form.value == nil { return "on" }
        let isOutput = option.name == "on"
        return words.map { word in
            let shown =
                isOutput
                ? SecretText.maskedOutput(word) : SecretText.masked(word, hidesPath: false)
            let isPlain = !shown.isEmpty && !shown.contains { $0 == " " || $0 == "\t" }
            return isPlain || option.joinsWords || words.count == 1 ? shown : "'\(shown)'"
        }.joined(separator: " ")
    }

    /// The value of a setting that neither the command line nor the configuration gives.
    private static func standard(_ option: Option, _ options: Options) -> EffectiveSetting {
        func setting(_ value: String, _ origin: EffectiveSetting.Origin = .standard)
            -> EffectiveSetting
        {
            EffectiveSetting(name: option.name, value: value, origin: origin)
        }
        switch option.name {
        case "socket":
            return setting(
                options.network.socket,
                SocketPath.defaultVariable.map { .environment($0) } ?? .standard)
        case "state-dir":
            if options.store.isDirectoryAssumed, let service = options.service,
                let directory = options.store.stateDirectory
            {
                return setting(directory, .unit("\(service.text).service"))
            }
            // A line `store` can name another directory, or a database.
            guard let directory = ServiceDirectory.state,
                options.store.stateDirectory == directory
            else { return setting("") }
            return setting(directory, .environment("STATE_DIRECTORY"))
        case "flow": return setting(options.sessions.flow)
        case "node": return setting(options.node.name)
        default: break
        }
        if option.form.value == nil { return setting("off") }
        return setting(option.form.defaultValue ?? "")
    }

    /// Each limit that can be set, and the quotas.
    private static func limits(_ given: [EffectiveSetting], _ limits: ServerLimits)
        -> [EffectiveSetting]
    {
        let settable = Limit.settable.map { limit in
            let name = limit.setting ?? ""
            // The last line counts. A quota has `for=` after the value.
            let origin = given.last { $0.value.hasPrefix("\(name)=") && !$0.value.contains(" ") }?
                .origin
            return EffectiveSetting(
                name: "limit", value: "\(name)=\(limit.text(limits))", origin: origin ?? .standard)
        }
        return settable + given.filter { $0.value.contains(" ") }
    }
}
