internal import Support

/// Reads the text of a flow file into a tree. Flow files are written in a strict subset of YAML. A file is one document. It has
/// no anchors, aliases, tags or merges, and no map has a key twice.
///
/// The reader reports each violation as a finding, and continues if it can. Then the `FlowFileChecker` reads the tree and adds
/// its own findings, so that all findings are reported together.
struct DocumentReader {
    private let parser: YAMLParser
    private let findings: FindingList
    /// Whether a journal contains the text; see `FlowFileChecker.isRecorded`.
    private let isRecorded: Bool
    /// The number of nodes that were read so far. `FlowFileLimit.nodes` limits this number.
    private var nodeCount = 0

    /// Thrown to stop reading, after the finding with the reason was added.
    private struct Stop: Error {}

    /// Returns the document's root. If there is no document that could be checked, adds a finding and returns nil. `isRecorded`: a
    /// journal contains the text.
    static func read(_ bytes: [UInt8], _ findings: FindingList, isRecorded: Bool = false)
        -> DocumentNode?
    {
        let bytes = Array(bytes.withoutByteOrderMark)
        guard bytes.count <= FlowFileLimit.bytes.maximum else {
            findings.add(.start, exceeding: .bytes)
            return nil
        }
        guard isText(bytes, findings) else { return nil }
        var reader = DocumentReader(
            parser: YAMLParser(bytes), findings: findings, isRecorded: isRecorded)
        do throws(Stop) { return try reader.document() } catch { return nil }
    }

    private init(parser: YAMLParser, findings: FindingList, isRecorded: Bool) {
        (self.parser, self.findings, self.isRecorded) = (parser, findings, isRecorded)
    }

    /// Whether the bytes are UTF-8 without tabs; if not, adds a finding. YAML forbids tabs in indentation, where people do not
    /// see them.
    private static func isText(_ bytes: [UInt8], _ findings: FindingList) -> Bool {
        if let offset = bytes.firstIndex(of: UInt8(ascii: "\t")) {
            findings.add(
                FilePosition(ofByte: offset, in: bytes),
                "a tab; indent with spaces, and write \\t in double quotes where a text needs a tab"
            )
            return false
        }
        do {
            _ = try UTF8Span(validating: bytes.span)
            return true
        } catch {
            let offset = error.byteOffsets.lowerBound
            findings.add(
                FilePosition(ofByte: offset, in: bytes), "not UTF-8; save the file as UTF-8")
            return false
        }
    }

    // MARK: the tree

    /// Reads the whole text. Returns the root; nil, with a finding, if the text is empty.
    private mutating func document() throws(Stop) -> DocumentNode? {
        var root: DocumentNode?
        while true {
            let event = try nextEvent()
            switch event.kind {
            case .start, .documentEnd: continue
            case .end:
                if root == nil {
                    findings.add(.start, "the file is empty; it begins with `flow: NAME`")
                }
                return root
            case .documentStart:
                guard root == nil else {
                    findings.add(
                        event.position, "a second document; a flow file has one, without ---")
                    return root
                }
                root = try node(try nextEvent(), level: 1)
            default: throw Stop()  // libyaml reports no other event here
            }
        }
    }

    /// Reads the node that begins with `event`. `level` is the depth of the node: 1 for the root.
    private mutating func node(_ event: YAMLParser.Event, level: Int) throws(Stop) -> DocumentNode {
        nodeCount += 1
        guard level <= FlowFileLimit.levels.maximum else { throw stop(event.position, .levels) }
        guard nodeCount <= FlowFileLimit.nodes.maximum else { throw stop(event.position, .nodes) }
        if event.hasAnchor {
            findings.add(
                event.position, "an anchor (&…); flow files have none: write the value again")
        }
        if event.hasTag {
            findings.add(
                event.position, "a tag (!…); flow files have none: the expected type decides")
        }
        switch event.kind {
        case .scalar(let text, let isQuoted):
            // No client accepts a text with this character. A journal may contain such a file from before.
            if !isRecorded, text.utf8.contains(0) {
                findings.add(
                    event.position, "the character NUL, \\0; no text can contain it, so remove it")
            }
            if let cutText = event.cutText { warn(ofCommentAfter: text, cutText, event.position) }
            return DocumentNode(
                content: .scalar(text, isQuoted: isQuoted), position: event.position)
        case .listStart:
            return DocumentNode(content: .list(try list(level: level)), position: event.position)
        case .mapStart:
            return DocumentNode(content: .map(try map(level: level)), position: event.position)
        case .alias:
            findings.add(
                event.position, "an alias (*…); flow files have none: write the value again")
            // Without quotes, the empty text would be reported as a missing value, too.
            return DocumentNode(content: .scalar("", isQuoted: true), position: event.position)
        default: throw Stop()  // libyaml reports no other event here
        }
    }

    /// Reads the rest of a list after its first event. `level` is the level of the list.
    private mutating func list(level: Int) throws(Stop) -> [DocumentNode] {
        var nodes: [DocumentNode] = []
        while true {
            let event = try nextEvent()
            if case .listEnd = event.kind { return nodes }
            let node = try node(event, level: level + 1)
            reportBooleanWord(node)
            nodes.append(node)
        }
    }

    /// Reads the rest of a map after its first event. `level` is the level of the map.
    private mutating func map(level: Int) throws(Stop) -> [DocumentEntry] {
        var entries: [DocumentEntry] = []
        // The line of each key. Used only if the map is long: in a short map, a search is faster than hashing.
        var lineByKey: [String: Int] = [:]
        while true {
            let event = try nextEvent()
            if case .mapEnd = event.kind { return entries }
            let key = try node(event, level: level + 1)
            let value = try node(try nextEvent(), level: level + 1)
            reportBooleanWord(value)
            guard let name = key.text else {
                findings.add(key.position, "\(key.kind) as a key; a key is a name")
                continue
            }
            if name == "<<" {
                findings.add(
                    key.position, "a merge (<<); flow files have none: write the keys again")
                continue
            }
            let isLong = entries.count > Self.linearSearchLimit
            let earlierLine =
                isLong ? lineByKey[name] : entries.first { $0.key == name }?.position.line
            if let line = earlierLine {
                findings.add(
                    key.position, "the key \(name) is here twice; the first is in line \(line)")
                continue
            }
            entries.append(DocumentEntry(key: name, position: key.position, value: value))
            if isLong {
                lineByKey[name] = key.position.line
            } else if entries.count > Self.linearSearchLimit {
                for entry in entries { lineByKey[entry.key] = entry.position.line }
            }
        }
    }

    /// The number of entries up to which `map` searches the entries one by one for a repeated key.
    private static let linearSearchLimit = 12

    /// Warns of a plain text that a comment cuts off.
    private func warn(ofCommentAfter text: String, _ cutText: String, _ position: FilePosition) {
        let whole = (text + cutText).replacing("'", with: "''")
        let excerpt = whole.count > 64 ? "\(whole.prefix(64))…" : whole
        findings.warn(
            position,
            "the value ends before ` #`, which begins a comment; write quotes if the rest belongs to it: '\(excerpt)'"
        )
    }

    /// Reports a node that is a word such as `yes`, which YAML 1.1 reads as a boolean and YAML 1.2 as a text.
    private func reportBooleanWord(_ node: DocumentNode) {
        // The words have at most three letters and begin with y, o or n, so most texts are not looked up.
        guard case .scalar(let text, isQuoted: false) = node.content, text.utf8.count <= 3,
            let first = text.utf8.first, "yon".utf8.contains(first | Self.lowercaseBit),
            let truth = Self.booleanWords[text.lowercased()]
        else { return }
        findings.add(
            node.position,
            "\(text) without quotes; write \(truth) for a boolean, or '\(text)' for a name or a text"
        )
    }

    /// The bit by which a lowercase letter of ASCII differs from its uppercase letter.
    private static let lowercaseBit: UInt8 = 0x20
    private static let booleanWords = ["yes": true, "on": true, "no": false, "off": false]

    // MARK: events

    private func nextEvent() throws(Stop) -> YAMLParser.Event {
        do throws(YAMLParser.SyntaxError) { return try parser.next() } catch {
            findings.add(error.position, "not YAML: \(error.why)\(Self.hint(error.why))")
            throw Stop()
        }
    }

    /// Returns what the author can do about the two commonest messages of libyaml; an empty text for other messages.
    private static func hint(_ why: String) -> String {
        if why.hasPrefix("mapping values are not allowed") {
            return "; put a text that contains a colon in quotes"
        }
        if why.hasPrefix("did not find expected ',' or") {
            return "; put a value that contains a comma, brace or bracket in quotes"
        }
        return ""
    }

    /// Adds the finding for a limit that the file exceeds, and returns the error to throw.
    private func stop(_ position: FilePosition, _ limit: FlowFileLimit) -> Stop {
        findings.add(position, exceeding: limit)
        return Stop()
    }
}
