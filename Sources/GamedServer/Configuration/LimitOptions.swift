import Shell

/// The setting `limit`.
struct LimitOptions: OptionSection {
    var values = ServerLimits()

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

extension Options {
    var limits: ServerLimits {
        get { self[LimitOptions.self].values }
        _modify { yield &self[LimitOptions.self].values }
    }
}
