import JSONCoding
package import Parts
import Support

/// Finds paths of devices with a number that may be that of another device after the next start, for `--check`.
package enum DevicePathNote {
    /// A note if the path of a connection's line begins with one of `numbered` and ends with a number. `links` is the folder in
    /// which udev makes a link for each device whose name does not change.
    package static func note(
        _ line: ConfigurationFile.Line, in file: ConfigurationFile, numbered: [String],
        links: String
    ) -> ConfigurationError? {
        let bareWords = line.words.filter { $0.pair == nil }
        guard bareWords.count == 2 else { return nil }
        let path = bareWords[1].text
        let isNumbered = numbered.contains { beginning in
            path.hasPrefix(beginning) && path.utf8.count > beginning.utf8.count
                && path.utf8.dropFirst(beginning.utf8.count).allSatisfy {
                    (0x30...0x39).contains($0)
                }
        }
        guard isNumbered else { return nil }
        let link = link(to: path, in: links)
        return file.mistake(
            line, bareWords[1],
            "\(path): the number can be that of another device when devices are plugged in again; "
                + (link.map { "\($0) is this device" } ?? "use a link of \(links)"))
    }

    /// The link in `folder` that leads to the device at `path`, the first by name; nil without such a link.
    package static func link(to path: String, in folder: String) -> String? {
        guard let device = FilePath.resolved(path) else { return nil }
        let links = (FilePath.names(inDirectory: folder) ?? []).map { "\(folder)/\($0)" }
        return links.first { FilePath.resolved($0) == device }
    }
}
