public import GameFlow
public import JSON
public import Timers

/// What a record says was done, for who does it again.
public enum Deed {
    /// The daemon began, or began again, at an instant; it was last known to be up at another.
    case start(at: Instant, lastSign: Instant)
    /// The virtual clock was moved to there; whether not all that was due there has fired.
    case advance(to: Instant, isCutShort: Bool)
    /// A timer of the session fired, that many beats late.
    case firing(signal: String, missed: Int)
    case open(flow: String, state: String, data: [Member], source: Source)
    case close(source: Source)
    case send(event: String, arguments: [Member], source: Source)
    case goto(state: String, data: [Member], reason: String?, source: Source)
    case operate(TimerOperation, source: Source)
    /// It came of the change before it.
    case consequence
    /// An event was refused by an error of that name, which changed nothing. `isWhole` tells whether the
    /// journal has all of its arguments.
    case refusal(
        event: String, arguments: [Member], source: Source, why: String, isWhole: Bool)
    /// A session that could not be taken up again was given up.
    case givenUp

    /// Reads a record; nil if it cannot be read, with a reason.
    public static func read(_ record: SessionRecord) -> Result<Deed, Unreadable> {
        do throws(RecordReader.Damage) {
            return .success(try deed(record))
        } catch { return .failure(Unreadable(why: error.why)) }
    }

    /// Why a record cannot be read.
    public struct Unreadable: Error { public let why: String }

    private static func deed(_ record: SessionRecord) throws(RecordReader.Damage) -> Deed {
        switch record.kind {
        case .refusal: return try refusal(Fields(record.body))
        case .daemon: return try daemon(Fields(record.body))
        case .rest:
            let read = try RecordReader(record)
            if let answer = read.answer, let event = answer.event {
                return .send(
                    event: event.name, arguments: event.arguments, source: answer.source)
            }
            guard !read.follows, let fired = read.fired else { return .consequence }
            return .firing(signal: fired, missed: 0)
        case .change: return try change(RecordReader(record))
        }
    }

    private static func daemon(_ body: Fields) throws(RecordReader.Damage) -> Deed {
        let now = try body.instant("nowNs")
        guard try body.text("kind") == "start" else {
            return .advance(to: now, isCutShort: body.find("more") != nil)
        }
        return .start(at: now, lastSign: try body.instant("lastSignNs"))
    }

    private static func refusal(_ body: Fields) throws(RecordReader.Damage) -> Deed {
        let event = try body.object("event")
        return .refusal(
            event: try event.text("name"), arguments: try event.object("args").members,
            source: try RecordReader.source(body.object("source")),
            why: try body.object("error").text("message"),
            isWhole: event.find("omittedBytes") == nil)
    }

    private static func change(_ read: RecordReader) throws(RecordReader.Damage) -> Deed {
        if read.follows { return .consequence }
        let step = read.step
        switch (step.kind, read.order) {
        case (.open, _):
            guard let to = step.to else { throw .init(why: "to: missing") }
            return .open(
                flow: read.flow, state: to.state, data: to.data, source: step.source)
        case (.close, _): return read.flow.isEmpty ? .givenUp : .close(source: step.source)
        case (.goto, .override(let reason)):
            guard let to = step.to else { throw .init(why: "to: missing") }
            return .goto(state: to.state, data: to.data, reason: reason, source: step.source)
        case (_, .timer(let operation)): return .operate(operation, source: step.source)
        default: break
        }
        guard let event = step.event else { throw .init(why: "event: missing") }
        if step.source.kind == .timer { return .firing(signal: event.name, missed: step.missed) }
        return .send(event: event.name, arguments: event.arguments, source: step.source)
    }
}
