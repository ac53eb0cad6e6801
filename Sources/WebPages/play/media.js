import { fileAddress, pageHeader } from "../shared/credential.js";
import { find } from "../shared/dom.js";
import { lazily } from "../shared/lazily.js";

/*
 * The picture and the sound of a state, and the style sheet of its flow: files of `--media`. A request for them needs the header
 * `Gamed-Page`. Elements such as `img` cannot send it, so the page fetches the files and uses them as blobs.
 */

/** The name of the effect that plays sounds. */
export const playEffect = "play";
/** The addresses of the blobs, by file name. */
const addresses = new Map();

/** The address of a file's blob; null if the file cannot be read. */
export async function mediaAddress(file) {
    if (!addresses.has(file)) {
        const response = await request(file);
        if (!response) return null;
        addresses.set(file, URL.createObjectURL(await response.blob()));
    }
    return addresses.get(file);
}

export class Media {
    #picture = find("#picture");
    /** The picture that is shown, or being fetched. */
    #shownFile = "";
    /** The newest visit of a state, so that its sound starts once in a visit; null before the first. */
    #newestVisit = null;
    #audio = new Audio();
    #themedFlow;
    #loadAloud = lazily(() => import("./aloud.js"));
    /** The functions that play sounds; null before the first sound. */
    #aloud = null;

    /** Applies the style sheet of the flow, or of all flows, if there is one. */
    async applyTheme(flow) {
        if (flow === this.#themedFlow) return;
        this.#themedFlow = flow;
        const response = await request(`themes/${flow}.css`);
        if (!response) return;
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(await response.text());
        document.adoptedStyleSheets = [sheet];
    }

    /** Shows the state's picture, and plays its sound once for each visit of the state. */
    show(session, { picture = "", sound = "" }) {
        this.applyTheme(session.flow);
        this.#showPicture(picture);
        const visit = `${session.session} ${session.entry}`;
        if (visit === this.#newestVisit) return;
        const isFirstVisit = this.#newestVisit === null;
        this.#newestVisit = visit;
        this.#aloud?.silence(this.#audio);
        // A page that is loaded during a visit does not play its sound.
        if (sound !== "" && !isFirstVisit) this.#startSound(sound);
    }

    async #showPicture(file) {
        if (file === this.#shownFile) return;
        this.#shownFile = file;
        this.#picture.hidden = true;
        const address = file === "" ? null : await mediaAddress(file);
        if (file !== this.#shownFile || address === null) return;
        this.#picture.src = address;
        this.#picture.hidden = false;
    }

    async #startSound(file) {
        const visit = this.#newestVisit;
        const [address, aloud] = await Promise.all([mediaAddress(file), this.#loadAloud()]);
        if (address === null || aloud === null || visit !== this.#newestVisit) return;
        this.#aloud = aloud;
        this.#audio.src = address;
        aloud.playAloud(this.#audio);
    }
}

/** The response with a file of `--media`; null if the file is missing or the server cannot be reached. */
async function request(file) {
    const response = await fetch(fileAddress(file), { headers: pageHeader }).catch(() => null);
    return response?.ok ? response : null;
}
