import COpenSSL
import GameFlow
import Sessions
import Support

/// What nodes compare with each other.
enum ClusterFacts {
    /// A digest of a node's rules and flow files: two nodes with the same ones have the same digest.
    /// Wraps SHA256(3).
    static func digest(_ options: Options) -> String {
        let rules = options.rules.map { "\($0)" }.sorted()
        let flows = (options.flowFiles?.files ?? []).map(\.flow.versionText).sorted()
        let text = Array((rules + ["flows"] + flows).joined(separator: "\n").utf8)
        var hash = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256(text, text.count, &hash)
        return Hexadecimal.write(hash.prefix(6), uppercase: false)
    }
}
