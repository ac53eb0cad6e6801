/// A statement with its parameters.
package struct PostgresCommand: Sendable {
    /// How the server gets the statement.
    package enum Form: Sendable {
        /// Prepared when the connection was opened.
        case prepared(Statement)
        /// Its text, for statements that are used once.
        case text(String)
    }

    package let form: Form
    package let parameters: [BinaryValue]

    init(_ statement: Statement, _ parameters: [BinaryValue] = []) {
        (form, self.parameters) = (.prepared(statement), parameters)
    }

    init(text: String, _ parameters: [BinaryValue] = []) {
        (form, self.parameters) = (.text(text), parameters)
    }
}
