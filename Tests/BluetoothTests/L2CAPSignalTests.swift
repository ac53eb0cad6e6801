import Testing

@testable import Bluetooth

@Suite struct L2CAPSignalTests {
    private typealias Wish = (low: UInt16, high: UInt16, latency: UInt16, supervision: UInt16)

    private func request(_ wish: Wish) -> L2CAPSignal {
        var data: [UInt8] = []
        for word in [wish.low, wish.high, wish.latency, wish.supervision] { data.append(word) }
        return L2CAPSignal(0x12, 7, data)
    }

    /// Whether it is wanted, and answered alike.
    private func isAccepted(_ wish: Wish) throws -> Bool {
        let request = request(wish)
        let answer = try #require(request.answer)
        #expect((answer.code, answer.identifier) == (0x13, 7))
        let isAccepted = answer.data == [0, 0]
        if !isAccepted { #expect(answer.data == [1, 0]) }
        let wanted = isAccepted ? (wish.low...wish.high, wish.latency, wish.supervision) : nil
        #expect(request.wantedLink?.interval == wanted?.0)
        #expect(request.wantedLink?.latency == wanted?.1)
        #expect(request.wantedLink?.supervision == wanted?.2)
        return isAccepted
    }

    @Test func `how a link is to be is accepted up to each bound, and refused just past it`()
        throws
    {
        // Of each pair, the two differ by one in one number.
        let pairs: [(what: String, accepted: Wish, refused: Wish)] = [
            ("the shortest interval", (6, 6, 0, 10), (5, 6, 0, 10)),
            ("the longest interval", (6, 3200, 0, 3200), (6, 3201, 0, 3200)),
            ("an interval in order", (7, 7, 0, 10), (8, 7, 0, 10)),
            ("the most latency", (6, 25, 499, 3200), (6, 25, 500, 3200)),
            ("the shortest supervision", (6, 6, 0, 10), (6, 6, 0, 9)),
            ("the longest supervision", (6, 6, 0, 3200), (6, 6, 0, 3201)),
            ("two calls in a supervision", (6, 3200, 0, 801), (6, 3200, 0, 800)),
            ("two calls, with latency", (6, 100, 3, 101), (6, 100, 3, 100)),
        ]
        for (what, accepted, refused) in pairs {
            #expect(try isAccepted(accepted), "\(what)")
            #expect(try !isAccepted(refused), "\(what)")
        }
    }

    @Test func `no wish of the largest or smallest numbers traps`() throws {
        let words: [UInt16] = [0, 1, .max]
        for low in words {
            for high in words {
                for latency in words {
                    for supervision in words {
                        #expect(try !isAccepted((low, high, latency, supervision)))
                    }
                }
            }
        }
    }

    @Test func `a wish that is too short is refused`() {
        let whole = request((6, 6, 0, 10)).data
        for length in whole.indices {
            let signal = L2CAPSignal(0x12, 9, Array(whole[..<length]))
            #expect(signal.wantedLink == nil)
            #expect(signal.answer == L2CAPSignal(0x13, 9, [1, 0]), "\(length)")
        }
    }

    @Test func `a channel of its own is refused, as no such service is here`() {
        let data: [UInt8] = [0x80, 0, 0x40, 0, 0xFF, 0, 0xFF, 0, 1, 0]
        let answer = L2CAPSignal(0x14, 3, data).answer
        #expect(answer == L2CAPSignal(0x15, 3, [0, 0, 0, 0, 0, 0, 0, 0, 2, 0]))
        #expect(L2CAPSignal(0x14, 3, data).wantedLink == nil)
    }

    @Test func `answers get no answer, and what is unknown is rejected`() {
        for code in UInt8.min...UInt8.max {
            let signal = L2CAPSignal(code, 5, [])
            switch code {
            case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x16, 0x18, 0x1A:
                #expect(signal.answer == nil, "\(code)")
            case 0x12, 0x14: #expect(signal.answer?.code == code + 1)
            // Not understood.
            default: #expect(signal.answer == L2CAPSignal(0x01, 5, [0, 0]), "\(code)")
            }
        }
    }

    @Test func `what is written is read, and nil where it is cut off`() {
        let signal = request((6, 12, 1, 300))
        let payload = signal.frame.payload
        #expect(signal.frame.channel == 5)
        #expect(payload == [0x12, 7, 8, 0, 6, 0, 12, 0, 1, 0, 0x2C, 1])
        #expect(L2CAPSignal(payload) == signal)
        for length in payload.indices {
            #expect(L2CAPSignal(Array(payload[..<length])) == nil, "\(length)")
        }
        #expect(L2CAPSignal([0x12, 7, 0xFF, 0xFF, 6, 0]) == nil)
        // What is behind its end belongs to nothing.
        #expect(L2CAPSignal(payload + [1, 2]) == signal)
    }
}
