package import GameFlow
package import JSONCoding

extension ConfigurationFile {
    /// Reads the JSON object of a word `KEY=OBJECT`. `example` is a valid object, which the error shows.
    package func object(_ word: TextWord, of line: Line, example: String) throws(ConfigurationError)
        -> [Member]
    {
        let key = word.key.map(String.init) ?? ""
        guard case .object(let members)? = Value(json: word.value.utf8) else {
            throw mistake(line, word, "\(key): expected an object such as \(example)")
        }
        // `flaw` explains the first value that no argument or datum of a flow can have, such as a fraction.
        if let flaw = Value.object(members).flaw { throw mistake(line, word, "\(key): \(flaw)") }
        return members
    }
}
