/// The samples of a running daemon, as the parser of Prometheus reads them.
struct MetricSamples {
    private let values: [String: Double]
    /// What the parser has printed, for the message of a test that fails.
    let text: String

    /// Reads all samples of a daemon with `--metrics`.
    init(of daemon: DaemonProcess) {
        text = ShellCommand.run(
            ".venv/bin/python Tests/gamedTests/Clients/samples.py $METRICS", daemon)
        let pairs = text.split(separator: "\n").map { $0.split(separator: "\t") }
        values = Dictionary(
            pairs.compactMap { pair in
                pair.count == 2 ? Double(pair[1]).map { (String(pair[0]), $0) } : nil
            }
        ) { $1 }
    }

    /// The value of a sample such as `gamed_sessions{flow=game,state=paused}`.
    subscript(sample: String) -> Double? { values[sample] }

    /// The sum of the samples of this name, whatever labels they have; nil without a sample.
    func sum(_ name: String) -> Double? {
        let found = values.filter { $0.key == name || $0.key.hasPrefix("\(name){") }.values
        return found.isEmpty ? nil : found.reduce(0, +)
    }
}
