import GameFlow
import Sessions
import Support

/// What nodes compare with each other.
enum ClusterFacts {
    /// A digest of a node's rules and flow files: two nodes with the same ones have the same digest.
    static func digest(_ options: Options) -> String {
        let rules = options.rules.map { "\($0)" }.sorted()
        let flows = (options.flowFiles?.files ?? []).map(\.flow.versionText).sorted()
        let text = (rules + ["flows"] + flows).joined(separator: "\n")
        return Hexadecimal.write(MessageDigest.sha256(text).prefix(6), uppercase: false)
    }
}
