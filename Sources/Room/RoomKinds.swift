/// The kinds of devices and programs of the room. Each kind is one folder, and `RoomKinds+List.swift` lists its types.
package enum RoomKinds {
    /// The keys of words that name files with secrets and certificates.
    package static var fileKeys: [String] {
        connections.flatMap { $0.fileKeys } + outputs.flatMap { $0.fileKeys }
    }

    /// The kind of connection whose lines begin with this word; nil if no kind has the word.
    package static func connection(_ word: String) -> (any ConnectionEndpoint.Type)? {
        connections.first { $0.word == word }
    }

    /// The forms as a part of a sentence: `A`, `B` or `C`, in the markup of the help.
    package static func alternatives(_ forms: [String]) -> String {
        let quoted = forms.map { "`\($0)`" }
        return quoted.count < 2
            ? quoted.joined()
            : quoted.dropLast().joined(separator: ", ") + " or " + (quoted.last ?? "")
    }
}
