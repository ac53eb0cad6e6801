import Glibc

/// The head of an HTTP request: its first line and its headers. `RequestReader` fills it in. The parts are ranges of the bytes
/// that have arrived, because a text of its own for each part takes longer than the rest of a request.
package struct RequestHead: Sendable {
    /// The bytes that have arrived: those of the head, and perhaps further ones.
    package var bytes: [UInt8] = []
    package var method = HTTPMethod.get
    /// Whether the client speaks HTTP/1.0.
    package var isVersion10 = false
    /// The place of the path, as it was sent, without the query.
    var pathRange = 0..<0
    /// The place of the query; empty without a query.
    package var queryRange = 0..<0
    /// The place of the host in the request target, if the target is a complete URL, as in `GET http://host/path`; else nil.
    /// Clients send a complete URL to a proxy.
    var targetHostRange: Range<Int>?
    /// The places of the headers, in the order in which they were sent.
    package var fields: [HeaderField] = []

    /// The places of a header's name and value. The value has no surrounding blanks.
    package struct HeaderField {
        package let name: Range<Int>
        package let value: Range<Int>
    }

    // MARK: the target

    /// The path as it was sent, without decoding of `%` escapes, and without the query.
    package var path: ArraySlice<UInt8> { bytes[pathRange] }

    /// The part of the path after a prefix; nil if the path does not begin with the prefix.
    package func path(after prefix: StaticString) -> String? {
        guard path.count >= prefix.utf8CodeUnitCount,
            prefix ~= path.prefix(prefix.utf8CodeUnitCount)
        else { return nil }
        return String(decoding: path.dropFirst(prefix.utf8CodeUnitCount), as: UTF8.self)
    }

    /// The decoded query parameters; nil if one appears twice or cannot be decoded.
    package var query: [String: String]? { FormText.pairs(in: bytes[queryRange]) }

    /// The host in the request target, in lower case; nil if the target is a path.
    package var targetHost: String? {
        targetHostRange.map { String(decoding: bytes[$0], as: UTF8.self).lowercased() }
    }

    // MARK: headers

    /// The value of a header; nil if the header does not appear. If the header appears more than once, its first value. The names
    /// of headers are compared without regard to upper and lower case.
    package subscript(_ name: StaticString) -> ArraySlice<UInt8>? {
        for field in fields where has(field, name) { return bytes[field.value] }
        return nil
    }

    /// The value of a header as text.
    package func header(_ name: StaticString) -> String? {
        self[name].map { String(decoding: $0, as: UTF8.self) }
    }

    /// The values of a header, in order.
    package func values(_ name: StaticString) -> [String] {
        fields.filter { has($0, name) }.map { String(decoding: bytes[$0.value], as: UTF8.self) }
    }

    /// How many times a header appears.
    package func count(_ name: StaticString) -> Int {
        fields.reduce(0) { $0 + (has($1, name) ? 1 : 0) }
    }

    /// Whether a header has this name.
    private func has(_ field: HeaderField, _ name: StaticString) -> Bool {
        field.name.count == name.utf8CodeUnitCount && bytes.hasWord(name, at: field.name.lowerBound)
    }

    /// Whether the body has this media type, parameters aside. `type` is in lower case.
    package func hasMediaType(_ type: StaticString) -> Bool {
        guard let value = self["Content-Type"] else { return false }
        if type ~= value { return true }
        let name = value.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
        return name.count == type.utf8CodeUnitCount && name.hasWord(type, at: 0)
    }

    /// The token in the header `Authorization: Bearer TOKEN`. Empty, which is no valid token, if the header has another form;
    /// nil without the header.
    package var bearer: String? {
        guard let text = header("Authorization") else { return nil }
        let words = text.split(separator: " ")
        return words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : ""
    }

    /// Whether the connection ends after the answer, by the client's wish or by the rules of its version.
    package var closesConnection: Bool {
        guard let wish = self["Connection"] else { return isVersion10 }
        // Further options may follow `keep-alive`, as evhttp and many others accept it.
        if isVersion10 {
            return !(wish.count >= 10 && wish.hasWord("keep-alive", at: wish.startIndex))
        }
        return wish.count == 5 && wish.hasWord("close", at: wish.startIndex)
    }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    /// Whether the bytes from an index on are a word, without regard to upper and lower case. The word must fit.
    func hasWord(_ word: StaticString, at start: Int) -> Bool {
        for offset in 0..<word.utf8CodeUnitCount {
            let difference = self[start + offset] ^ word.utf8Start[offset]
            guard difference == 0 || difference == 0x20 && isLetter(word.utf8Start[offset]) else {
                return false
            }
        }
        return true
    }

    private func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
}

/// Whether bytes are those of a literal.
package func ~= (literal: StaticString, bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count == literal.utf8CodeUnitCount
        && bytes.withUnsafeBytes {
            guard let start = $0.baseAddress else { return true }
            return memcmp(start, literal.utf8Start, $0.count) == 0
        }
}
