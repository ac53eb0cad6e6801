package import Parts
package import RPC

/// The settings of access: the rules and the token file.
package struct AccessOptions: OptionSection {
    /// The access rules.
    package var rules: [Rule] = []
    /// The path of the token file that the option `--tokens` names; nil without the option.
    package var tokens: String?

    package init() {}

    /// The path of the token file; nil if tokens are kept in the database, or only in memory. `stateDirectory` is nil without a
    /// state directory.
    package func tokenFile(stateDirectory: String?) -> String? {
        tokens ?? stateDirectory.map { "\($0)/tokens" }
    }

    package static let table: [Option] = [
        Option(
            "allow", value: AllowDirective.form,
            "Grant a role to all callers that match the principal.",
            reader: .line { options, line, file, _ throws(ConfigurationError) in
                options.access.rules.append(try AllowDirective.read(line, in: file))
            }, reload: { $0.access.rules = $1.access.rules }),
        Option(
            "tokens", value: "FILE",
            defaultValue:
                "`tokens` in the state directory, or the database, else tokens are lost when the daemon ends",
            "Store the hashes of tokens in this file.",
            details: """
                With a database, gamed stores tokens in the database, for all nodes. The tokens in this file are then valid on
                this node only, and the daemon does not change the file.
                """,
            reader: .path(\.access.tokens)),
    ]
}

extension Options {
    package var access: AccessOptions {
        get { self[AccessOptions.self] }
        _modify { yield &self[AccessOptions.self] }
    }
}
