internal import CYAML
internal import Support

/// Parses a YAML text with libyaml, for the `DocumentReader`.
///
/// It is a class, so that `deinit` releases the memory of libyaml's parser. That parser is in memory of its own, because it
/// contains pointers to itself and must not move.
final class YAMLParser {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// A copy of the text, which libyaml reads while it parses.
    private let text: UnsafeMutableBufferPointer<UInt8>

    /// An event of libyaml: a part of the text that was parsed. This is not an event of a flow.
    struct Event {
        enum Kind {
            /// The start and the end of the whole text.
            case start, end
            case documentStart, documentEnd
            case alias
            case scalar(String, isQuoted: Bool)
            case listStart, listEnd
            case mapStart, mapEnd
        }

        let kind: Kind
        let position: FilePosition
        /// For a plain scalar that a comment follows on its line, with no blank after the `#`: the text from the scalar's end to
        /// the end of the line, such as ` #1 is ready`. The author may have meant it as a part of the scalar.
        let cutText: String?
        /// Whether the node has an anchor or a tag, which flow files may not contain.
        let hasAnchor: Bool
        let hasTag: Bool
    }

    /// The error of a text that is not YAML.
    struct SyntaxError: DescribedError {
        let position: FilePosition
        let why: String
    }

    init(_ bytes: [UInt8]) {
        // The buffer has one byte more than the text, so that the buffer is never empty. An empty buffer has no address.
        text = .allocate(capacity: bytes.count + 1)
        _ = text.initialize(from: bytes + [0])
        parser = .allocate(capacity: 1)
        yaml_parser_initialize(parser)
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, text.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        text.deallocate()
    }

    /// Returns the next event. Callers stop after the event `end` or an error.
    func next() throws(SyntaxError) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError }
        defer { yaml_event_delete(&event) }
        let (hasAnchor, hasTag) = Self.properties(event)
        return Event(
            kind: Self.kind(event), position: Self.position(event.start_mark),
            cutText: cutText(event), hasAnchor: hasAnchor, hasTag: hasTag)
    }

    /// The offset in `text` that was reached most recently, in characters and in bytes. libyaml counts characters.
    private var reached = (characters: 0, bytes: 0)

    /// Returns the text that a comment cuts off a plain scalar; see `Event.cutText`.
    private func cutText(_ event: yaml_event_t) -> String? {
        guard event.type == YAML_SCALAR_EVENT,
            event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE, event.data.scalar.length > 0
        else { return nil }
        let bytes = text.dropLast()
        // The bytes that continue a character have the form 10xxxxxx.
        while reached.bytes < bytes.count,
            reached.characters < event.end_mark.index || bytes[reached.bytes] & 0xC0 == 0x80
        {
            if bytes[reached.bytes] & 0xC0 != 0x80 { reached.characters += 1 }
            reached.bytes += 1
        }
        let rest = bytes[reached.bytes...]
        let comment = rest.drop { $0 == UInt8(ascii: " ") }
        guard comment.startIndex > rest.startIndex, comment.first == UInt8(ascii: "#"),
            let next = comment.dropFirst().first, !" \r\n".utf8.contains(next)
        else { return nil }
        return String(
            decoding: rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") },
            as: UTF8.self)
    }

    private static func kind(_ event: yaml_event_t) -> Event.Kind {
        switch event.type {
        case YAML_STREAM_START_EVENT: return .start
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_DOCUMENT_END_EVENT: return .documentEnd
        case YAML_ALIAS_EVENT: return .alias
        case YAML_SEQUENCE_START_EVENT: return .listStart
        case YAML_SEQUENCE_END_EVENT: return .listEnd
        case YAML_MAPPING_START_EVENT: return .mapStart
        case YAML_MAPPING_END_EVENT: return .mapEnd
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            return .scalar(
                String(decoding: bytes, as: UTF8.self),
                isQuoted: scalar.style != YAML_PLAIN_SCALAR_STYLE)
        default: return .end  // YAML_STREAM_END_EVENT
        }
    }

    /// Returns whether the event's node has an anchor, and whether it has a tag. YAML calls these two the properties of a node.
    private static func properties(_ event: yaml_event_t) -> (hasAnchor: Bool, hasTag: Bool) {
        switch event.type {
        case YAML_SCALAR_EVENT:
            (event.data.scalar.anchor != nil, event.data.scalar.tag != nil)
        case YAML_SEQUENCE_START_EVENT:
            (event.data.sequence_start.anchor != nil, event.data.sequence_start.tag != nil)
        case YAML_MAPPING_START_EVENT:
            (event.data.mapping_start.anchor != nil, event.data.mapping_start.tag != nil)
        default: (false, false)
        }
    }

    /// Converts a position of libyaml, which counts from 0.
    private static func position(_ mark: yaml_mark_t) -> FilePosition {
        FilePosition(line: mark.line + 1, column: mark.column + 1)
    }

    private var syntaxError: SyntaxError {
        var why = parser.pointee.problem.map { String(cString: $0) } ?? "not YAML"
        if let context = parser.pointee.context { why += ", \(String(cString: context))" }
        // For a character that YAML does not allow, libyaml sets only the offset.
        let position =
            parser.pointee.error == YAML_READER_ERROR
            ? FilePosition(ofByte: parser.pointee.problem_offset, in: text.dropLast())
            : Self.position(parser.pointee.problem_mark)
        return SyntaxError(position: position, why: why)
    }
}
