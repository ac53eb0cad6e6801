extension MetricFamily {
    /// Every family, in the order of the text.
    package static let all: [MetricFamily] = [
        build, processCPU, processMemory, processVirtualMemory, processStart, processOpenFiles,
        processMaximumFiles, requests, requestSeconds, turnSeconds, stallSeconds, timerLateness,
        commitSeconds, commitRows, transitions, refusals, sessions, sessionsStuck,
        sessionsQuarantined, timers, clients, limited, connectionUp, inputs, inputsUnmatched,
        outputs, outputsWaiting, alerts, journalRows, journalBytes, storageUp, backupTimestamp,
        archiveLag,
        sessionsUnread, requestsHeld, leaseRemaining, shards, shardsMissing, shardMoves, clockSkew,
        clockSteps, certificateExpiry,
    ]

    package static let build = MetricFamily(
        "gamed_build", .info, "Which build of gamed runs.", labels: ["version", "commit", "swift"])
    package static let processCPU = MetricFamily(
        "process_cpu_seconds", .counter, "The processor time of the process.", scale: .nanoseconds)
    package static let processMemory = MetricFamily(
        "process_resident_memory_bytes", .gauge, "The resident memory of the process.")
    package static let processVirtualMemory = MetricFamily(
        "process_virtual_memory_bytes", .gauge, "The virtual memory of the process.")
    package static let processStart = MetricFamily(
        "process_start_time_seconds", .gauge,
        "When the process was started, in seconds since 1970.")
    package static let processOpenFiles = MetricFamily(
        "process_open_fds", .gauge, "The open file descriptors of the process.")
    package static let processMaximumFiles = MetricFamily(
        "process_max_fds", .gauge, "The limit of open file descriptors.")
    package static let requests = MetricFamily(
        "gamed_requests", .counter, "Requests by how they ended.", labels: ["method", "outcome"])
    package static let requestSeconds = MetricFamily(
        "gamed_request_seconds", .histogram,
        "The time from the receipt of a request to the turn of the loop in which its reply can be sent.",
        labels: ["method"], scale: .nanoseconds)
    package static let turnSeconds = MetricFamily(
        "gamed_turn_seconds", .histogram, "How long the turns of the loop lasted.",
        scale: .nanoseconds)
    package static let stallSeconds = MetricFamily(
        "gamed_stall_seconds", .counter, "For how long the process stood still.",
        scale: .nanoseconds)
    package static let timerLateness = MetricFamily(
        "gamed_timer_lateness_seconds", .histogram, "How late the timers of sessions fired.",
        scale: .nanoseconds)
    package static let commitSeconds = MetricFamily(
        "gamed_commit_seconds", .histogram, "How long it took until rows were durable.",
        scale: .nanoseconds)
    package static let commitRows = MetricFamily(
        "gamed_commit_rows", .histogram, "How many rows became durable together.")
    package static let transitions = MetricFamily(
        "gamed_transitions", .counter, "Entries of states, by the state before.",
        labels: ["flow", "from", "to"])
    package static let refusals = MetricFamily(
        "gamed_refusals", .counter, "Events that sessions refused.",
        labels: ["flow", "reason", "source"])
    package static let sessions = MetricFamily(
        "gamed_sessions", .gauge, "Open sessions of this node.", labels: ["flow", "state"])
    package static let sessionsStuck = MetricFamily(
        "gamed_sessions_stuck", .gauge, "Sessions that stay in a state longer than usual.",
        labels: ["flow"])
    package static let sessionsQuarantined = MetricFamily(
        "gamed_sessions_quarantined", .gauge,
        "Sessions that could not be restored; `gamectl close` discards a session.",
        labels: ["flow"])
    package static let timers = MetricFamily(
        "gamed_timers", .gauge, "Running and paused timers of sessions.", labels: ["flow"])
    package static let clients = MetricFamily(
        "gamed_clients", .gauge, "Connected clients.", labels: ["kind"])
    package static let limited = MetricFamily(
        "gamed_limited", .counter, "Requests and connections refused because of a limit.",
        labels: ["limit", "principal"])
    package static let connectionUp = MetricFamily(
        "gamed_connection_up", .gauge, "1 while a connection to devices of the room is up.",
        labels: ["name", "kind"], showsSmallest: true)
    package static let inputs = MetricFamily(
        "gamed_inputs", .counter, "Inputs from devices.", labels: ["name"])
    package static let inputsUnmatched = MetricFamily(
        "gamed_inputs_unmatched", .counter, "Inputs that no `map` line matched.",
        labels: ["name"])
    package static let outputs = MetricFamily(
        "gamed_outputs", .counter, "Outputs by what became of them.",
        labels: ["target", "result"])
    package static let outputsWaiting = MetricFamily(
        "gamed_outputs_waiting", .gauge, "Outputs that wait.", labels: ["target"])
    package static let alerts = MetricFamily(
        "gamed_alerts", .gauge, "Present alerts.", labels: ["kind"])
    package static let journalRows = MetricFamily(
        "gamed_journal_rows", .counter,
        "Durable rows: the position of the newest row, with a database the sum over all shards.")
    package static let journalBytes = MetricFamily(
        "gamed_journal_bytes", .gauge,
        "The size of the journal's files, with a database that of the table with its indexes.")
    package static let storageUp = MetricFamily(
        "gamed_storage_up", .gauge, "1 while the journal answers.", showsSmallest: true)
    package static let backupTimestamp = MetricFamily(
        "gamed_backup_timestamp_seconds", .gauge,
        "When the last complete backup was made, in seconds since 1970; 0 if none was made.")
    package static let archiveLag = MetricFamily(
        "gamed_archive_lag_seconds", .gauge,
        "For how long the archive may have lacked rows of the journal; 0 if it has all.",
        scale: .nanoseconds)
    package static let sessionsUnread = MetricFamily(
        "gamed_sessions_unread", .gauge, "Sessions that were restored and not yet decoded.")
    package static let requestsHeld = MetricFamily(
        "gamed_requests_held", .gauge,
        "Requests that wait for the owner of a session, or for this node's leases and store.")
    package static let leaseRemaining = MetricFamily(
        "gamed_lease_remaining_seconds", .gauge,
        "Time until the first lease of this node can no longer be trusted; 0 without a trusted lease.",
        scale: .nanoseconds)
    package static let shards = MetricFamily(
        "gamed_shards", .gauge, "Shards that this node owns.")
    package static let shardsMissing = MetricFamily(
        "gamed_shards_missing", .gauge,
        "Shards of the store that have no owner, or that this node owns without a trusted lease.")
    package static let shardMoves = MetricFamily(
        "gamed_shard_moves", .counter, "Shards that this node took, lost or handed over.")
    package static let clockSkew = MetricFamily(
        "gamed_clock_skew_seconds", .gauge,
        "By how much the database's clock is ahead of this node's clock.", scale: .nanoseconds)
    package static let clockSteps = MetricFamily(
        "gamed_clock_steps", .counter, "How often the wall clock was set by more than a second.")
    package static let certificateExpiry = MetricFamily(
        "gamed_certificate_expiry_timestamp_seconds", .gauge,
        "When a certificate ends, in seconds since 1970.", labels: ["file"], showsSmallest: true)
}
