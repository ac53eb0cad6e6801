public import Journal

/// The version of the rows' codec. The database's fact `codec` names the codec whose rows every node must be able to read, and
/// each node announces the newest codec that it reads. A new database has the newest codec. In an older database, nodes write
/// rows of the older format until an operator switches the store (`LeaseTable.switchCodec`).
public enum StoreCodec {
    /// The newest codec that this program reads and writes.
    public static let newest = 2
    /// The codec of a database without the fact: an older program has prepared it.
    public static let oldest = 1
    /// The name of the fact.
    public static let note = "codec"

    /// The format of the rows that nodes write.
    public static func format(of codec: Int) -> RowFormat { codec >= newest ? .third : .second }

    /// For how many minutes after its lease a node with an older codec prevents the switch: it may have been stopped for a
    /// moment only.
    static let minutesOfAbsence = 10

    /// Creates the trigger which gives no shard to a node with an older codec than the fact says.
    static let trigger = """
        CREATE FUNCTION gamed_check_codec() RETURNS trigger LANGUAGE plpgsql AS $function$
        BEGIN
            IF NEW.owner = '' OR EXISTS (
                SELECT 1 FROM gamed_node n JOIN gamed_fact f ON f.name = '\(note)'
                WHERE n.id = NEW.owner AND n.codec >= f.value::int8)
            THEN RETURN NEW; END IF;
            RETURN NULL;
        END $function$;
        CREATE TRIGGER gamed_check_codec BEFORE UPDATE OF owner, lease_until ON gamed_shard
            FOR EACH ROW EXECUTE FUNCTION gamed_check_codec();
        """

    /// The SQL of the switch to the newest codec: one transaction, which locks the tables of the nodes and shards. It fails
    /// with `blocked` if a node with an older codec is live, or was so a short time ago. Its message then names the nodes.
    static let switchText = """
        DO $do$
        DECLARE older text;
        BEGIN
            PERFORM set_config('lock_timeout', '2s', true);
            LOCK TABLE gamed_node, gamed_shard IN SHARE ROW EXCLUSIVE MODE;
            SELECT string_agg(DISTINCT name, ', ') INTO older FROM gamed_node
            WHERE codec < \(newest)
                AND lease_until > clock_timestamp() - interval '\(minutesOfAbsence) min';
            IF older IS NOT NULL THEN
                RAISE EXCEPTION '%', older USING ERRCODE = '\(blockedState)';
            END IF;
            IF (SELECT value::int8 FROM gamed_fact WHERE name = 'schema') < \(Schema.newestVersion) THEN
                EXECUTE $trigger$\(trigger)$trigger$;
                UPDATE gamed_fact SET value = '\(Schema.newestVersion)' WHERE name = 'schema';
            END IF;
            INSERT INTO gamed_fact VALUES ('\(note)', '\(newest)')
            ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value;
        END $do$
        """

    /// The SQLSTATE of the error that names nodes with an older codec.
    static let blockedState = "GM001"
}
