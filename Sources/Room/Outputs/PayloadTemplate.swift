package import GameFlow

/// The template of the payload of an MQTT message or of the body of an HTTP request. The values that replace the placeholders
/// are written as the format of the text requires, because they can come from players: a value must not add members to an
/// object, or fields to a form.
package struct PayloadTemplate: Equatable {
    package enum Format: Equatable {
        /// The values are inserted as they are.
        case text
        case json
        /// The format `application/x-www-form-urlencoded`.
        case form
    }

    private let template: OutputTemplate
    package let format: Format

    /// A payload without a declared media type: `text` is the template as it was written. It has the format JSON if it begins
    /// with `{` or `[` and is JSON.
    package init(_ template: OutputTemplate, writtenAs text: String) {
        self.template = template
        let first = text.utf8.first { $0 != UInt8(ascii: " ") }
        let mayBeJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        format = mayBeJSON && template.isJSON ? .json : .text
    }

    /// A payload of this media type. Nil if the media type is JSON, but the template is not.
    package init?(_ template: OutputTemplate, ofType mediaType: String) {
        self.template = template
        let mediaType = mediaType.lowercased()
        if mediaType.contains("json") {
            guard template.isJSON else { return nil }
            format = .json
        } else {
            format = mediaType.contains("x-www-form-urlencoded") ? .form : .text
        }
    }

    /// The payload if it has no placeholders; nil if it has.
    var constant: String? { template.placeholders.isEmpty ? text { _ in nil } : nil }

    /// The payload with the values that `valueOf` returns for the placeholders. Throws if a value is missing. `key` is the key of the
    /// line that has the template.
    func text(for key: String, _ valueOf: (OutputPlaceholder) -> Value?) throws(ContentError)
        -> String
    {
        if let text = text(valueOf) { return text }
        throw ContentError(
            key, template.placeholders, valueOf, otherwise: "a backslash before a placeholder")
    }

    /// The payload with the values that `valueOf` returns for the placeholders; nil if a value is missing.
    package func text(_ valueOf: (OutputPlaceholder) -> Value?) -> String? {
        switch format {
        case .text: template.text(valueOf)
        case .json: template.json(valueOf)
        case .form: template.text(valueOf, convert: PercentEncoding.encode)
        }
    }
}
