import GameFlow
import Parts
import RPC
import Sessions

/// What a reload of the configuration did: the result of the method `reload`, and the last line in the log after SIGHUP.
struct ReloadOutcome: Equatable {
    /// The names of the settings that changed.
    private(set) var changed: [String] = []
    /// The names of the settings in the configuration that did not change.
    private(set) var unchanged: [String] = []
    /// The names of the settings that changed in the configuration and that only a restart applies.
    private(set) var restart: [String] = []
    /// The mistakes that prevented the reload of a part, a sentence each.
    var mistakes: [String] = []

    /// Compares the lines of two readings of the configuration. `changedFiles` are the names of settings whose files have
    /// another content, although their lines are the same.
    init(from old: Options, to new: Options, changedFiles: Set<String>) {
        for option in Options.table where option.isLine {
            let name = option.name
            // Where the command line decides, the lines have no effect.
            let areUsed = !new.overriddenNames.contains(name)
            let lines = (
                old.givenLines[name]?.map(\.words), new.givenLines[name]?.map(\.words)
            )
            if areUsed, lines.0 != lines.1 {
                if option.reload == nil { restart.append(name) } else { changed.append(name) }
            } else if changedFiles.contains(name) {
                changed.append(name)
            } else if areUsed, lines.1 != nil {
                unchanged.append(name)
            }
        }
        // Tokens are read again even if no line names their file.
        if changedFiles.contains("tokens"), !changed.contains("tokens") { changed.append("tokens") }
    }

    /// The members of the result.
    var members: [Member] {
        func list(_ names: [String]) -> Value { .array(names.map { .string($0) }) }
        return [
            Member("changed", list(changed)), Member("unchanged", list(unchanged)),
            Member("restart", list(restart)),
        ]
    }

    /// The end of the line in the log.
    var summary: String {
        let parts = [
            mistakes.isEmpty ? nil : "not reloaded: what the lines above name",
            changed.isEmpty ? nil : "changed: \(changed.joined(separator: ", "))",
            restart.isEmpty ? nil : "restart the daemon for: \(restart.joined(separator: ", "))",
        ].compactMap { $0 }
        return parts.isEmpty ? "nothing changed" : parts.joined(separator: "; ")
    }
}
