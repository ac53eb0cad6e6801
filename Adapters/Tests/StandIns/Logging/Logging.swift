/// The declarations of swift-log that the adapters and their tests use. They have the same signatures as those of the package.
public struct Logger: Sendable {
    public enum Level: String, CaseIterable, Sendable {
        case trace, debug, info, notice, warning, error, critical
    }

    public typealias Metadata = [String: MetadataValue]

    public enum MetadataValue: Equatable, Sendable {
        case string(String)
    }

    public struct Message: ExpressibleByStringInterpolation, Equatable, CustomStringConvertible,
        Sendable
    {
        public let description: String
        public init(stringLiteral value: String) { description = value }
    }

    public let label: String
    private let handler: any LogHandler

    public init(label: String, factory: (String) -> any LogHandler) {
        (self.label, handler) = (label, factory(label))
    }

    public var logLevel: Logger.Level { handler.logLevel }

    public func log(
        level: Logger.Level, _ message: @autoclosure () -> Logger.Message,
        metadata: @autoclosure () -> Logger.Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID,
        function: String = #function, line: UInt = #line
    ) {
        guard logLevel <= level else { return }
        handler.log(
            level: level, message: message(), metadata: metadata(), source: source() ?? "",
            file: file, function: function, line: line)
    }
}

extension Logger.Level: Comparable {
    public static func < (a: Self, b: Self) -> Bool {
        allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }
}

public protocol LogHandler: Sendable {
    func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String,
        file: String, function: String, line: UInt)
    subscript(metadataKey key: String) -> Logger.MetadataValue? { get set }
    var metadata: Logger.Metadata { get set }
    var logLevel: Logger.Level { get set }
}
