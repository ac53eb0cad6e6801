import GameFlow
import RPC
import Support

/// The ids of events of devices that send an id with each input.
package enum InputID {
    /// The maximum length of an id, in Unicode scalars.
    package static let limit = 256

    /// The id of an event: `CONNECTION/PEER/` and the value of the line's `id=`. The peer of a message is its topic.
    static func text(
        _ template: InputTemplate, _ values: InputValues, _ peer: String, _ connection: String
    ) throws(InputIDError) -> String {
        let found = template.value(values)
        if let found, ArgumentConversion.hasNull(found) {
            throw InputIDError(why: "has a null character")
        }
        guard let value = found.map({ $0.text ?? $0.description }), !value.isEmpty
        else { throw InputIDError(why: "the input has no value for it") }
        let id = "\(connection)/\(peer)/\(value)"
        guard id.unicodeScalars.count <= limit else {
            throw InputIDError(why: "longer than \(limit) characters with the connection and topic")
        }
        return id
    }
}

/// The reason why an input has no id.
struct InputIDError: DescribedError {
    let why: String
}
