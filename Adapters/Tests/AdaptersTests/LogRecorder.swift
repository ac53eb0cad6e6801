import Logging
import Synchronization

/// A log handler that keeps what is logged.
struct LogRecorder: LogHandler {
    /// The messages, each as `LEVEL TEXT` and the sorted metadata.
    final class Messages: Sendable {
        private let list = Mutex<[String]>([])

        var texts: [String] { list.withLock { $0 } }
        func append(_ text: String) { list.withLock { $0.append(text) } }
    }

    let messages = Messages()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String,
        file: String, function: String, line: UInt
    ) {
        let fields = (metadata ?? [:]).map { key, value in
            if case .string(let text) = value { "\(key)=\(text)" } else { key }
        }
        messages.append((["\(level) \(message)"] + fields.sorted()).joined(separator: " "))
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}
