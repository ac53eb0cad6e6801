import GameFlow
import JSONCoding
import TestSupport
import Testing

/// A query of PromQL in the dashboard or in the alert rules.
struct MetricQuery {
    /// A metric with the braces after it, such as `gamed_sessions{flow="game"}`.
    struct Selector {
        let metric: String
        let matchers: [(label: String, comparison: String, value: String)]
    }

    let text: String
    /// The metrics that gamed itself has.
    let selectors: [Selector]
    /// The labels by which the query adds up.
    let groupings: [String]

    init(_ text: String) {
        self.text = text
        selectors = text.matches(of: /((?:gamed|process)_[a-z_]+)(?:\{([^}]*)\})?/).map { match in
            Selector(
                metric: String(match.1),
                matchers: (match.2 ?? "").matches(of: /([a-z_]+)(=~|!~|!=|=)"([^"]*)"/).map {
                    (String($0.1), String($0.2), String($0.3))
                })
        }
        groupings = text.matches(of: /(?:by|on) \(([a-z_, ]+)\)/).flatMap { match in
            match.1.split { $0 == "," || $0 == " " }.map { String($0) }
        }
    }

    /// The labels that Prometheus adds, and that of the buckets of a histogram.
    private static let otherLabels: Set<String> = ["job", "instance", "le"]

    /// What is wrong with the names in the query. `labels` returns the labels of a metric, and nil if there is no such metric.
    func mistakes(_ labels: (String) -> Set<String>?) -> [String] {
        var (found, known): ([String], Set<String>) = ([], Self.otherLabels)
        for selector in selectors {
            guard let own = labels(selector.metric) else {
                found.append(selector.metric)
                continue
            }
            known.formUnion(own)
            found += selector.matchers.map(\.label)
                .filter { !own.union(Self.otherLabels).contains($0) }
                .map { "\(selector.metric){\($0)}" }
        }
        return found + groupings.filter { !known.contains($0) }.map { "by (\($0))" }
    }

    /// The queries of the dashboard, in their order.
    static func ofDashboard() throws -> [MetricQuery] {
        func queries(_ value: Value) -> [String] {
            switch value {
            case .array(let values): values.flatMap(queries)
            case .object(let members):
                members.flatMap { $0.name == "expr" ? [$0.value.text ?? ""] : queries($0.value) }
            default: []
            }
        }
        return queries(
            try #require(Value(json: RepositoryFile.text("Service/dashboard.json").utf8))
        ).map { MetricQuery($0) }
    }

    /// The queries of the alert rules, in their order.
    static func ofRules() -> [MetricQuery] {
        RepositoryFile.text("Service/alerts.rules.yml").matches(of: /expr: (.+)/).map {
            MetricQuery(String($0.1))
        }
    }
}
