import GameFlow

/// What a check of `gamectl doctor` has found, in a sentence.
struct DoctorFinding: Equatable {
    /// What was checked.
    enum Subject: String, CaseIterable {
        case socket, rights, unit, configuration, disk, clock, versions, certificates, devices
        case database, outputs
    }

    enum Result: String {
        case ok
        /// It works, but may fail later.
        case warning
        /// It does not work.
        case fault
        /// It could not be checked.
        case skipped
    }

    let subject: Subject
    let result: Result
    let text: String
    /// What to do; empty if the operator need do nothing.
    let remedy: String

    static func ok(_ subject: Subject, _ text: String) -> DoctorFinding {
        DoctorFinding(subject: subject, result: .ok, text: text, remedy: "")
    }

    static func skipped(_ subject: Subject, _ text: String, _ remedy: String = "")
        -> DoctorFinding
    {
        DoctorFinding(subject: subject, result: .skipped, text: text, remedy: remedy)
    }

    static func warning(_ subject: Subject, _ text: String, _ remedy: String) -> DoctorFinding {
        DoctorFinding(subject: subject, result: .warning, text: text, remedy: remedy)
    }

    static func fault(_ subject: Subject, _ text: String, _ remedy: String) -> DoctorFinding {
        DoctorFinding(subject: subject, result: .fault, text: text, remedy: remedy)
    }

    /// The finding as JSON: `{"check","result","text","remedy"?}`
    var json: Value {
        .object(
            [
                Member("check", subject.rawValue), Member("result", result.rawValue),
                Member("text", text),
            ] + (remedy.isEmpty ? [] : [Member("remedy", remedy)]))
    }
}
