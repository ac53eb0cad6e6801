package import GameFlow
import Support

/// Why an output, or a step of another session, cannot be made on an occasion. Names the placeholder that is the cause, if one is;
/// never its value, which may be a secret.
package struct ContentError: DescribedError, Equatable {
    package let why: String

    package init(_ why: String) { self.why = why }

    /// The error about the value of the key `key`, which has these placeholders. The cause is the first placeholder that has no value,
    /// or whose value is one for which `isUnfit` returns true; `why` is the reason if no placeholder is the cause.
    package init(
        _ key: String, _ placeholders: [OutputPlaceholder],
        _ valueOf: (OutputPlaceholder) -> Value?, isUnfit: (Value) -> Bool = { _ in false },
        otherwise why: String
    ) {
        for placeholder in placeholders {
            guard let value = valueOf(placeholder) else {
                self.init("\(key): \(placeholder) has no value")
                return
            }
            guard !isUnfit(value) else {
                self.init("\(key): the value of \(placeholder) cannot be used here")
                return
            }
        }
        self.init("\(key): \(why)")
    }
}

extension OutputTemplate {
    /// The text with the values of the placeholders, for the key `key`. Throws if a value is missing, contains a character for which
    /// `forbids` returns true, or if `isValid` returns false for the text; `why` says then what is expected.
    func text(
        for key: String, forbids: (Unicode.Scalar) -> Bool,
        _ valueOf: (OutputPlaceholder) -> Value?, isValid: (String) -> Bool,
        otherwise why: String
    ) throws(ContentError) -> String {
        if let text = text(forbids: forbids, valueOf), isValid(text) { return text }
        throw ContentError(
            key, placeholders, valueOf,
            isUnfit: { ($0.text ?? $0.description).unicodeScalars.contains(where: forbids) },
            otherwise: why)
    }
}
