import Durability
import GameFlow
import Journal
import RPC
import Sessions
import TestSupport
import Timers

/// What clients hear, and whose answer it is.
extension World {
    func listen() throws(InvariantViolation) {
        let client = random.pick(clients)
        for line in client.read(random.below(4) == 0 ? random.below(200) : .max) {
            try hear(line, client)
        }
    }

    func hear(_ line: [UInt8], _ client: Client) throws(InvariantViolation) {
        if line.first == UInt8(ascii: "[") { return try hearBatch(line, client) }
        if line.first != UInt8(ascii: "{") { return try hearText(line, client) }
        let body = JournalReader.read(line)
        if let method = body.text("method") {
            return try witness.notification(method, body.object("params") ?? [], client)
        }
        guard case .one(let question)? = client.answered() else {
            throw InvariantViolation("an answer nobody asked for")
        }
        try match(body, question)
        try witness.answer(body, to: question, client)
    }

    func match(_ body: [Member], _ question: SentRequest) throws(InvariantViolation) {
        try expect(
            body.number("id") == question.number,
            "the answer to \(body.number("id") ?? -1) comes where that to \(question.number) belongs"
        )
    }

    func hearBatch(_ line: [UInt8], _ client: Client) throws(InvariantViolation) {
        guard case .batch(let questions)? = client.answered() else {
            throw InvariantViolation("a batch nobody asked for")
        }
        let bodies = JournalReader.read(Array("{\"all\":".utf8) + line + Array("}".utf8)).list(
            "all")
        try expect(
            bodies.count == questions.count,
            "\(bodies.count) answers to \(questions.count) requests: \(text(line))")
        for (body, question) in zip(bodies, questions) {
            try match(body, question)
            try witness.answer(body, to: question, client)
        }
    }

    func hearText(_ line: [UInt8], _ client: Client) throws(InvariantViolation) {
        guard case .text(let question)? = client.answered() else {
            throw InvariantViolation("a text nobody asked for")
        }
        let text = String(decoding: line, as: UTF8.self)
        let body = JournalReader.read(
            Array(text[(text.firstIndex(of: "{") ?? text.endIndex)...].utf8))
        guard text.hasPrefix("ERR ") else { return try witness.result(body, question, client) }
        let name = String(text.dropFirst(4).prefix { $0 != " " })
        try witness.refusal(
            [Member("message", name), Member("data", .object(body))], question, client)
    }
}
