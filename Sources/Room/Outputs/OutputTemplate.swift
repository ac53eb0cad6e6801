import GameFlow

/// A text with placeholders for parts of an occasion.
package typealias OutputTemplate = Template<OutputPlaceholder>

/// A part of the occasion that causes an output: `$args.X`, `$data.X`, `$label.X`, `$session`, `$state`, `$effect`.
///
/// A duration X has the name `XMs` outside a flow, and a value in milliseconds. `$data.X` is the duration as clocks show it, such as
/// `11:58`, and `$data.X.ms` its milliseconds, as `$data.XMs`; so with `$args.X`.
package enum OutputPlaceholder: TemplatePlaceholder, CustomStringConvertible {
    /// The effect's argument with this name; for a refused event, the event's argument.
    case args(String)
    /// The datum with this name in the session's state.
    case data(String)
    /// The session's label with this name.
    case label(String)
    /// The names of the session, its state, and the effect.
    case session, state, effect
    /// A part of the alert that causes the output.
    case alert(AlertField)

    /// The placeholder as it is written in a line.
    package var description: String {
        switch self {
        case .args(let name): "$args.\(name)"
        case .data(let name): "$data.\(name)"
        case .label(let name): "$label.\(name)"
        case .session: "$session"
        case .state: "$state"
        case .effect: "$effect"
        case .alert(let field): "$alert.\(field.rawValue)"
        }
    }

    /// `$alert.kind`, `$alert.name`, `$alert.text`.
    package enum AlertField: String, CaseIterable { case kind, name, text }

    /// Reads the placeholder after its dollar sign.
    package static func read(_ scanner: inout TemplateScanner) throws(TemplateError)
        -> OutputPlaceholder
    {
        let name = scanner.scanName()
        switch name {
        case "session": return .session
        case "state": return .state
        case "effect": return .effect
        case "args": return .args(try field(of: name, &scanner))
        case "data": return .data(try field(of: name, &scanner))
        case "alert":
            guard let field = AlertField(rawValue: scanner.scanMember() ?? "") else {
                throw TemplateError(why: "expected $alert.kind, $alert.name or $alert.text")
            }
            return .alert(field)
        case "label": return .label(try member(of: name, &scanner))
        default: throw .unknown(name)
        }
    }

    /// As `member`, for a member that can be a duration: reads `.X.ms` as `.XMs`.
    private static func field(of name: String, _ scanner: inout TemplateScanner)
        throws(TemplateError) -> String
    {
        let member = try member(of: name, &scanner)
        return scanner.skipMember(millisecondsName) ? member + Field.durationSuffix : member
    }

    /// The part after the name of a duration whose milliseconds are meant.
    private static let millisecondsName = "ms"

    /// Reads the part `.X` of a placeholder such as `$args.X`.
    private static func member(of name: String, _ scanner: inout TemplateScanner)
        throws(TemplateError) -> String
    {
        guard let member = scanner.scanMember() else {
            throw TemplateError(why: "expected $\(name).NAME")
        }
        return member
    }
}
