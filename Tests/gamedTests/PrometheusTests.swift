import GameFlow
import JSONCoding
import TestSupport
import Testing

@testable import Parts

/// The files for Prometheus and Grafana name metrics that the daemon has, and the alert rules do what they say.
@Suite struct PrometheusTests {
    /// The names with which a family's samples appear in expressions.
    private static let sampleNames = Set(
        MetricFamily.all.flatMap { family in
            switch family.kind {
            case .counter: ["\(family.name)_total"]
            case .gauge: [family.name]
            case .info: ["\(family.name)_info"]
            case .histogram: ["_bucket", "_sum", "_count"].map { "\(family.name)\($0)" }
            }
        })

    /// The names of metrics in a text.
    private func names(_ text: String) -> Set<String> {
        Set(
            text.matches(of: /(?:gamed|process)_[a-z_]+(?=[{\[ \)])/).map { String($0.0) }
                .filter { !["gamed_ready"].contains($0) })
    }

    @Test(arguments: ["alerts.rules.yml", "dashboard.json"])
    func `each metric in the file exists`(_ file: String) {
        let used = names(RepositoryFile.text("Service/\(file)"))
        #expect(used.count > 10)
        #expect(used.subtracting(Self.sampleNames).isEmpty, "\(used)")
    }

    @Test func `the dashboard shows every family`() {
        let used = names(RepositoryFile.text("Service/dashboard.json"))
        for family in MetricFamily.all {
            #expect(used.contains { $0.hasPrefix(family.name) }, "\(family.name)")
        }
        #expect(Value(json: RepositoryFile.text("Service/dashboard.json").utf8) != nil)
    }

    /// The labels of the family to which a sample's name belongs, by the table of families.
    private func labelsInTable(_ name: String) -> Set<String>? {
        let family = MetricFamily.all.filter { name.hasPrefix($0.name) }
            .max { $0.name.utf8.count < $1.name.utf8.count }
        return family.map { Set($0.labels) }
    }

    @Test func `each label in the dashboard and in the rules is one of its metric`() throws {
        let wrong = MetricQuery(
            #"sum by (state, flwo) (gamed_sessions{stat="a",flow="b"}) + gamed_sesions"#)
        #expect(
            wrong.mistakes { $0 == "gamed_sessions" ? ["flow", "state"] : nil }
                == ["gamed_sessions{stat}", "gamed_sesions", "by (flwo)"])
        #expect(MetricQuery.ofRules().count > 10)
        for query in try MetricQuery.ofDashboard() + MetricQuery.ofRules() {
            #expect(query.mistakes(labelsInTable).isEmpty, "\(query.text)")
        }
    }

    @Test func `the dashboard finds the nodes of a gamed whose metrics have other names`() {
        let dashboard = RepositoryFile.text("Service/dashboard.json")
        #expect(dashboard.contains(#""query": "label_values(up{job=~\"gamed.*\","#))
        #expect(dashboard.contains(#""description": "Needs gamed 0.2 or newer"#))
    }

    @Test func `Prometheus accepts each query of the dashboard`() throws {
        guard !ShellCommand.run("command -v promtool").isEmpty else { return }
        let queries = try MetricQuery.ofDashboard()
        #expect(queries.count > 30)
        // Grafana replaces its variables before it sends a query.
        let rules = queries.enumerated().map { number, query in
            let text = query.text.replacing("$__rate_interval", with: "1m")
                .replacing("$instance", with: ".*").replacing("'", with: "''")
            return "      - {record: 'query:\(number)', expr: '\(text)'}\n"
        }
        let folder = Folder()
        let file = folder.write(
            "rules.yml",
            "groups:\n  - name: dashboard\n    rules:\n" + rules.joined())
        let output = ShellCommand.run("promtool check rules '\(file)'")
        #expect(output.contains("SUCCESS: \(queries.count) rules found"), "\(output)")
    }

    @Test func `promtool accepts the rules, and each alert begins and ends when it should`() {
        guard !ShellCommand.run("command -v promtool").isEmpty else { return }
        let output = ShellCommand.run(
            "promtool check rules Service/alerts.rules.yml && promtool test rules Tests/gamedTests/Prometheus/rules.test.yml"
        )
        #expect(output.contains("16 rules found") && output.contains("\n  SUCCESS"), "\(output)")
        let rules = RepositoryFile.text("Service/alerts.rules.yml")
        let tests = RepositoryFile.text("Tests/gamedTests/Prometheus/rules.test.yml")
        for match in rules.matches(of: /- alert: (\w+)/) {
            let instants = tests.matches(of: /alertname: (\w+), exp_alerts: (\[\]|\[\{)/)
                .filter { $0.1 == match.1 }.map { $0.2 == "[{" }
            #expect(instants == [false, true, false], "\(match.1): before, during and after it")
        }
    }
}
