import { freshId, h } from "../shared/dom.js";

/*
 * The form that chooses which games are counted. The user can choose a flow, a period in which the games were opened, and a
 * label: games with this label are not counted. The page's address contains the choice.
 */

/** The offered values of the parameter `since`, and their texts. */
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

    /** Calls `onChoose()` when a list was changed or the button was pressed. */
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
        for (const select of [this.#flow, this.#since]) select.addEventListener("change", choose);
    }

    /** Offers the daemon's flows, and the chosen flow: the address may name a flow that the daemon no longer has. */
    offerFlows(flows) {
        const offered = [...new Set([...flows, this.#flow.value])].filter(Boolean);
        const { value } = this.#flow;
        this.#flow.replaceChildren(option("", "All flows"), ...offered.map((flow) => option(flow, flow)));
        this.#flow.value = value;
    }

    set isBusy(isBusy) {
        if (isBusy) this.#button.setAttribute("aria-busy", "true");
        else this.#button.removeAttribute("aria-busy");
    }

    /** The parameters of the method `stats`, without the empty ones. */
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
