import { freshId, h } from "../shared/dom.js";

/*
 * The choice of the games that are counted: their flow, when they were opened, and a label whose games are left out. The
 * page's address contains the choice.
 */

/** The values of the parameter `since` that can be chosen, and their texts. */
const periods = [
    ["", "All time"],
    ["1d", "Last 24 hours"],
    ["7d", "Last 7 days"],
    ["30d", "Last 30 days"],
    ["365d", "Last 365 days"],
];
const parameterNames = ["flow", "since", "without"];

export class Choice {
    #flow = h("select", { id: freshId("field") });
    #since = h("select", { id: freshId("field") });
    #without = h("input", {
        id: freshId("field"),
        type: "text",
        maxlength: 64,
        pattern: "[A-Za-z_][A-Za-z0-9_]*",
        title: "A letter or _, then letters, digits and _",
        placeholder: "test",
        autocomplete: "off",
        autocapitalize: "off",
        spellcheck: "false",
    });
    #button = h("button", { type: "submit", class: "primary" }, "Count");

    /** Calls `onChoose()` for each new choice. */
    constructor(form, onChoose) {
        this.#readAddress();
        const field = (input, text) => h("div", { class: "field" }, h("label", { for: input.id }, text), input);
        form.append(
            field(this.#flow, "Flow"),
            field(this.#since, "Since"),
            field(this.#without, "Without games labelled"),
            this.#button,
        );
        const choose = () => {
            this.#storeInAddress();
            onChoose();
        };
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            choose();
        });
        for (const list of [this.#flow, this.#since]) list.addEventListener("change", choose);
    }

    /** Offers the flows of the daemon, and the chosen flow, which may be from the address. */
    offer(flows) {
        const all = [...new Set([...flows, this.#flow.value])].filter(Boolean);
        const { value } = this.#flow;
        this.#flow.replaceChildren(option("", "All flows"), ...all.map((flow) => option(flow, flow)));
        this.#flow.value = value;
    }

    set isBusy(isBusy) {
        if (isBusy) this.#button.setAttribute("aria-busy", "true");
        else this.#button.removeAttribute("aria-busy");
    }

    /** The parameters of `stats`. */
    get params() {
        const values = [this.#flow.value, this.#since.value, this.#without.value.trim()];
        const params = parameterNames.map((name, index) => [name, values[index]]);
        return Object.fromEntries(params.filter(([, value]) => value !== ""));
    }

    #readAddress() {
        const query = new URLSearchParams(location.search);
        const flow = query.get("flow") ?? "";
        this.#flow.append(option(flow, flow === "" ? "All flows" : flow));
        const since = query.get("since") ?? "";
        const isOffered = periods.some(([value]) => value === since);
        const offered = isOffered ? periods : [...periods, [since, since]];
        this.#since.append(...offered.map(([value, text]) => option(value, text)));
        this.#since.value = since;
        this.#without.value = query.get("without") ?? "";
    }

    #storeInAddress() {
        const query = new URLSearchParams(this.params).toString();
        history.replaceState(null, "", location.pathname + (query === "" ? "" : `?${query}`));
    }
}

function option(value, text) {
    return h("option", { value }, text);
}
