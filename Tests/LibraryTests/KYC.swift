import GameFlow
import Timers

/// Identifies a customer of a bank: a phone number, a profile, and a document that people review.
public nonisolated struct KYC: DefaultFlow {
    public init() {}

    public enum Document: String, CaseIterable, Argument, Sendable {
        case passport, licence, selfie
    }

    /// A document on its way to the bank.
    public struct Upload: Equatable, Sendable {
        let customer: String
        let document: Document
        /// Counted from 1.
        var attempt = 1

        var next: Upload { Upload(customer: customer, document: document, attempt: attempt + 1) }
        /// 1, 2 and 4 seconds.
        var pause: Duration { .seconds(1 << (attempt - 1)) }
        var data: [Member] {
            [
                Member("customer", customer), Member("document", document),
                Member("attempt", attempt),
            ]
        }
    }

    public enum StateName: String, CaseIterable, Sendable {
        case welcome, enteringPhone, sendingCode, enteringCode, enteringProfile, choosingDocument,
            capturing, uploading, waitingToRetry, offline, reviewing, approved, rejected
    }

    public enum State: Sendable {
        /// → enteringPhone
        case welcome
        /// → sendingCode
        case enteringPhone
        /// → enteringCode, enteringPhone
        case sendingCode(phone: String, Countdown)
        /// → enteringProfile, enteringPhone
        case enteringCode(phone: String, tries: Int, Countdown)
        /// → choosingDocument
        case enteringProfile(phone: String)
        /// → capturing
        case choosingDocument(customer: String)
        /// → uploading, choosingDocument
        case capturing(customer: String, Document, Countdown)
        /// → reviewing, waitingToRetry, offline, choosingDocument
        case uploading(Upload, Countdown)
        /// → uploading, offline
        case waitingToRetry(Upload, Countdown)
        /// → uploading
        case offline(Upload)
        /// → approved, rejected
        case reviewing(customer: String, Countdown, Pendulum)
        /// Takes the links that were opened before.
        case approved(customer: String)
        /// The end.
        case rejected(why: String)
    }

    public enum Event: FlowEvent, Equatable, Sendable {
        case begin
        case enterPhone(phone: String)
        case codeSent, codeNotSent
        case enterCode(code: String)
        case submitProfile(name: String)
        case choose(document: Document)
        case captured, uploaded, uploadFailed
        case networkLost, networkFound
        case accepted
        case refused(why: String)
        case openLink(link: String)
        case due(Signal)

        public enum Signal: UInt8, CaseIterable, Sendable {
            case sendTimedOut, codeExpired, captureTimedOut, uploadTimedOut, retry, reviewTimedOut,
                poll
        }

        public enum Effect: FlowEffect, Equatable, Sendable {
            case sendCode(phone: String)
            case upload(Upload)
            case poll
            case open(link: String)

            public var arguments: [Member] {
                switch self {
                case .sendCode(let phone): [Member("phone", phone)]
                case .upload(let upload): upload.data
                case .poll: []
                case .open(let link): [Member("link", link)]
                }
            }
        }
    }

    /// The code that the bank has sent; a real flow would ask an effect.
    private static let code = "4711"
    private static let attempts = 3

    public var finals: [StateName] { [.rejected] }
    public var events: [EventSchema<Event>] {
        [
            EventSchema(.begin), EventSchema(Event.enterPhone), EventSchema(.codeSent),
            EventSchema(.codeNotSent),
            EventSchema(Event.enterCode, secretSamples: [Self.code, "0000"]),
            EventSchema(Event.submitProfile), EventSchema(Event.choose), EventSchema(.captured),
            EventSchema(.uploaded), EventSchema(.uploadFailed), EventSchema(.networkLost),
            EventSchema(.networkFound), EventSchema(.accepted), EventSchema(Event.refused),
            EventSchema(Event.openLink),
        ]
    }

    public var invariants: [Invariant<State>] {
        [
            Invariant("a document is sent at most three times") { state in
                switch state {
                case .uploading(let upload, _), .waitingToRetry(let upload, _),
                    .offline(let upload):
                    upload.attempt <= Self.attempts
                default: true
                }
            }
        ]
    }

    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<KYC> {
        switch (state, event) {
        case (.welcome, .begin), (.sendingCode, .codeNotSent),
            (.sendingCode, .due(.sendTimedOut)), (.enteringCode, .due(.codeExpired)):
            enter { _ in .enteringPhone }
        case (.enteringPhone, .enterPhone(let phone)): sendCode(phone)
        case (.sendingCode(let phone, _), .codeSent): askForCode(phone)
        case (.enteringCode(let phone, _, _), .enterCode(Self.code)):
            enter { _ in .enteringProfile(phone: phone) }
        case (.enteringCode(let phone, let tries, let timer), .enterCode)
        where tries + 1 < Self.attempts:
            keep(nil, .enteringCode(phone: phone, tries: tries + 1, timer))
        case (.enteringCode, .enterCode): enter { _ in .enteringPhone }
        case (.enteringProfile, .submitProfile(let name)): choose(name)
        case (.choosingDocument(let customer), .choose(let document)): capture(customer, document)
        case (.capturing(let customer, _, _), .due(.captureTimedOut)): choose(customer)
        case (.capturing(let customer, let document, _), .captured):
            upload(Upload(customer: customer, document: document))
        case (.uploading(let sent, _), .uploaded): review(sent.customer)
        case (.uploading(let failed, _), .uploadFailed),
            (.uploading(let failed, _), .due(.uploadTimedOut)):
            failed.attempt < Self.attempts ? waitToRetry(failed) : choose(failed.customer)
        case (.waitingToRetry(let failed, _), .due(.retry)): upload(failed.next)
        case (.uploading(let upload, _), .networkLost),
            (.waitingToRetry(let upload, _), .networkLost):
            enter { _ in .offline(upload) }
        case (.offline(let again), .networkFound): upload(again)
        case (.reviewing, .due(.poll)): keep(.poll)
        case (.reviewing(let customer, _, _), .accepted):
            enter { _ in .approved(customer: customer) }
        case (.reviewing, .refused(let why)): enter { _ in .rejected(why: why) }
        case (.reviewing, .due(.reviewTimedOut)): enter { _ in .rejected(why: "no answer") }
        case (.reviewing, .openLink): .deferred
        case (.approved, .openLink(let link)): keep(.open(link: link))
        default: throw .noTransition
        }
    }

    // MARK: transitions

    private func sendCode(_ phone: String) -> Transition<KYC> {
        enter(.sendCode(phone: phone)) {
            .sendingCode(phone: phone, $0.countdown(.seconds(10), .sendTimedOut))
        }
    }

    private func askForCode(_ phone: String, tries: Int = 0) -> Transition<KYC> {
        enter {
            .enteringCode(phone: phone, tries: tries, $0.countdown(.minutes(5), .codeExpired))
        }
    }

    private func choose(_ customer: String) -> Transition<KYC> {
        enter { _ in .choosingDocument(customer: customer) }
    }

    private func capture(_ customer: String, _ document: Document) -> Transition<KYC> {
        enter {
            .capturing(customer: customer, document, $0.countdown(.minutes(10), .captureTimedOut))
        }
    }

    private func upload(_ upload: Upload) -> Transition<KYC> {
        enter(.upload(upload)) {
            .uploading(upload, $0.countdown(.seconds(30), .uploadTimedOut))
        }
    }

    private func waitToRetry(_ upload: Upload) -> Transition<KYC> {
        enter { .waitingToRetry(upload, $0.countdown(upload.pause, .retry)) }
    }

    private func review(_ customer: String) -> Transition<KYC> {
        enter {
            .reviewing(
                customer: customer, $0.countdown(.seconds(86_400), .reviewTimedOut),
                $0.pendulum(.minutes(7), .poll))
        }
    }

    // MARK: names and data

    public func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .welcome: .init(.welcome)
        case .enteringPhone: .init(.enteringPhone)
        case .sendingCode(let phone, _): .init(.sendingCode, [Member("phone", phone)])
        case .enteringCode(let phone, let tries, _):
            .init(.enteringCode, [Member("phone", phone), Member("tries", tries)])
        case .enteringProfile(let phone): .init(.enteringProfile, [Member("phone", phone)])
        case .choosingDocument(let customer):
            .init(.choosingDocument, [Member("customer", customer)])
        case .capturing(let customer, let document, _):
            .init(.capturing, [Member("customer", customer), Member("document", document)])
        case .uploading(let upload, _): .init(.uploading, upload.data)
        case .waitingToRetry(let upload, _): .init(.waitingToRetry, upload.data)
        case .offline(let upload): .init(.offline, upload.data)
        case .reviewing(let customer, _, _): .init(.reviewing, [Member("customer", customer)])
        case .approved(let customer): .init(.approved, [Member("customer", customer)])
        case .rejected(let why): .init(.rejected, [Member("why", why)])
        }
    }

    public func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<KYC> {
        switch name {
        case .welcome: return enter { _ in .welcome }
        case .enteringPhone: return enter { _ in .enteringPhone }
        case .sendingCode: return sendCode(try data("phone"))
        case .enteringCode:
            return askForCode(try data("phone"), tries: try data("tries", samples: [0, 1, 2]))
        case .enteringProfile:
            let phone: String = try data("phone")
            return enter { _ in .enteringProfile(phone: phone) }
        case .choosingDocument: return choose(try data("customer"))
        case .capturing: return capture(try data("customer"), try data("document"))
        case .uploading: return upload(try Upload(data))
        case .waitingToRetry: return waitToRetry(try Upload(data))
        case .offline:
            let upload = try Upload(data)
            return enter { _ in .offline(upload) }
        case .reviewing: return review(try data("customer"))
        case .approved:
            let customer: String = try data("customer")
            return enter { _ in .approved(customer: customer) }
        case .rejected:
            let why: String = try data("why")
            return enter { _ in .rejected(why: why) }
        }
    }
}

nonisolated extension KYC.Upload {
    fileprivate init(_ data: Arguments) throws(Reason) {
        customer = try data("customer")
        document = try data("document")
        attempt = try data("attempt", samples: [1, 2, 3])
        guard 1...3 ~= attempt else { throw .invalid("attempt", "1 to 3") }
    }
}
