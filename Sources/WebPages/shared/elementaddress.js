import { fileAddress, pageHeader } from "./credential.js";

/** The address of a file of `--media` for a frame or a video, which cannot set the header that names the page's cookie. */
export function elementAddress(file) {
    return `${fileAddress(file)}?${new URLSearchParams({ page: pageHeader["Gamed-Page"] })}`;
}
