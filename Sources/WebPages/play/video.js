import { addStyles, find, h } from "../shared/dom.js";
import { elementAddress } from "../shared/elementaddress.js";
import { call, NoAnswer } from "../shared/rpc.js";
import { playAloud, silence } from "./aloud.js";
import { isBuzzer } from "./buzzers.js";

/*
 * The video of a state. It plays once in each visit of the state. When it has ended, the page sends the event that the flow names,
 * if the page may. Every screen sends it with the visit's `entry`, so only the first has an effect.
 *
 * A page loads this file when a state has a video, and this file loads its styles.
 */

addStyles(new URL("./video.css", import.meta.url));

/** After this time, the event is sent again if no answer came. */
const retryMs = 1_000;

export class Video {
    #presentSession;
    #context;
    #isWall;
    #element = h("video", { id: "video", hidden: true, playsinline: true });
    /** The visit whose video is played or was played; empty if the present state has no video. */
    #visit = "";

    constructor(presentSession, context, isWall) {
        [this.#presentSession, this.#context, this.#isWall] = [presentSession, context, isWall];
        // A file that is missing or damaged: the texts of the state remain.
        this.#element.addEventListener("error", () => (this.#element.hidden = true));
        this.#element.addEventListener("ended", () => this.#handleEnd());
        find("#board .facts").append(this.#element);
    }

    /** Shows the video of the present state, and ends that of another visit. */
    show() {
        const { session, titles } = this.#presentSession;
        // The session may have been closed meanwhile.
        if (session === null) return;
        const { video = "" } = titles.screenOf(session);
        const visit = video === "" ? "" : JSON.stringify([session.session, session.entry, video]);
        if (visit === this.#visit) return;
        this.stop();
        this.#visit = visit;
        if (video !== "" && !this.#context.isSilent) this.#play(video, session);
    }

    stop() {
        this.#visit = "";
        silence(this.#element);
        this.#element.removeAttribute("src");
        // Ends the transfer.
        this.#element.load();
        this.#element.hidden = true;
    }

    async #play(video, session) {
        const visit = this.#visit;
        if (!this.#isWall && (await isBuzzer(session, this.#context.rights))) return;
        if (visit !== this.#visit) return;
        this.#element.muted = false;
        this.#element.src = elementAddress(video);
        this.#element.hidden = false;
        playAloud(this.#element);
    }

    async #handleEnd() {
        const visit = this.#visit;
        this.#element.hidden = true;
        const { session, titles } = this.#presentSession;
        if (session === null) return;
        const event = titles.screen(session.state).ended;
        if (!event || !this.#context.rights.maySend(event, session.session)) return;
        const request = { session: session.session, event, args: {}, entry: session.entry };
        while (visit === this.#visit) {
            try {
                return await call("send", request);
            } catch (error) {
                // Another screen was first, or the state refuses the event. With 429, this page has sent too much.
                if (!(error instanceof NoAnswer) && error.status !== 429) return;
            }
            await new Promise((resolve) => setTimeout(resolve, retryMs));
        }
    }
}
