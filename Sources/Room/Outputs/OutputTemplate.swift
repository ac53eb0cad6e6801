/// A text with placeholders for parts of an occasion.
package typealias OutputTemplate = Template<OutputPlaceholder>

/// A part of the occasion that causes an output: `$args.X`, `$data.X`, `$label.X`, `$session`, `$state`, `$effect`.
package enum OutputPlaceholder: TemplatePlaceholder {
    /// The effect's argument with this name; for a refused event, the event's argument.
    case args(String)
    /// The datum with this name in the session's state.
    case data(String)
    /// The session's label with this name.
    case label(String)
    /// The names of the session, its state, and the effect.
    case session, state, effect

    /// Reads the placeholder after its dollar sign.
    package static func read(_ scanner: inout TemplateScanner) throws(TemplateError)
        -> OutputPlaceholder
    {
        let name = scanner.scanName()
        switch name {
        case "session": return .session
        case "state": return .state
        case "effect": return .effect
        case "args": return .args(try member(of: name, &scanner))
        case "data": return .data(try member(of: name, &scanner))
        case "label": return .label(try member(of: name, &scanner))
        default: throw .unknown(name)
        }
    }

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
