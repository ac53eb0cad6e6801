import Bluetooth
import Glibc

/// The file that describes a simulated radio.
enum ScenarioFile {
    /// All that is wrong with it, a sentence each.
    struct Unusable: Error {
        let sentences: [String]
    }

    static func read(_ path: String) throws(Unusable) -> RadioScenario {
        func failed(_ why: String) -> Unusable { Unusable(sentences: ["\(path): \(why)"]) }
        guard let file = fopen(path, "re") else { throw failed(String(cString: strerror(errno))) }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: RadioScenarioReader.byteLimit + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw failed("cannot be read") }
        let (scenario, mistakes) = RadioScenarioReader.read(Array(bytes[..<count]))
        guard mistakes.isEmpty else {
            throw Unusable(
                sentences: mistakes.map {
                    $0.line == 0
                        ? "\(path): \($0.why)" : "\(path):\($0.line):\($0.column): \($0.why)"
                })
        }
        return scenario
    }
}
