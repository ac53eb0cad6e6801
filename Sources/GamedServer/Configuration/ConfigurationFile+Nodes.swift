import JSONCoding

/// The name of a node.
enum NodeName {
    static let expected = "expected a name of 1 to 64 bytes without spaces"

    static func isName(_ text: String) -> Bool {
        1...64 ~= text.utf8.count && !text.utf8.contains { $0 < 33 }
    }
}

/// A configuration that several nodes share: `node=NAME` says to which node a line about inputs or outputs belongs. A line
/// without it belongs to every node that reads the file.
extension ConfigurationFile {
    /// The lines that can say `node=NAME`.
    static let linesOfNodes: Set<String> = ["mqtt", "osc", "serial", "evdev", "map", "on"]
    /// The maximum number of nodes that lines can name.
    static let nodeLimit = 64

    /// The name that the line `node` gives to the node that reads the file; nil without one.
    var nodeName: String? { lines.last { $0.name.text == "node" }?.words.first?.text }

    /// The nodes that lines name, in their order, and what is wrong with these names.
    var nodes: (names: [String], mistakes: [ConfigurationError]) {
        var (names, mistakes): ([String], [ConfigurationError]) = ([], [])
        for line in lines where Self.linesOfNodes.contains(line.name.text) {
            let words = line.words.filter { $0.key == "node" }
            guard let word = words.first else { continue }
            let name = String(word.value)
            if words.count > 1 {
                mistakes.append(mistake(line, words[1], "node is given twice"))
            } else if !NodeName.isName(name) {
                mistakes.append(mistake(line, word, "node: \(NodeName.expected)"))
            } else if !names.contains(name) {
                if names.count == Self.nodeLimit {
                    let why = "node: at most \(Self.nodeLimit) nodes"
                    return (names, mistakes + [mistake(line, word, why)])
                }
                names.append(name)
            }
        }
        return (names, mistakes)
    }

    /// The file as this node reads it: without the lines of other nodes, and without the words `node=`.
    func seen(by node: String) -> ConfigurationFile {
        var file = self
        file.lines = lines.compactMap { line in
            guard Self.linesOfNodes.contains(line.name.text),
                let owner = line.words.first(where: { $0.key == "node" })
            else { return line }
            guard owner.value == node else { return nil }
            return Line(
                number: line.number, name: line.name,
                words: line.words.filter { $0.key != "node" })
        }
        return file
    }

    /// The lines that every node uses although others belong to one node: that may be a mistake.
    var linesWithoutNode: [ConfigurationError] {
        guard !nodes.names.isEmpty else { return [] }
        return lines.compactMap { line in
            guard Self.linesOfNodes.contains(line.name.text),
                !line.words.contains(where: { $0.key == "node" })
            else { return nil }
            return mistake(
                line, nil,
                "\(line.name.text): without node=NAME, every node that reads this file uses the line"
            )
        }
    }
}
