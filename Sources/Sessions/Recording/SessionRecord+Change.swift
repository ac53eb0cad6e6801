internal import GameFlow
internal import Timers

extension SessionRecord {
    /// The newest change of the session at the time of the record; nil if the record does not contain it.
    var change: Change? {
        guard let session else { return nil }
        switch body {
        case .change(let changed):
            return Change(
                session, seq: seq, pos: pos, entry: entry(pos), previous: 0, at: at,
                changed.did.step, order: changed.did.order)
        case .rest(let rest):
            return Change(
                session, seq: seq, pos: rest.lastPos, entry: entry(rest.lastPos), previous: 0,
                at: rest.lastAt, rest.last.step, order: rest.last.order)
        case .givenUp(_, let source):
            return Change(
                session, seq: seq, pos: pos, entry: 0, previous: 0, at: at,
                Step(.close, from: source.source, nil, nil))
        case .refusal, .start, .advance, .forgotten: return nil
        }
    }

    /// Returns the entry in the record. Journals of version 1 contain none; the newest change takes its place,
    /// because no request can have named it before.
    private func entry(_ newest: Int) -> Int {
        guard let entry = status?.entry, entry > 0 else { return newest }
        return entry
    }

    /// The answer to the request that caused the record.
    var answer: Change? {
        guard case .rest(let rest) = body, let answer = rest.answer, let session else {
            return change
        }
        return Change(
            session, seq: seq, pos: rest.lastPos, entry: entry(rest.lastPos), previous: 0, at: at,
            answer.step, order: answer.order)
    }
}
