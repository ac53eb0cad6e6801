import Connections
import Parts
import RPC
import Shell

/// The setting `limit`, which sets `Options.limits`.
struct LimitOptions: OptionSection {
    static let table: [Option] = [
        Option(
            "limit", value: "NAME=VALUE",
            "Set one of the limits below; repeatable.",
            details: """
                See [Limits]. `requests=N for=PRINCIPAL` gives a quota to one principal, `token:NAME`, `cert:NAME` or `uid:USER`, in
                place of `requests` and `unixRequests`.
                """,
            isRepeatable: true, joinsWords: true,
            reader: .value { options, value, _ throws(UsageError) in
                try OptionValue.limit(value, in: &options.limits)
            }, reload: { $0.limits = $1.limits })
    ]
}

extension Limit {
    /// The limits that an operator can set.
    static let settable = ServerLimits.table.filter { $0.setting != nil }
}

extension OptionValue {
    /// Sets the limit that `text`, of the form `NAME=VALUE` or `NAME=VALUE for=PRINCIPAL`, names.
    static func limit(_ text: String, in limits: inout ServerLimits) throws(UsageError) {
        let words = text.split(separator: " ").map(String.init)
        guard words.count <= 2 else { throw UsageError("unexpected word") }
        guard words.count == 2 else { return try setLimit(text, in: &limits) }
        guard words[1].hasPrefix("for=") else {
            throw UsageError("expected for=PRINCIPAL after the limit")
        }
        try setQuota(words[0], of: String(words[1].dropFirst("for=".count)), in: &limits)
    }

    /// Sets the requests per second of one principal. `text` is of the form `requests=N`.
    private static func setQuota(
        _ text: String, of name: String, in limits: inout ServerLimits
    ) throws(UsageError) {
        let principal: Principal
        do throws(PrincipalError) { principal = try Principal(name) } catch {
            throw UsageError("for: \(error.why)")
        }
        switch principal {
        case .token, .cert, .uid: break
        case .group, .source:
            throw UsageError("for: expected token:NAME, cert:NAME or uid:USER")
        }
        guard text.hasPrefix("requests=") else {
            throw UsageError("only the limit requests can be set for a principal")
        }
        // The value is read as that of the limit for all.
        var values = limits
        try setLimit(text, in: &values)
        guard
            limits.quotas[principal.text] != nil
                || limits.quotas.count < ServerLimits.quotaLimit
        else { throw UsageError("at most \(ServerLimits.quotaLimit) principals") }
        limits.quotas[principal.text] = values.requests
    }

    private static func setLimit(_ text: String, in limits: inout ServerLimits)
        throws(UsageError)
    {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        let settable = Limit.settable
        guard parts.count == 2, let limit = settable.first(where: { $0.setting == parts[0] }) else {
            let names = settable.compactMap(\.setting).joined(separator: ", ")
            throw UsageError("expected NAME=VALUE, where NAME is one of \(names)")
        }
        try limit.set(parts[1], in: &limits)
    }
}
