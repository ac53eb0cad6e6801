import { freshId, h } from "../shared/dom.js";
import { fieldsOf, readAll } from "../shared/form.js";
import { call } from "../shared/rpc.js";
import { Titles } from "../shared/titles.js";

/**
 * The part of an invitation that limits what guests may send: one event or all, and arguments with fixed values. The
 * argument `player` has no field here: its value is the guest's name.
 */
export class EventLimits {
    #event = h("select", { id: freshId("field"), name: "event" });
    #argumentFields = h("div", { class: "fields" });
    /** The events of the session's flow that a guest's browser can send, as `describe` has them; none if the flow is not known. */
    #events = [];
    /** The fields for the arguments, by name, as `fieldsOf` makes them. */
    #fields = new Map();
    /** Whether the role of the invitation lets guests send events. */
    #maySend = true;
    /** Counts the calls of `readEvents`, so that answers to earlier requests are ignored. */
    #generation = 0;
    element;

    constructor() {
        this.#event.addEventListener("change", () => this.#draw());
        const label = h("label", { for: this.#event.id }, "May send");
        this.element = h(
            "details",
            { class: "limits" },
            h("summary", {}, "Limit what may be sent"),
            h("div", { class: "fields" }, h("div", { class: "field" }, label, this.#event), this.#argumentFields),
        );
    }

    /** Reads the events of a session's flow, and offers them. `session` is the session's name. */
    async readEvents(session) {
        this.element.open = false;
        this.#setFlow({ events: [] });
        this.#generation += 1;
        const generation = this.#generation;
        const flow = await call("describe", { session }).catch(() => ({ events: [] }));
        if (generation === this.#generation) this.#setFlow(flow);
    }

    /** Sets the guest's role. For `observe`, the limits are hidden and `params` is empty, because the guest sends no events. */
    setRole(role) {
        this.#maySend = role === "play";
        this.#show();
    }

    /** The parameters of `invite` that limit the events. */
    get params() {
        if (!this.#maySend) return {};
        const args = readAll(this.#fields);
        return {
            ...(this.#event.value === "" ? {} : { event: this.#event.value }),
            ...(Object.keys(args).length === 0 ? {} : { args }),
        };
    }

    #setFlow(flow) {
        this.#events = flow.events.filter(({ from, hidden }) => !hidden && (from?.includes("web") ?? true));
        const titles = new Titles(flow);
        const options = this.#events.map(({ name }) => h("option", { value: name }, titles.event(name)));
        this.#event.replaceChildren(h("option", { value: "" }, "Every event"), ...options);
        this.#draw();
    }

    /** Shows a field for each argument of the chosen event, or of all events. An empty field fixes no value. */
    #draw() {
        const chosenEvents = this.#events.filter(({ name }) => this.#event.value === "" || name === this.#event.value);
        // A `spec` describes one argument in the result of `describe`. Events may share an argument; it gets one field.
        const specs = new Map();
        for (const spec of chosenEvents.flatMap(({ args }) => args)) {
            if (spec.name !== "player" && !specs.has(spec.name)) specs.set(spec.name, { ...spec, optional: true });
        }
        this.#fields = fieldsOf([...specs.values()]);
        this.#argumentFields.replaceChildren(...[...this.#fields.values()].map(({ element }) => element));
        this.#show();
    }

    #show() {
        this.element.hidden = !this.#maySend || this.#events.length === 0;
    }
}
