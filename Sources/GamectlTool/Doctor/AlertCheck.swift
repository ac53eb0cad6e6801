import GameFlow
import Support

/// Turns the alerts of a daemon into findings: devices, the database and outputs.
enum AlertCheck {
    /// The ids of the alerts that changes cannot be stored, and that a database may lose them.
    private static let (journalID, databaseID) = ("storage:journal", "storage:database")
    /// The id of the alert that the copy of the journal lacks changes.
    private static let archiveID = "storage:archive"

    /// `alerts` are those of the result of the method `alerts`. `outage` is why changes cannot be stored; nil if they can.
    static func findings(_ alerts: [Value], outage: String?) throws(CommandError)
        -> [DoctorFinding]
    {
        var findings: [DoctorFinding] = []
        if let outage {
            findings.append(
                .fault(
                    .database, "the journal cannot be written: \(outage)",
                    "make room on the disk, or start the database; changes are refused until then"))
        }
        for alert in alerts {
            let id = try alert.text("id")
            // The alert begins a moment after the outage.
            if outage != nil, id == journalID { continue }
            let kind = [databaseID, archiveID].contains(id) ? id : try alert.text("kind")
            findings.append(finding(kind, try alert.text("text")))
        }
        for (subject, text) in [
            (DoctorFinding.Subject.devices, "no device is away"),
            (.database, "the journal can be written"), (.outputs, "no output was given up"),
        ] where !findings.contains(where: { $0.subject == subject }) {
            findings.append(.ok(subject, text))
        }
        return findings
    }

    private static func finding(_ kind: String, _ text: String) -> DoctorFinding {
        let text = text.hasSuffix(".") ? String(text.dropLast()) : text
        return switch kind {
        case "connection":
            .fault(
                .devices, text,
                "look at the device or the broker, its cable and its address; gamectl sources shows its state"
            )
        case "source":
            .fault(
                .devices, text,
                "look at the device and its battery; gamectl bluetooth and gamectl sources show its state"
            )
        case "quiet":
            .warning(.devices, text, "look at the device; gamectl sources shows when it sent last")
        case "output":
            .warning(
                .outputs, text,
                "when the receiver works again, gamectl alerts ack ID ends the alert")
        case "invitation":
            .warning(.outputs, text, "gamectl screens shows the screens of each session")
        case databaseID:
            .fault(
                .database, text,
                "correct the setting of the database; docs/many-machines.md explains it")
        case archiveID:
            .fault(
                .database, text,
                "look at the disk of the archive, its space and its owner; changes are kept in the journal meanwhile"
            )
        case "storage":
            .fault(
                .database, text,
                "make room on the disk, or start the database; changes are refused until then")
        case "shard":
            .fault(
                .database, text, "gamectl nodes shows the nodes; start the nodes that are missing")
        case "clock":
            .fault(.clock, text, "synchronize the clocks of the machines: timedatectl set-ntp true")
        case "certificate":
            .warning(.certificates, text, "renew the certificate, and run gamectl reload")
        case "media":
            .warning(
                .devices, text, "copy the file to the directory of --media, and run gamectl reload")
        default: .warning(.devices, text, "gamectl alerts shows what does not work")
        }
    }
}
