package import GameFlow
internal import Timers

/// What a change of some kind has besides its step: for example the reason of an operator's override, or the operation on a
/// timer.
package protocol ChangeDetails: Equatable, Sendable {
    /// The codes with which a journal's row begins such details. A code is never reused for other details.
    static var codes: ClosedRange<UInt8> { get }

    /// Whether the details belong to the first step of a call, whatever its kind, and to no other.
    static var isOfFirstStep: Bool { get }

    /// Reads details that begin with one of the codes.
    init(code: UInt8, from reader: inout some DetailsReader) throws(UnreadableRowError)

    /// Writes the code, and what `init(code:from:)` reads.
    func write(to writer: inout some DetailsWriter & ~Copyable)

    /// Finds the details in the members of a change in JSON; nil if they are not there. A client may not see them all.
    init?(in change: [Member])

    /// The members of a change in JSON.
    var members: [Member] { get }

    /// The members of the record in an exported journal. Members of the session after the change may have the same names as
    /// those of the change, which are then named differently.
    var recordMembers: [Member] { get }

    /// What callers may see who may not operate the session; nil if they may see nothing. `hidden` are the names that the
    /// session's flow hides from them.
    func visible(hiding hidden: HiddenNames?) -> Self?

    /// The text about the details in the line of a change; nil if the line needs none.
    func text(_ format: some DetailsFormat) -> String?

    /// The approximate number of bytes from clients that the details retain.
    var weight: Int { get }

    /// The numbers (`seq`) of the changes that the change took back; nil if it took none back.
    var undone: ClosedRange<Int>? { get }
}

extension ChangeDetails {
    package static var isOfFirstStep: Bool { false }
    package var recordMembers: [Member] { members }
    package func visible(hiding hidden: HiddenNames?) -> Self? { self }
    package func text(_ format: some DetailsFormat) -> String? { nil }
    package var weight: Int { 0 }
    package var undone: ClosedRange<Int>? { nil }

    /// Whether other details have the same type and the same content.
    fileprivate func equals(_ other: any ChangeDetails) -> Bool { other as? Self == self }
}

extension Change {
    /// The details of a change of any kind. An object, so that they take only a nil reference in a change without details.
    package final class Details: Equatable, Sendable {
        package let value: any ChangeDetails
        /// See `ChangeDetails.isOfFirstStep`.
        var isOfFirstStep: Bool { type(of: value).isOfFirstStep }

        package init(_ value: some ChangeDetails) { self.value = value }

        package static func == (a: Details, b: Details) -> Bool { a.value.equals(b.value) }
    }
}

extension Change.Details {
    /// Reads details that any kind has written.
    package convenience init(from reader: inout some DetailsReader) throws(UnreadableRowError) {
        let code = try reader.byte()
        guard let type = ChangeKind.details(code: code) else {
            throw UnreadableRowError(why: "a command of kind \(code) has an unknown version")
        }
        self.init(try type.init(code: code, from: &reader))
    }
}

/// Reads the fields of details from the bytes of a row.
package protocol DetailsReader {
    mutating func byte() throws(UnreadableRowError) -> UInt8
    mutating func string() throws(UnreadableRowError) -> String
    /// A number of nanoseconds, or another number of either sign.
    mutating func signed() throws(UnreadableRowError) -> Int64
    /// A number that is not negative; `name` names it in the error.
    mutating func count(_ name: @autoclosure () -> String) throws(UnreadableRowError) -> Int
    mutating func members() throws(UnreadableRowError) -> [Member]
}

/// Writes the fields of details to the bytes of a row. `DetailsReader` has the function that reads each field.
package protocol DetailsWriter: ~Copyable {
    mutating func byte(_ byte: UInt8)
    mutating func string(_ text: String)
    mutating func signed(_ number: Int64)
    mutating func count(_ number: Int)
    mutating func members(_ members: [Member])
}

/// How a program writes values in a line about a change.
package protocol DetailsFormat {
    /// A text from outside, which may contain any characters.
    func text(_ text: String) -> String
    /// Members whose values are texts.
    func texts(_ members: [Member]) -> String
    func length(_ duration: Duration) -> String
}
