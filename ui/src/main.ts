import { mount } from "svelte";
import App from "./App.svelte";
import { connect } from "./bridge/bridge";
import { ListView } from "./state/list.svelte";
import { Queue } from "./state/queue.svelte";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/app.css";

const target = document.getElementById("app");
if (target) {
  const queue = new Queue(await connect());
  mount(App, { target, props: { queue, view: new ListView(queue) } });
  await queue.start();
}
