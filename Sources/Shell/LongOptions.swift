internal import CLinux
internal import Glibc
public import Support
internal import Synchronization

/// An error in a command line, with a message for the user.
public struct UsageError: DescribedError, Equatable {
    public let why: String
    public init(_ why: String) { self.why = why }
}

/// A parsed command line.
public struct LongOptions: Sendable {
    /// The given options, in their order.
    public private(set) var givenOptions: [(name: String, value: String?)] = []
    /// The other arguments in their order.
    public private(set) var words: [String] = []

    /// getopt(3) keeps its state in global variables, so only one thread at a time may use getopt(3).
    private static let getoptLock = Mutex(())

    /// Parses the arguments of a program; `arguments` does not contain the program's name. Options may be at any position
    /// before `--`, and may be abbreviated if the abbreviation is unambiguous. Wraps getopt_long(3).
    public init(_ arguments: [String], _ options: [LongOption]) throws(UsageError) {
        self = try Self.getoptLock.withLock { _ throws(UsageError) in
            var line = LongOptions()
            try line.scan(arguments, options)
            return line
        }
    }

    /// getopt_long returns this value for the first option of its table, the next value for the second option, and so on. For
    /// an error it returns a character, which is less than 256.
    private static let firstOptionValue: Int32 = 256

    private init() {}

    private mutating func scan(_ arguments: [String], _ options: [LongOption])
        throws(UsageError)
    {
        // getopt_long ignores the first element, which is usually the program's name.
        var argv = (["-"] + arguments).map { strdup($0) } + [nil]
        let names = options.map { strdup($0.name) }
        defer { for text in argv + names { free(text) } }
        // An empty element ends the table.
        let table =
            zip(options, names).enumerated().map { (index, pair) -> option in
                let (longOption, name) = pair
                return option(
                    name: name, has_arg: longOption.value == nil ? 0 : 1, flag: nil,
                    val: Self.firstOptionValue + Int32(index))
            } + [option()]
        let count = Int32(arguments.count + 1)
        linux_begin_options()
        var lastValue: UnsafeMutablePointer<CChar>?
        while true {
            // With the `:`, getopt_long returns `:` for a missing value.
            let optionValue = getopt_long(count, &argv, ":", table, nil)
            let endOfOptions: Int32 = -1
            if optionValue == endOfOptions { break }
            switch optionValue {
            case Int32(UInt8(ascii: ":")):
                throw UsageError("\(Self.refusedArgument(argv, lastValue)) needs a value")
            case Self.firstOptionValue...:
                let option = options[Int(optionValue - Self.firstOptionValue)]
                lastValue = linux_option_value()
                givenOptions.append((option.name, lastValue.map { String(cString: $0) }))
            default: throw Self.optionError(Self.refusedArgument(argv, lastValue), options)
            }
        }
        words = (Int(linux_option_index())..<Int(count)).map { String(cString: argv[$0]!) }
    }

    /// The value of an option; the last value if the option is given more than once. Nil if the option is not given.
    public func value(_ name: String) -> String? {
        givenOptions.last { $0.name == name }?.value
    }

    /// Whether an option is given.
    public func has(_ name: String) -> Bool { givenOptions.contains { $0.name == name } }

    /// The argument at an index; empty if no argument has this index.
    private static func argument(_ argv: [UnsafeMutablePointer<CChar>?], at index: Int32) -> String
    {
        Int(index) < argv.count ? argv[Int(index)].map { String(cString: $0) } ?? "" : ""
    }

    /// The argument that getopt_long has just refused. No option is a single letter, so getopt_long refuses the first letter of
    /// an argument such as `-ab`. If further letters follow, getopt_long has not moved on to the next argument. The argument
    /// before the index is then not the refused argument; it can be `lastValue`, the value of the last accepted option.
    private static func refusedArgument(
        _ argv: [UnsafeMutablePointer<CChar>?], _ lastValue: UnsafeMutablePointer<CChar>?
    ) -> String {
        let index = linux_option_index()
        if let lastValue, argv[Int(index) - 1] == lastValue { return argument(argv, at: index) }
        let previous = argument(argv, at: index - 1)
        guard let letter = UInt8(exactly: linux_refused_letter()), letter != 0 else {
            return previous
        }
        let isSingleLetter = previous.utf8.elementsEqual([UInt8(ascii: "-"), letter])
        return isSingleLetter ? previous : argument(argv, at: index)
    }

    /// The error for an argument that is no option, or for an option with a value that the option does not take.
    private static func optionError(_ argument: String, _ options: [LongOption]) -> UsageError {
        let name = String(argument.drop { $0 == "-" }.prefix { $0 != "=" })
        let suggestions = DidYouMean.suggest(name, options.map(\.name))
        let hint =
            suggestions.isEmpty
            ? "" : "; did you mean --\(suggestions.joined(separator: ", --"))?"
        let takesNoValue = options.contains { $0.name == name && $0.value == nil }
        return UsageError(
            takesNoValue ? "--\(name) takes no value" : "unknown option \(argument)\(hint)")
    }
}

/// A command-line option, such as `--socket PATH`, with its texts for the help, the manual and the
/// shell completions.
///
/// `sentence` and `details` may contain markup:
/// - `` `words` `` are literal.
/// - `$NAME` is an environment variable.
/// - `/path` is a file.
/// - `name(8)` is a manual page.
/// - `[Title]` is a section of the program's manual.
public struct LongOption: Sendable {
    public let name: String
    /// The value as the help shows it, such as `PATH` or `real|virtual`: a placeholder in
    /// capitals, or literal words. Nil if the option takes no value.
    public let value: String?
    /// The default value, for the help; nil if there is none.
    public var defaultValue: String?
    /// The effect of the option, in one sentence.
    public let sentence: String
    /// The additional text of the manual.
    public let details: String

    public init(
        _ name: String, value: String? = nil, defaultValue: String? = nil, _ sentence: String = "",
        details: String = ""
    ) {
        (self.name, self.value, self.defaultValue) = (name, value, defaultValue)
        (self.sentence, self.details) = (sentence, details)
    }

    /// The allowed words, if the value is one of a list such as `real|virtual`; else empty.
    public var choices: [String] {
        let words = value?.split(separator: "|").map(String.init) ?? []
        return words.allSatisfy { $0.allSatisfy { $0.isLowercase } } ? words : []
    }
}
