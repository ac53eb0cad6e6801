import GameFlow
import JSONCoding

/// The samples of a running daemon, as the parser of Prometheus reads them.
struct MetricSamples {
    private let values: [String: Double]
    /// The labels of each sample of a name, with their values.
    private let labels: [String: [[String: String]]]
    /// What the parser has printed, for the message of a test that fails.
    let text: String

    /// Reads all samples of a daemon with `--metrics`.
    init(of daemon: DaemonProcess) {
        text = ShellCommand.run(
            ".venv/bin/python Tests/gamedTests/Clients/samples.py $METRICS", daemon)
        let lines = text.split(separator: "\n").map { $0.split(separator: "\t") }
            .filter { $0.count == 4 }
        values = Dictionary(
            lines.compactMap { line in Double(line[1]).map { (String(line[0]), $0) } }
        ) { $1 }
        var labels: [String: [[String: String]]] = [:]
        for line in lines {
            guard case .object(let members)? = Value(json: Array(line[3].utf8)) else { continue }
            let pairs = members.map { ($0.name, $0.value.text ?? "") }
            labels[String(line[2]), default: []].append(Dictionary(pairs) { $1 })
        }
        self.labels = labels
    }

    /// The value of a sample such as `gamed_sessions{flow=game,state=paused}`.
    subscript(sample: String) -> Double? { values[sample] }

    /// The sum of the samples of this name, whatever labels they have; nil without a sample.
    func sum(_ name: String) -> Double? {
        let found = values.filter { $0.key == name || $0.key.hasPrefix("\(name){") }.values
        return found.isEmpty ? nil : found.reduce(0, +)
    }

    /// The labels that samples of this name have; nil without a sample.
    func labels(of name: String) -> Set<String>? {
        labels[name].map { Set($0.flatMap(\.keys)) }
    }

    /// Whether a sample of this name has the label with this value.
    func has(_ name: String, _ label: String, _ value: String) -> Bool {
        labels[name]?.contains { $0[label] == value } == true
    }
}
