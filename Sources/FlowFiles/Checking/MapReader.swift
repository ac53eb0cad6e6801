internal import Support

/// Reads the entries of a map, and reports unknown keys.
struct MapReader {
    private let entries: [DocumentEntry]

    /// Creates a reader; nil, with a finding, if the node is not a map. `title` names the map in the sentences of findings,
    /// such as "a timer".
    init?(_ node: DocumentNode, _ title: String, keys: [String], _ findings: FindingList) {
        guard let entries = node.entries else {
            findings.add(
                node.position,
                "expected \(title) as a map with the keys \(keys.joined(separator: ", ")), not \(node.kind)"
            )
            return nil
        }
        self.entries = entries
        for entry in entries where !keys.contains(entry.key) {
            findings.add(
                entry.position,
                "\(title) has no key \(entry.key); \(DidYouMean.hint(entry.key, keys))")
        }
    }

    subscript(_ key: String) -> DocumentNode? { entries.first { $0.key == key }?.value }

    /// The position of a key; nil if the map does not have the key.
    func position(of key: String) -> FilePosition? { entries.first { $0.key == key }?.position }
}
