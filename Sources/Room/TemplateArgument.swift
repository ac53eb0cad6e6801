package import GameFlow
package import Parts

/// An argument of an event that a `map` line or an `on` line sends.
package struct TemplateArgument<Placeholder: TemplatePlaceholder>: Equatable {
    private enum Content: Equatable {
        case constant(Value)
        /// A text with placeholders.
        case template(Template<Placeholder>)
    }

    package let name: String
    private let content: Content

    /// `template` parses the value of the argument if the value is a text.
    package init(
        _ argument: Member,
        template: (String) throws(ConfigurationError) -> Template<Placeholder>
    ) throws(ConfigurationError) {
        name = argument.name
        guard let text = argument.value.text else {
            content = .constant(argument.value)
            return
        }
        let template = try template(text)
        // A template without placeholders always has the same value.
        content = template.value { _ in nil }.map { .constant($0) } ?? .template(template)
    }

    package var placeholders: [Placeholder] {
        if case .template(let template) = content { template.placeholders } else { [] }
    }

    /// The argument with the values that `valueOf` returns for the placeholders; nil if one is missing.
    package func member(_ valueOf: (Placeholder) -> Value?) -> Member? {
        switch content {
        case .constant(let value): Member(name, value)
        case .template(let template): template.value(valueOf).map { Member(name, $0) }
        }
    }
}
