import JSONCoding
import Parts
import Room
import Support

/// A configuration that several nodes share: `node=NAME` says to which node a line about inputs or outputs belongs. A line
/// without `node=` belongs to every node that reads the file.
extension ConfigurationFile {
    /// The names of the lines that can contain `node=NAME`.
    static let nodeLineNames = Set(RoomKinds.connections.map { $0.word } + ["map", "on"])
    /// The maximum number of nodes that lines can name.
    static let nodeLimit = 64

    /// The name in the line `node`. It is the name of the node that reads the file. Nil if the file has no line `node`.
    var nodeName: String? { lines.last { $0.name.text == "node" }?.words.first?.text }

    /// The nodes that lines name, in the order of the lines, and the mistakes in these names.
    var nodes: (names: [String], mistakes: [ConfigurationError]) {
        var (names, mistakes): ([String], [ConfigurationError]) = ([], [])
        for line in lines where Self.nodeLineNames.contains(line.name.text) {
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

    /// A copy of the file for the node with this name. The copy lacks the lines of other nodes and the words `node=…`.
    func asRead(by node: String) -> ConfigurationFile {
        var file = self
        file.lines = lines.compactMap { line in
            guard Self.nodeLineNames.contains(line.name.text),
                let nodeWord = line.words.first(where: { $0.key == "node" })
            else { return line }
            guard nodeWord.value == node else { return nil }
            return Line(
                number: line.number, name: line.name,
                words: line.words.filter { $0.key != "node" }, path: line.path)
        }
        return file
    }

    /// A copy of the file for nodes that share a store. Each of these nodes needs the `on` lines of all nodes, because a node
    /// sends the outputs of the sessions that it owns. The copy has the `on` lines, and the lines of the connections that `on`
    /// lines can name. In each line the property `node` replaces the word `node=…`.
    var sharedLines: ConfigurationFile {
        var file = self
        file.lines = lines.filter {
            $0.name.text == "on" || RoomKinds.connection($0.name.text) != nil
        }.map(Self.withNode)
        return file
    }

    /// The line with the property `node` in place of its word `node=NAME`.
    private static func withNode(_ line: Line) -> Line {
        let node = line.words.last { $0.key == "node" }.map { String($0.value) }
        return Line(
            number: line.number, name: line.name, words: line.words.filter { $0.key != "node" },
            node: node, path: line.path)
    }

    /// A copy of the file without its `on` lines.
    var withoutOnLines: ConfigurationFile {
        var file = self
        file.lines.removeAll { $0.name.text == "on" }
        return file
    }

    /// The URL or directory that the line `store` gives; nil without such a line.
    var storeName: String? { lines.last { $0.name.text == "store" }?.words.first?.text }

    /// The nodes of connections, by the connection's name. A node is the NAME in a line that defines a connection and contains
    /// `node=NAME`. If several of these lines define a connection with the same name, the first line counts.
    var connectionNodes: [String: String] {
        var nodes: [String: String] = [:]
        for line in lines where RoomKinds.connection(line.name.text) != nil {
            guard let name = line.words.first?.text, nodes[name] == nil,
                let node = line.words.last(where: { $0.key == "node" })
            else { continue }
            nodes[name] = String(node.value)
        }
        return nodes
    }

    /// Possible mistakes: lines without `node=`. Every node uses these lines. The lines are reported if another line of the
    /// file names a node.
    ///
    /// If nodes share a database (`nodesShareDatabase`), there are two exceptions. An `on` line is never reported, because the
    /// owner of a session sends its outputs. A `map` line is always reported, because every node would send an event for each
    /// input.
    func linesWithoutNode(nodesShareDatabase: Bool) -> [ConfigurationError] {
        let aLineNamesNode = !nodes.names.isEmpty
        return lines.compactMap { line in
            let name = line.name.text
            guard Self.nodeLineNames.contains(name),
                nodesShareDatabase
                    ? name == "map" || (aLineNamesNode && name != "on") : aLineNamesNode,
                !line.words.contains(where: { $0.key == "node" })
            else { return nil }
            return mistake(
                line, nil,
                "\(name): without node=NAME, every node that reads this file uses the line")
        }
    }
}

extension ConfigurationFile {
    /// The name of the setting in the line of a mistake, and the settings that it may have meant if it is unknown.
    func names(ofLineWith mistake: ConfigurationError) -> [String] {
        let line = lines.first { $0.number == mistake.line && ($0.path ?? path) == mistake.path }
        guard let name = line?.name.text else { return [] }
        return [name] + DidYouMean.suggest(name, Options.table.filter(\.isLine).map(\.name))
    }
}
