/** Parses Server-Sent Events. `lastId` is the id of the newest complete event. */
export class EventReader {
    lastId = "";
    #onEvent;
    #decoder = new TextDecoder();
    /** The received part of the present line. */
    #incompleteLine = "";
    #type = "";
    #data = [];
    #id = null;

    /** Calls `onEvent(type, data)` for each event; `data` is a text. */
    constructor(onEvent) {
        this.#onEvent = onEvent;
    }

    /** Reads the next bytes of the response. */
    push(bytes) {
        this.#incompleteLine += this.#decoder.decode(bytes, { stream: true });
        // A carriage return at the end of the bytes may be the first half of a line end.
        const lines = this.#incompleteLine.split(/\r\n|\n|\r(?!$)/);
        this.#incompleteLine = lines.pop();
        for (const line of lines) this.#readLine(line);
    }

    #readLine(line) {
        if (line === "") return this.#endEvent();
        const colon = line.indexOf(":");
        if (colon === 0) return;
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (name === "event") this.#type = value;
        else if (name === "data") this.#data.push(value);
        else if (name === "id") this.#id = value;
    }

    #endEvent() {
        if (this.#id !== null) this.lastId = this.#id;
        const [type, data] = [this.#type, this.#data.join("\n")];
        const isEmpty = this.#data.length === 0;
        [this.#type, this.#data, this.#id] = ["", [], null];
        if (!isEmpty) this.#onEvent(type || "message", data);
    }
}
