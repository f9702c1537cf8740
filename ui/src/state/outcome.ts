import type { Ended } from "../bridge/types";

export interface OutcomeWords { head: string; rest: string; look: "good" | "info" | "mark" | "plain"; icon: string }

const BACK: Record<string, string> = {
  person: "Handed back by you.",
  deadline: "Handed back, time was up.",
  paused: "Handed back, Doorward is paused.",
  shutting_down: "Handed back, Doorward was closing.",
  no_surface: "Handed back, there was nowhere to show it.",
};

function answered(ended: Ended, agent: string): OutcomeWords {
  if (ended.outcome === "cancelled") {
    return { head: "Cancelled.", rest: `${agent} was told that its turn was stopped.`, look: "plain", icon: "ui-stop" };
  }
  if (ended.outcome === "abstained" || ended.outcome === null) {
    const nobody = ended.why === "person" ? "" : " Nobody said no.";
    return {
      head: BACK[ended.why ?? ""] ?? "Handed back.",
      rest: `${agent}’s own prompt asks now.${nobody}`,
      look: "plain",
      icon: "option-hand-back",
    };
  }
  const label = ended.option ?? ended.outcome.selected;
  const who = !ended.by || ended.by === "person" ? "You" : ended.by;
  if (ended.delivered === "no") {
    return {
      head: `${who} chose “${label}”; it was not delivered.`,
      rest: "The agent ended before the answer reached it.",
      look: "mark",
      icon: "ui-warn",
    };
  }
  const ran = ended.applied === true ? " The tool ran." : "";
  const rest = ended.delivered === "yes" ? `Delivered.${ran}` : `On its way to ${agent}.`;
  return { head: `${who} chose “${label}”.`, rest, look: "good", icon: "ui-check" };
}

function withdrawn(ended: Ended, agent: string, source: string): OutcomeWords {
  const nothing = "Nothing was sent from Doorward.";
  switch (ended.why) {
    case "elsewhere": {
      const place = source === "acp" ? "editor" : "terminal";
      return { head: `Answered in the ${place}.`, rest: nothing, look: "info", icon: "ui-terminal" };
    }
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
export function outcomeWords(ended: Ended, agent: string, source: string): OutcomeWords {
  return ended.end === "withdrawn" ? withdrawn(ended, agent, source) : answered(ended, agent);
}
