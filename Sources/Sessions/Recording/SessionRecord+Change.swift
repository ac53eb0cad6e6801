internal import GameFlow
internal import Timers

extension SessionRecord {
    /// The newest change of its session by then; nil where it says nothing of that.
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

    /// The entry that the record names. Journals of version 1 name none: there it is the newest change, which no request
    /// can have named before.
    private func entry(_ newest: Int) -> Int {
        guard let entry = status?.entry, entry > 0 else { return newest }
        return entry
    }

    /// The answer that the record's request got.
    var answer: Change? {
        guard case .rest(let rest) = body, let answer = rest.answer, let session else {
            return change
        }
        return Change(
            session, seq: seq, pos: rest.lastPos, entry: entry(rest.lastPos), previous: 0, at: at,
            answer.step, order: answer.order)
    }
}
