import GameFlow
import Sessions
import Support

/// The facts that nodes compare with each other.
enum ClusterFacts {
    /// A digest of a node's rules, flow files and `on` lines: two nodes with the same ones have the same digest.
    static func digest(_ options: Options) -> String {
        let rules = options.rules.map { "\($0)" }.sorted()
        let flows = (options.flowFiles?.files ?? []).map(\.flow.versionText).sorted()
        let lines = options.onLines.all.map { String($0.fingerprint, radix: 36) }
        let text = (rules + ["flows"] + flows + ["on"] + lines).joined(separator: "\n")
        return Hexadecimal.write(MessageDigest.sha256(text).prefix(6), uppercase: false)
    }
}
