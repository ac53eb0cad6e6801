internal import GameFlow
internal import JSON

/// The body by which somebody signs in.
public enum SignInBody {
    /// A token as it stands, or as `{"token":"…"}`; nil of what is neither.
    public static func token(in body: [UInt8]) -> String? {
        guard body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
            return String(validating: body, as: UTF8.self)?.filter { !$0.isWhitespace }
        }
        var text = JSONText()
        guard (try? text.read(body[...])) != nil,
            case .string(let token)? = text.object(at: JSONText.root)["token"]
        else { return nil }
        return token
    }
}
