import Foundation

/// An error at a file or directory, as a sentence that names it.
struct FileError: Error, CustomStringConvertible {
    private let file: URL
    private let error: any Error

    var description: String { "\(file.path): \(error)" }

    /// Calls `work`, which uses a file, and names the file in its error.
    static func naming<Result>(_ file: URL, _ work: () throws -> Result) throws(FileError) -> Result
    {
        do { return try work() } catch { throw FileError(file: file, error: error) }
    }
}
