import Bluetooth

/// Reads the file that describes a simulated radio. Mistakes are reported like those of a
/// configuration.
enum ScenarioFile {
    /// All mistakes in the file.
    struct Unusable: Error {
        let mistakes: [ConfigurationFile.Mistake]
        var sentences: [String] { mistakes.map(\.sentence) }
    }

    static func read(_ path: String) throws(Unusable) -> RadioScenario {
        let bytes: [UInt8]
        do throws(ConfigurationFile.Mistake) {
            bytes = try ConfigurationFile.contents(of: path)
        } catch {
            throw Unusable(mistakes: [error])
        }
        let (scenario, mistakes) = RadioScenarioReader.read(bytes)
        guard mistakes.isEmpty else {
            throw Unusable(
                mistakes: mistakes.map {
                    ConfigurationFile.Mistake(
                        path: path, line: $0.line, column: $0.column, why: $0.why)
                })
        }
        return scenario
    }
}
