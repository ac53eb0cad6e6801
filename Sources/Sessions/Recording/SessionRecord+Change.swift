internal import GameFlow
internal import Timers

extension SessionRecord {
    /// The newest change of its session by then; nil where it says nothing of that.
    var change: Change? {
        guard let session else { return nil }
        switch body {
        case .change(let changed):
            return Change(
                session, seq: seq, pos: pos, previous: 0, at: Moment(at), changed.did.step,
                order: changed.did.order)
        case .rest(let rest):
            return Change(
                session, seq: seq, pos: rest.lastPos, previous: 0, at: Moment(rest.lastAt),
                rest.last.step, order: rest.last.order)
        case .givenUp(_, let source):
            return Change(
                session, seq: seq, pos: pos, previous: 0, at: Moment(at),
                Step(.close, from: source.source, nil, nil))
        case .refusal, .start, .advance, .forgotten: return nil
        }
    }

    /// The answer that the record's request got.
    var answer: Change? {
        guard case .rest(let rest) = body, let answer = rest.answer, let session else {
            return change
        }
        return Change(
            session, seq: seq, pos: rest.lastPos, previous: 0, at: Moment(at), answer.step,
            order: answer.order)
    }
}
