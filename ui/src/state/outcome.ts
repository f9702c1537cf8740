import type { Settled } from "../bridge/protocol";
import type { Detail, OptionView, Source } from "../bridge/types";

export interface OutcomeWords { head: string; rest: string; look: "good" | "info" | "mark" | "plain"; icon: string }

/** What the words need of a request. */
export type Asked = Pick<Detail, "agent" | "source"> & { options: Pick<OptionView, "id" | "name" | "kind">[] };

const BACK: Record<string, string> = {
  person: "Handed back by you.",
  deadline: "Handed back, time was up.",
  paused: "Handed back, Doorward is paused.",
  shutting_down: "Handed back, Doorward was closing.",
  no_surface: "Handed back, there was nowhere to show it.",
};

const BY: Record<string, string> = { person: "You chose" };

export function place(source: Source): string {
  return source === "acp" ? "editor" : "terminal";
}

/** The id of the option that was chosen, if one was. */
function selected(ended: Settled): string | null {
  return typeof ended.outcome === "object" && ended.outcome !== null ? ended.outcome.selected : null;
}

function handedBack(ended: Settled, agent: string): OutcomeWords {
  const nobody = ended.why === "person" ? "" : " Nobody said no.";
  const head = BACK[ended.why ?? ""] ?? "Handed back.";
  return { head, rest: `${agent}’s own prompt asks now.${nobody}`, look: "plain", icon: "option-hand-back" };
}

function chosen(ended: Settled, id: string, asked: Asked): OutcomeWords {
  const option = asked.options.find((offered) => offered.id === id);
  const who = BY[ended.by ?? "person"] ?? `${ended.by} chose`;
  const head = `${who} “${option?.name ?? id}”${ended.amended ? " with your version" : ""}`;
  if (ended.delivered === "no") {
    const rest = "The agent ended before the answer reached it.";
    return { head: `${head}; it was not delivered.`, rest, look: "mark", icon: "ui-warn" };
  }
  const rejects = option?.kind.startsWith("reject_") ?? false;
  const ran = ended.applied === true ? " Applied." : ended.applied === false ? " Not applied." : "";
  const rest = ended.delivered === "yes" ? `Delivered.${ran}` : `On its way to ${asked.agent.name}.`;
  return { head: `${head}.`, rest, look: rejects ? "plain" : "good", icon: rejects ? "option-reject-once" : "ui-check" };
}

function withdrawn(ended: Settled, asked: Asked): OutcomeWords {
  const nothing = "Nothing was sent from Doorward.";
  const agent = asked.agent.name;
  switch (ended.why) {
    case "elsewhere":
      return { head: `Answered in the ${place(asked.source)}.`, rest: nothing, look: "info", icon: "ui-terminal" };
    case "connection_lost":
      return { head: "The agent is gone.", rest: nothing, look: "plain", icon: "ui-lost" };
    case "turn_ended":
      return { head: "Withdrawn.", rest: `${agent}’s turn ended. ${nothing}`, look: "plain", icon: "ui-close" };
    case "retired":
      return { head: "Withdrawn.", rest: `${agent} went on without an answer. ${nothing}`, look: "plain", icon: "ui-close" };
    default:
      return { head: "Withdrawn.", rest: `${agent} took the request back.`, look: "plain", icon: "ui-close" };
  }
}

/** The sentence that takes the dock's place. A time-out, a withdrawal and a rejection never share a word. */
export function outcomeWords(ended: Settled, asked: Asked): OutcomeWords {
  if (ended.end === "withdrawn") return withdrawn(ended, asked);
  const id = selected(ended);
  if (id !== null) return chosen(ended, id, asked);
  if (ended.outcome !== "cancelled") return handedBack(ended, asked.agent.name);
  return { head: "Cancelled.", rest: `${asked.agent.name} was told that its turn was stopped.`, look: "plain", icon: "ui-stop" };
}
