import Access
import Digest
import GameFlow
import Parts
import Room
import Sessions
import Shards
import Support
import Timers

/// A digest of a node's configuration. Nodes compare their digests, so that operators notice differences.
enum ConfigurationDigest {
    /// Part of a SHA-256 hash suffices, because nobody profits from two configurations with the same digest.
    private static let byteCount = 6

    /// The digest of the rules, flow files, `on` lines and the time zone, as hexadecimal text of `byteCount` bytes.
    static func of(_ options: Options) -> String {
        let rules = options.access.rules.map { "\($0)" }.sorted()
        let flows = (options.sessions.flowFiles?.files ?? []).map(\.flow.versionText).sorted()
        let lines = options.room.onLines.all.map { String($0.fingerprint, radix: 36) }
        let zone = options.sessions.zone.name
        let text = (rules + ["flows"] + flows + ["on"] + lines + ["zone", zone])
            .joined(separator: "\n")
        return Hexadecimal.write(
            MessageDigest.sha256(Array(text.utf8)).prefix(byteCount), uppercase: false)
    }
}
