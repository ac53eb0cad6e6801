import JSONCoding
import Sessions
import Testing
import Timers

@testable import RPC

/// The output to a client whose replies wait for results from other threads or nodes.
@Suite struct ReplyBufferTests {
    private let buffer = ReplyBuffer()
    private let meter = RequestMeter(VirtualClock().timerQueue)

    /// Writes a batch whose requests have results that arrive later, as the JSON dialect does. The tickets begin with 1.
    private func writeBatch(of count: Int) {
        buffer.writer.raw("[")
        for id in 1...count {
            let result = DeferredResult(assumedBytes: 0) { _ in }
            buffer.holdIfNecessary(
                .deferred(result), of: .history, from: buffer.writer.count, durable: 0, meter
            ) {
                .json(id: .number(id))
            }
        }
        buffer.writer.raw("]\n")
    }

    private func deliver(_ ticket: Int, _ result: String) {
        buffer.deliver(ticket, .success { $0.raw(Array(result.utf8)) })
    }

    private func sendable() -> String {
        String(decoding: buffer.takeSendableBytes(), as: UTF8.self)
    }

    @Test func `the results of a batch are written in one pass, when the last has arrived`() {
        writeBatch(of: 3)
        let placeholders = buffer.unsent
        deliver(3, "30")
        deliver(1, "10")
        #expect(buffer.unsent == placeholders)
        #expect(buffer.isFetching)
        #expect(buffer.isWaiting)
        deliver(2, "20")
        #expect(!buffer.isFetching)
        #expect(!buffer.isWaiting)
        let replies = [1, 2, 3].map { #"{"jsonrpc":"2.0","id":\#($0),"result":\#($0)0}"# }
        #expect(sendable() == "[\(replies.joined(separator: ","))]\n")
    }

    @Test func `a notification during a batch is sent after the replies, when its row is durable`()
    {
        writeBatch(of: 2)
        buffer.append(line: Array("first\n".utf8), row: 1, durable: 0)
        deliver(1, "10")
        buffer.release(upTo: 1)
        buffer.append(line: Array("second\n".utf8), row: 2, durable: 1)
        #expect(sendable() == "[")
        deliver(2, "20")
        let replies = [1, 2].map { #"{"jsonrpc":"2.0","id":\#($0),"result":\#($0)0}"# }
        #expect(sendable() == "\(replies.joined(separator: ","))]\nfirst\n")
        buffer.release(upTo: 2)
        #expect(sendable() == "second\n")
    }

    @Test func `a failed store replaces no result, and a result after the failure arrives`() {
        writeBatch(of: 2)
        buffer.append(line: Array("lost\n".utf8), row: 1, durable: 0)
        deliver(2, "20")
        let withdrawn = buffer.fail(after: 0, .storage(why: "the disk is full", outcome: .undone))
        #expect(!withdrawn.hasReply)
        deliver(1, "10")
        let replies = [1, 2].map { #"{"jsonrpc":"2.0","id":\#($0),"result":\#($0)0}"# }
        #expect(sendable() == "[\(replies.joined(separator: ","))]\n")
    }
}
