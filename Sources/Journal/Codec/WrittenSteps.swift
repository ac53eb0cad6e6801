internal import GameFlow
internal import JSONCoding
internal import Support

/// A string of a body: where its bytes are.
struct WrittenText {
    var offset: Int
    let count: Int
}

/// A cache of encoded steps for the writer of a journal, as `StepCache` is for its reader: most rows of a session have the same
/// steps.
struct WrittenSteps: ~Copyable {
    // Each connection is a source of its own, so many clients have many steps, and steps may not share a slot often.
    private var cache = SlotCache<StepIdentity, WrittenStep>(slots: 16, limit: 1024)

    /// The field with a step, as it was written. A step's strings can refer to strings before the step, and later strings of the
    /// body can refer to those of the step.
    final class WrittenStep {
        /// The objects by whose addresses the step is found.
        private let objects: StepObjects
        /// The effects, retained for the same reason.
        private let effects: [EffectRecord]
        /// The bytes of the field.
        let bytes: [UInt8]
        /// The strings that the step added; their offsets count from the first byte of the field.
        let texts: [WrittenText]
        /// The bytes of the strings before the step, one after the other, and where they are.
        private let preceding: (bytes: [UInt8], texts: [WrittenText])

        init(
            _ step: borrowing Step, _ objects: StepObjects, bytes: [UInt8],
            adding texts: [WrittenText], after preceding: (bytes: [UInt8], texts: [WrittenText])
        ) {
            (self.objects, effects) = (objects, step.effects)
            (self.bytes, self.texts, self.preceding) = (bytes, texts, preceding)
        }

        /// Whether a step has these effects and no number of missed beats.
        func has(_ step: borrowing Step) -> Bool {
            step.missed == 0
                && StepIdentity.address(of: effects) == StepIdentity.address(of: step.effects)
        }

        /// Whether the strings before the step are those of a body that is being written.
        func follows(
            _ texts: borrowing GrowingBuffer<WrittenText>, in out: borrowing GrowingBuffer<UInt8>
        ) -> Bool {
            guard preceding.texts.count == texts.count else { return false }
            return preceding.bytes.withUnsafeBufferPointer { bytes in
                for index in 0..<texts.count {
                    let (text, known) = (texts[index], preceding.texts[index])
                    let written = out.elements(from: text.offset, to: text.offset + text.count)
                    let end = known.offset + known.count
                    guard
                        written.hasSameBytes(
                            UnsafeBufferPointer(rebasing: bytes[known.offset..<end]))
                    else { return false }
                }
                return true
            }
        }
    }

    /// Returns the written step with this identity, if it has the effects of `step`.
    func find(_ identity: StepIdentity, _ step: borrowing Step) -> WrittenStep? {
        guard let written = cache.find(identity), written.has(step) else { return nil }
        return written
    }

    /// Stores a step, if it can be found again. It was written as the bytes of `out` from `start` on, after the first `textCount` of the
    /// strings.
    mutating func store(
        _ identity: StepIdentity, _ step: borrowing Step, _ out: borrowing GrowingBuffer<UInt8>,
        from start: Int, _ texts: borrowing GrowingBuffer<WrittenText>, _ textCount: Int
    ) {
        guard step.missed == 0, step.hasSharedEffects, let objects = StepObjects(step) else {
            return
        }
        var preceding = (bytes: [UInt8](), texts: [WrittenText]())
        for index in 0..<textCount {
            let text = texts[index]
            preceding.texts.append(WrittenText(offset: preceding.bytes.count, count: text.count))
            preceding.bytes += out.elements(from: text.offset, to: text.offset + text.count)
        }
        let added = (textCount..<texts.count).map {
            WrittenText(offset: texts[$0].offset - start, count: texts[$0].count)
        }
        let bytes = [UInt8](out.elements(from: start, to: out.count))
        cache.store(
            WrittenStep(step, objects, bytes: bytes, adding: added, after: preceding), identity)
    }
}
