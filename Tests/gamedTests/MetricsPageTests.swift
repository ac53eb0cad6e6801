import Support
import Testing

@testable import Connections
@testable import Parts

/// The text of the metrics: labels, their limits, and what readers without rights get.
@Suite struct MetricsPageTests {
    private func text(_ page: MetricsPage) -> String { String(decoding: page.end(), as: UTF8.self) }

    /// The samples of a family, without the lines about it.
    private func samples(_ page: MetricsPage, _ family: MetricFamily) -> [String] {
        text(page).split(separator: "\n").map(String.init).filter { $0.hasPrefix(family.name) }
    }

    @Test func `every family has its type and its help, also without a series`() {
        let page = text(MetricsPage())
        for family in MetricFamily.all {
            #expect(page.contains("# TYPE \(family.name) \(family.kind.rawValue)\n"))
            #expect(page.contains("# HELP \(family.name) \(family.help)\n"))
        }
        #expect(page.hasSuffix("\n# EOF\n"))
        #expect(Set(MetricFamily.all.map(\.name)).count == MetricFamily.all.count)
    }

    @Test func `values of labels are escaped`() {
        var page = MetricsPage()
        page.add(.inputs, ["a\"b\\c\nd"], 1)
        #expect(samples(page, .inputs) == [#"gamed_inputs_total{name="a\"b\\c\nd"} 1"#])
    }

    @Test func `series that differ in private labels only are added up, or the smallest is shown`()
    {
        var page = MetricsPage(isComplete: false)
        for (name, isUp) in [("door", 1), ("stage", 0), ("lamp", 1)] {
            page.add(.connectionUp, [name, "serial"], isUp)
            page.add(.inputs, [name], 2)
            page.add(.limited, ["requests", "token:\(name)"], 3)
        }
        page.add(.certificateExpiry, ["a.pem"], 20)
        page.add(.certificateExpiry, ["b.pem"], 10)
        page.add(.refusals, ["game", "stale", "unix"], 1)
        page.add(.refusals, ["game", "stale", "web"], 1)
        #expect(samples(page, .connectionUp) == [#"gamed_connection_up{kind="serial"} 0"#])
        #expect(samples(page, .inputs) == ["gamed_inputs_total 6"])
        #expect(samples(page, .limited) == [#"gamed_limited_total{limit="requests"} 9"#])
        #expect(
            samples(page, .certificateExpiry) == ["gamed_certificate_expiry_timestamp_seconds 10"])
        #expect(
            samples(page, .refusals) == [#"gamed_refusals_total{flow="game",reason="stale"} 2"#])
        let shown = text(page)
        for label in MetricFamily.privateLabels { #expect(!shown.contains("\(label)=\"")) }
    }

    @Test func `a family has at most a thousand series, and the last one is for all others`() {
        var page = MetricsPage()
        for number in 1...1500 { page.add(.transitions, ["f", "a\(number)", "b"], 1) }
        page.add(.transitions, ["f", "a1", "b"], 1)
        let found = samples(page, .transitions)
        #expect(found.count == MetricsPage.seriesLimit)
        #expect(found.first == #"gamed_transitions_total{flow="f",from="a1",to="b"} 2"#)
        #expect(
            found.last == #"gamed_transitions_total{flow="other",from="other",to="other"} 501"#)
    }

    @Test func `a histogram has its buckets, its count and its sum in seconds`() {
        var histogram = Histogram.times
        histogram.add(1_000_000)
        histogram.add(40_000_000_000)
        var page = MetricsPage()
        page.add(.requestSeconds, ["send"], histogram)
        let found = samples(page, .requestSeconds)
        #expect(found.count == Histogram.bucketCount + 3)
        #expect(found[0] == #"gamed_request_seconds_bucket{method="send",le="0.000065536"} 0"#)
        #expect(found[4] == #"gamed_request_seconds_bucket{method="send",le="0.001048576"} 1"#)
        #expect(found[20] == #"gamed_request_seconds_bucket{method="send",le="+Inf"} 2"#)
        #expect(found[22] == #"gamed_request_seconds_sum{method="send"} 40.001"#)
    }

    @Test(arguments: [
        (0, "0.0"), (1, "0.000000001"), (-1_500_000_000, "-1.5"), (.min, "-9223372036.854775808"),
    ])
    func `nanoseconds are written as seconds`(_ value: Int, _ text: String) {
        #expect(MetricsPage.text(value, .nanoseconds) == text)
    }

    @Test func `the first ten principals that are limited keep a count of their own`() {
        var limited = LimitedRequests()
        for number in 1...12 { limited.count("requests", "token:\(number)") }
        limited.count("requests", "token:3")
        limited.count("clients", "token:12")
        var counts: [String: Int] = [:]
        limited.forEachCount { counts["\($0) \($1)"] = $2 }
        #expect(counts.count == 12)
        #expect(counts["requests token:3"] == 2 && counts["requests other"] == 2)
        #expect(counts["clients other"] == 1)
    }
}
