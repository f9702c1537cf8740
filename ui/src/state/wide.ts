import { MediaQuery } from "svelte/reactivity";

/** Whether two columns of code fit beside each other. */
export const wide = new MediaQuery("min-width: 1000px");
