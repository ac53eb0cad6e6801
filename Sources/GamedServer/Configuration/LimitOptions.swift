import Connections
import Parts
import Shell

/// The setting `limit`, which sets `Options.limits`.
struct LimitOptions: OptionSection {
    static let table: [Option] = [
        Option(
            "limit", value: "NAME=VALUE",
            "Set one of the limits below; repeatable.",
            details: "See [Limits].",
            isRepeatable: true,
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
    /// Sets the limit that `text`, of the form `NAME=VALUE`, names.
    static func limit(_ text: String, in limits: inout ServerLimits) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        let settable = Limit.settable
        guard parts.count == 2, let limit = settable.first(where: { $0.setting == parts[0] }) else {
            let names = settable.compactMap(\.setting).joined(separator: ", ")
            throw UsageError("expected NAME=VALUE, where NAME is one of \(names)")
        }
        try limit.set(parts[1], in: &limits)
    }
}
