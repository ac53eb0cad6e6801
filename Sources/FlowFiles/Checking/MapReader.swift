internal import Support

/// A map of a flow file, such as a state or a row, whose values are read by key. Keys that are not allowed become findings.
struct MapReader {
    private let entries: [DocumentEntry]

    /// Creates a reader; nil, with a finding, if the node is not a map. `keys` are the allowed keys. `title` names the map in
    /// the sentences of findings, such as "a timer".
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

    /// The value of a key; nil if the map does not have the key.
    subscript(_ key: String) -> DocumentNode? { entries.first { $0.key == key }?.value }

    /// The position of a key; nil if the map does not have the key.
    func position(of key: String) -> FilePosition? { entries.first { $0.key == key }?.position }
}
