/// A text with placeholders for parts of an occasion.
typealias OutputTemplate = Template<OutputPlaceholder>

/// A part of what caused an output: `$args.X`, `$data.X`, `$label.X`, `$session`, `$state`, `$effect`.
enum OutputPlaceholder: TemplatePlaceholder {
    case args(String)
    case data(String)
    case label(String)
    case session, state, effect

    static func read(_ words: inout TemplateWords) throws(TemplateError) -> OutputPlaceholder {
        let name = words.name()
        switch name {
        case "session": return .session
        case "state": return .state
        case "effect": return .effect
        case "args": return .args(try member(of: name, &words))
        case "data": return .data(try member(of: name, &words))
        case "label": return .label(try member(of: name, &words))
        default: throw .unknown(name)
        }
    }

    private static func member(of name: String, _ words: inout TemplateWords)
        throws(TemplateError) -> String
    {
        guard let member = words.member() else {
            throw TemplateError(why: "expected $\(name).NAME")
        }
        return member
    }
}
