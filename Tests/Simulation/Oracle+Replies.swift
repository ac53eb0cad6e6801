import Durability
import GameFlow
import Journal
import RPC
import Sessions
import TestSupport
import Timers

/// Reads the replies and notifications that a client has received, and matches replies with requests in their order.
extension Oracle {
    func receive(_ line: [UInt8], _ client: Client) throws(InvariantViolation) {
        if line.first == UInt8(ascii: "[") { return try receiveBatch(line, client) }
        if line.first != UInt8(ascii: "{") { return try receiveText(line, client) }
        let body = JournalReader.read(line)
        if let method = body.text("method") {
            return try checkNotification(method, body.object("params") ?? [], client)
        }
        guard case .one(let request)? = client.takeExpectedReply() else {
            throw InvariantViolation("an answer without a request")
        }
        try checkNumber(body, request)
        try checkAnswer(body, to: request, client)
    }

    func checkNumber(_ body: [Member], _ request: SentRequest) throws(InvariantViolation) {
        try expect(
            body.number("id") == request.number,
            "the answer to \(body.number("id") ?? -1) arrives in place of that to \(request.number)"
        )
    }

    func receiveBatch(_ line: [UInt8], _ client: Client) throws(InvariantViolation) {
        guard case .batch(let requests)? = client.takeExpectedReply() else {
            throw InvariantViolation("an array of answers without a batch")
        }
        let bodies = JournalReader.read(Array("{\"all\":".utf8) + line + Array("}".utf8)).list(
            "all")
        try expect(
            bodies.count == requests.count,
            "\(bodies.count) answers to \(requests.count) requests: \(String(decoding: line, as: UTF8.self))"
        )
        for (body, request) in zip(bodies, requests) {
            try checkNumber(body, request)
            try checkAnswer(body, to: request, client)
        }
    }

    func receiveText(_ line: [UInt8], _ client: Client) throws(InvariantViolation) {
        guard case .text(let request)? = client.takeExpectedReply() else {
            throw InvariantViolation("a text reply without a text request")
        }
        let text = String(decoding: line, as: UTF8.self)
        let body = JournalReader.read(
            Array(text[(text.firstIndex(of: "{") ?? text.endIndex)...].utf8))
        guard text.hasPrefix("ERR ") else { return try checkResult(body, request, client) }
        let name = String(text.dropFirst(4).prefix { $0 != " " })
        try checkRefusal(
            [Member("message", name), Member("data", .object(body))], request, client)
    }
}
